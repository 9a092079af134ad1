#include "proxy/mysql/conversation.h"

#include "proxy/mysql/numbers.h"

namespace isolde::proxy::mysql {
namespace {

constexpr std::size_t kHeadSize = 4;
constexpr std::size_t kGreetingAtMost = 4096, kLoginAtMost = 65536;
constexpr std::size_t kOwnCapabilitiesAt = 28;  // in the client's first packet: MariaDB's

}  // namespace

void Conversation::lose_track(Unreadable why) {
  why_ = why;
  stage_ = Stage::kBytes;
  if (listener_ != nullptr) listener_->lost_track();
}

// The server's first packet is held back until it is whole: a few bytes of it are changed.
void Conversation::from_server(std::string_view bytes, ByteQueue& to_client) {
  if (stage_ == Stage::kGreeting) {
    greeting_ += bytes;
    if (greeting_.size() < kHeadSize) return;
    const std::size_t length = Reader(greeting_).integer(3);
    if (length > kGreetingAtMost) {
      lose_track(Unreadable::kProtocol);
      return end_of_server(to_client);
    }
    if (greeting_.size() < kHeadSize + length) return;
    std::string body = greeting_.substr(kHeadSize, length);
    const auto offered = strike_capabilities(body);
    to_client.append(std::string_view(greeting_).substr(0, kHeadSize));
    to_client.append(body);
    to_client.append(std::string_view(greeting_).substr(kHeadSize + length));
    const std::string rest = greeting_.substr(kHeadSize + length);
    std::string().swap(greeting_);
    stage_ = Stage::kLogin;
    offered_ = offered.value_or(0);
    // An error instead of a greeting ends the connection: there is nothing to lose track of.
    const bool is_refused = !body.empty() && static_cast<unsigned char>(body[0]) == 0xff;
    if (!offered && !is_refused) return lose_track(Unreadable::kProtocol);
    if (!rest.empty()) lose_track(Unreadable::kMessage);
    return;
  }
  if (!greeting_.empty()) end_of_server(to_client);
  to_client.append(bytes);
  Packet packet;
  while (stage_ != Stage::kBytes && !bytes.empty() && from_server_.next(bytes, packet)) take_server(packet);
}

void Conversation::end_of_server(ByteQueue& to_client) {
  to_client.append(greeting_);
  greeting_.clear();
}

void Conversation::from_client(std::string_view bytes, ByteQueue& to_server, ByteQueue&) {
  if (stage_ == Stage::kLogin) {
    held_ += bytes;
    take_login(to_server);
    return;
  }
  to_server.append(bytes);
  if (stage_ == Stage::kGreeting) lose_track(Unreadable::kMessage);  // it is the server's turn
  read_client(bytes);
}

void Conversation::end_of_client(ByteQueue& to_server) {
  to_server.append(held_);
  held_.clear();
}

void Conversation::read_client(std::string_view bytes) {
  Packet packet;
  while (stage_ != Stage::kBytes && !bytes.empty() && from_client_.next(bytes, packet)) take_client(packet);
}

// The client's first packet is held back, too: one that takes what it was not offered (MySQL's newer forms, which the
// server itself would understand) does not get it.
void Conversation::take_login(ByteQueue& to_server) {
  if (held_.size() < kHeadSize) return;
  const std::size_t length = Reader(held_).integer(3);
  const bool fits = length <= kLoginAtMost;
  if (fits && held_.size() < kHeadSize + length) return;
  std::string held;
  held.swap(held_);
  auto login = fits ? login_of(std::string_view(held).substr(kHeadSize, length)) : std::nullopt;
  if (!login || login->asks_for_tls) {
    to_server.append(held);
    return lose_track(login ? Unreadable::kEncrypted : Unreadable::kProtocol);
  }
  login_ = *std::move(login);
  login_.capabilities &= ~struck_capabilities();
  std::string flags;
  put_integer(flags, login_.capabilities, 4);
  held.replace(kHeadSize, 4, flags);
  if ((login_.capabilities & kLongPassword) == 0) {
    flags.clear();
    put_integer(flags, login_.capabilities >> 32, 4);
    held.replace(kHeadSize + kOwnCapabilitiesAt, 4, flags);
  }
  to_server.append(held);
  answers_.set_capabilities(login_.capabilities & offered_);
  stage_ = Stage::kCommands;
  read_client(std::string_view(held).substr(kHeadSize + length));
}

void Conversation::take_client(const Packet& packet) {
  std::uint64_t number = 0;
  switch (answers_.client(packet, number)) {
    case Answers::FromClient::kMore:
      return;
    case Answers::FromClient::kUnknown:
      return lose_track(Unreadable::kMessage);
    case Answers::FromClient::kReplication:
      return lose_track(Unreadable::kReplication);
    case Answers::FromClient::kCommand:
      break;
  }
  const auto command = static_cast<Command>(packet.first());
  if (command == Command::kQuery || command == Command::kExecute || command == Command::kBulkExecute)
    ++counts_.statements;
  if (command == Command::kChangeUser) {
    if (auto changed = changed_user(packet.body, answers_.capabilities())) login_ = *std::move(changed);
  }
  if (listener_ != nullptr) listener_->command(number, packet);
}

void Conversation::take_server(const Packet& packet) {
  const bool before = answers_.logged_in();
  const Answer answer = answers_.server(packet);
  if (!answer.fits) return lose_track(Unreadable::kMessage);
  if (answer.meaning == Meaning::kOk || answer.meaning == Meaning::kRowsEnd) {
    const bool in_transaction = (answer.status & kInTransaction) != 0;
    const bool is_statement = answer.command == Command::kQuery || answer.command == Command::kExecute ||
                              answer.command == Command::kBulkExecute;
    // One that commits by itself never shows as open.
    if (!in_transaction && (in_transaction_ || (is_statement && answer.finished))) ++counts_.transactions;
    in_transaction_ = in_transaction;
  }
  if (listener_ == nullptr) return;
  if (!before && answers_.logged_in()) listener_->logged_in(login_);
  listener_->answer(answer, packet);
}

std::string Conversation::refusal(Refusal why, std::string_view text) const {
  const std::uint64_t code = why == Refusal::kTooManyClients ? 1040 : 1105;
  std::string body(1, '\xff');
  put_integer(body, code, 2);
  // Before the greeting nobody knows yet whether the client reads a state.
  if (stage_ != Stage::kGreeting) body += why == Refusal::kTooManyClients ? "#08004" : "#08S01";
  body += text;
  std::string packet;
  put_integer(packet, body.size(), 3);
  packet.push_back('\0');
  return packet + body;
}

}  // namespace isolde::proxy::mysql
