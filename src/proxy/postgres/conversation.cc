#include "proxy/postgres/conversation.h"

#include <algorithm>

#include "proxy/postgres/numbers.h"

namespace isolde::proxy::postgres {
namespace {

constexpr std::uint32_t kCancelCode = 80877102, kSslCode = 80877103, kGssCode = 80877104;
constexpr std::size_t kStartupAtMost = 10'000;  // as in the server
constexpr std::size_t kHead = 5;                // type and length
constexpr char kTlsHandshake = 0x16;            // sslnegotiation=direct

bool asks_for_replication(std::string_view parameters) {
  // name, zero, value, zero, …, zero
  while (!parameters.empty() && parameters.front() != '\0') {
    std::string_view pair[2];
    for (std::string_view& text : pair) {
      const std::size_t end = parameters.find('\0');
      if (end == std::string_view::npos) return false;
      text = parameters.substr(0, end);
      parameters.remove_prefix(end + 1);
    }
    if (pair[0] == "replication") return true;
  }
  return false;
}

}  // namespace

// As PostgreSQL's own look.
std::string Conversation::refusal(Refusal why, std::string_view text) const {
  const std::string_view sqlstate = why == Refusal::kTooManyClients ? "53300"
                                    : why == Refusal::kNoServer     ? "08006"
                                    : why == Refusal::kNeedsTls     ? "28000"
                                                                    : "08P01";
  std::string body;
  for (const auto& [field, value] :
       {std::pair<char, std::string_view>{'S', "FATAL"}, {'V', "FATAL"}, {'C', sqlstate}, {'M', text}}) {
    body.push_back(field);
    body += value;
    body.push_back('\0');
  }
  body.push_back('\0');
  return message('E', body);
}

void Conversation::lose_track(Unreadable why) {
  why_ = why;
  stage_ = Stage::kBytes;
  if (listener_ != nullptr && !listener_->lost_track()) broken_ = true;
}

void Conversation::begin(std::string_view packet, ByteQueue& to_server) {
  stage_ = Stage::kMessages;
  to_server.append(packet);
  const std::uint32_t code = u32_at(packet, 4);
  if (code == kCancelCode) return lose_track(Unreadable::kCancel);
  if (code >> 16 != 3) return lose_track(Unreadable::kProtocol);
  if (asks_for_replication(packet.substr(8))) return lose_track(Unreadable::kReplication);
  if (listener_ != nullptr) listener_->startup(packet.substr(8));
}

// How much was taken of the bytes before the first message with a type; 0: more are needed.
std::size_t Conversation::startup(std::string_view bytes, ByteQueue& to_server, ByteQueue& to_client) {
  if (bytes.empty()) return 0;
  if (bytes[0] == kTlsHandshake) {
    stage_ = Stage::kRefused;
    return bytes.size();
  }
  if (bytes.size() < 4) return 0;
  const std::uint32_t length = u32_at(bytes, 0);
  if (length < 8 || length > kStartupAtMost) {
    stage_ = Stage::kRefused;
    return bytes.size();
  }
  if (bytes.size() < length) return 0;
  const std::uint32_t code = u32_at(bytes, 4);
  const bool can_encrypt = tls_ == Tls::kOffered || tls_ == Tls::kRequired;
  if (length == 8 && code == kSslCode && can_encrypt) {
    // What came in plain behind the request could be anybody's.
    if (bytes.size() > length) {
      stage_ = Stage::kRefused;
      return bytes.size();
    }
    to_client.append("S");
    tls_ = Tls::kInUse;
    starts_tls_ = true;
  } else if (length == 8 && (code == kSslCode || code == kGssCode)) {
    to_client.append("N");
  } else if (tls_ == Tls::kRequired) {
    to_client.append(refusal(Refusal::kNeedsTls, "isolde proxy: only connections with TLS are taken here"));
    stage_ = Stage::kRefused;
    return bytes.size();
  } else {
    begin(bytes.substr(0, length), to_server);
  }
  return length;
}

// Requires: kHead bytes. How much was taken; 0: the whole message is needed.
std::size_t Conversation::take_client(std::string_view bytes, ByteQueue& out, std::uint64_t& passing) {
  const char type = bytes[0];
  const std::uint64_t length = std::uint64_t{1} + u32_at(bytes, 1);
  if (length < kHead) return lose_track(Unreadable::kMessage), 0;
  const bool wanted = listener_ != nullptr && listener_->wants_from_client(type);
  if (wanted && length > kWholeAtMost) return lose_track(Unreadable::kTooLong), 0;
  if (wanted && bytes.size() < length) return 0;
  const std::uint64_t number = answers_.next_number();
  if (!answers_.client(type)) return lose_track(Unreadable::kMessage), 0;
  if (type == 'Q' || type == 'E') ++counts_.statements;
  if (wanted) {
    listener_->client(type, bytes.substr(kHead, length - kHead), {number, answers_.skipping()}, out);
    return length;
  }
  passing = length;
  return 0;
}

std::size_t Conversation::take_server(std::string_view bytes, ByteQueue& out, std::uint64_t& passing) {
  const char type = bytes[0];
  const std::uint64_t length = std::uint64_t{1} + u32_at(bytes, 1);
  if (length < kHead) return lose_track(Unreadable::kMessage), 0;
  const bool wanted = listener_ != nullptr && listener_->wants_from_server(type);
  if (wanted && type != 'D' && length > kWholeAtMost) return lose_track(Unreadable::kTooLong), 0;
  if ((wanted || type == 'Z') && bytes.size() < std::min<std::uint64_t>(length, kHead + (wanted ? length : 1)))
    return 0;
  const Answers::Fit fit = answers_.server(type);
  if (!fit.fits) return lose_track(Unreadable::kMessage), 0;
  if (type == 'Z' && fit.answers && length > kHead && bytes[kHead] == 'I') ++counts_.transactions;
  if (wanted) {
    listener_->server(type, bytes.substr(kHead, length - kHead), fit, out);
    return length;
  }
  passing = length;
  return 0;
}

// `take` looks at the first message: how much it took, or it set how much is to be passed on, or more is needed.
template <typename Take>
void Conversation::feed(Direction& direction, std::string_view bytes, ByteQueue& out, Take take) {
  std::string joined;
  if (!direction.partial.empty()) {
    direction.partial += bytes;
    joined.swap(direction.partial);
    bytes = joined;
  }
  while (!bytes.empty()) {
    if (broken_) return;
    if (stage_ == Stage::kBytes) {
      out.append(bytes);
      return;
    }
    if (direction.passing > 0) {
      const std::size_t part = std::min<std::uint64_t>(direction.passing, bytes.size());
      out.append(bytes.substr(0, part));
      bytes.remove_prefix(part);
      direction.passing -= part;
      continue;
    }
    if (bytes.size() < kHead) break;
    const std::size_t taken = take(bytes);
    bytes.remove_prefix(taken);
    if (taken == 0 && direction.passing == 0 && stage_ != Stage::kBytes) break;
  }
  if (!joined.empty() && bytes.size() == joined.size()) {
    direction.partial.swap(joined);  // nothing was taken: a long message that is wanted whole
  } else {
    direction.partial = bytes;
  }
}

void Conversation::from_client(std::string_view bytes, ByteQueue& to_server, ByteQueue& to_client) {
  std::string joined;
  while (stage_ == Stage::kStartup) {
    if (!client_.partial.empty()) {
      joined = std::move(client_.partial);
      joined += bytes;
      client_.partial.clear();
      bytes = joined;
    }
    const std::size_t taken = startup(bytes, to_server, to_client);
    bytes.remove_prefix(taken);
    if (taken == 0) {
      client_.partial = std::string(bytes);
      return;
    }
  }
  if (stage_ == Stage::kRefused) return;
  feed(client_, bytes, to_server, [&](std::string_view rest) { return take_client(rest, to_server, client_.passing); });
}

void Conversation::end_of_client(ByteQueue& to_server) {
  to_server.append(client_.partial);
  client_.partial.clear();
}

void Conversation::end_of_server(ByteQueue& to_client) {
  to_client.append(server_.partial);
  server_.partial.clear();
}

void Conversation::from_server(std::string_view bytes, ByteQueue& to_client) {
  feed(server_, bytes, to_client, [&](std::string_view rest) { return take_server(rest, to_client, server_.passing); });
}

}  // namespace isolde::proxy::postgres
