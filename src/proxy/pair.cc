#include "proxy/pair.h"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

namespace isolde::proxy {
namespace {

// PostgreSQL's request: 8 bytes, and a number that stands for it.
constexpr std::string_view kAsksForTls{"\0\0\0\10\4\322\26\57", 8};

Side other(Side side) { return side == Side::kClient ? Side::kServer : Side::kClient; }

}  // namespace

Pair::Pair(int client, const Upstream& upstream, const ClientTls& client_tls,
           std::unique_ptr<Conversation> conversation, bool full)
    : upstream_(upstream), client_tls_(client_tls), conversation_(std::move(conversation)), full_(full) {
  end(Side::kClient).fd = client;
  if (client_tls.context != nullptr) conversation_->offer_tls(client_tls.required);
}

std::size_t Pair::waiting(const End& end) {
  return end.out.size() + end.wire.size() + (end.tls == nullptr ? 0 : end.tls->waiting());
}

Pair::~Pair() {
  conversation_->closed();
  for (const End& one : ends_) {
    if (one.fd >= 0) ::close(one.fd);
  }
}

std::uint32_t Pair::wanted_events(Side side) const {
  const End& mine = end(side);
  if (over_ || mine.fd < 0) return 0;
  if (side == Side::kServer && !connected_) return mine.gone ? 0U : std::uint32_t{EPOLLOUT};
  std::uint32_t events = 0;
  const bool held = side == Side::kServer && asked_server_for_tls_;
  if (!mine.wire.empty() || (!mine.out.empty() && !held)) events |= EPOLLOUT;
  // What a client sends while its server is not there yet is held back with the rest.
  const bool room = waiting(end(other(side))) < kMostWaiting;
  if (!mine.ended && room && !closing_) events |= EPOLLIN;
  return events;
}

void Pair::refuse(Refusal why, std::string_view text) {
  end(Side::kClient).out.append(conversation_->refusal(why, text));
  closing_ = true;
}

void Pair::begin() {
  try_connect();
  settle();
}

void Pair::try_connect() {
  waits_to_connect_ = false;
  if (closing_) return;
  if (full_) return refuse(Refusal::kTooManyClients, "isolde proxy: too many clients (--connections)");
  End& server = end(Side::kServer);
  server.fd = upstream_.connect();
  if (server.fd >= 0) return;
  if (errno == EAGAIN) {
    waits_to_connect_ = true;
  } else {
    refuse(Refusal::kNoServer,
           fmt::format("isolde proxy: cannot connect to {}: {}", upstream_.shown(), std::strerror(errno)));
  }
}

void Pair::receive(Side side, std::span<char> room) {
  End& mine = end(side);
  const ssize_t count = ::recv(mine.fd, room.data(), room.size(), 0);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) return ended(side);
  bytes_ += static_cast<std::uint64_t>(count);
  std::string_view bytes(room.data(), static_cast<std::size_t>(count));
  if (side == Side::kServer && asked_server_for_tls_) return asked_for_tls(bytes);
  if (mine.tls != nullptr && !decrypt(side, bytes)) return;
  if (conversation_->needs_time()) conversation_->at(std::chrono::steady_clock::now().time_since_epoch().count());
  ByteQueue& to_server = end(Side::kServer).out;
  ByteQueue& to_client = end(Side::kClient).out;
  if (side == Side::kServer) {
    conversation_->from_server(bytes, to_client);
  } else {
    conversation_->from_client(bytes, to_server, to_client);
  }
  if (conversation_->broken())
    return refuse(Refusal::kUnreadable, "isolde proxy: the conversation cannot be read any more");
  if (conversation_->refused()) closing_ = true;
  if (conversation_->starts_tls()) {
    // The answer to the request itself is the last plain byte.
    mine.wire.append(mine.out.view());
    mine.out.consume(mine.out.size());
    mine.tls = std::make_unique<TlsEnd>(client_tls_.context);
  }
  if (conversation_->wants_server() && end(Side::kServer).fd < 0 && !closing_ && !waits_to_connect_) try_connect();
}

// False: there is nothing to read in it (yet).
bool Pair::decrypt(Side side, std::string_view& bytes) {
  End& mine = end(side);
  plain_.clear();
  if (!mine.tls->receive(bytes, plain_, mine.wire)) {
    if (side == Side::kServer)
      refuse(Refusal::kNoServer, fmt::format("isolde proxy: TLS with {}: {}", upstream_.shown(), mine.tls->fault()));
    ended(side);
    return false;
  }
  bytes = plain_;
  return !plain_.empty();
}

// The server's answer to the request for TLS is one byte, and nothing behind it.
void Pair::asked_for_tls(std::string_view bytes) {
  asked_server_for_tls_ = false;
  End& server = end(Side::kServer);
  if (bytes != "S") {
    refuse(Refusal::kNoServer, fmt::format("isolde proxy: {} takes no TLS", upstream_.shown()));
    server.gone = server.ended = true;
    return;
  }
  server.tls = std::make_unique<TlsEnd>(upstream_.tls());
  std::string_view nothing;
  static_cast<void>(decrypt(Side::kServer, nothing));
}

// A side that reset its connection is as good as ended: what it sent before is delivered.
void Pair::ended(Side side) {
  End& mine = end(side);
  mine.ended = true;
  if (side == Side::kClient) {
    conversation_->end_of_client(end(Side::kServer).out);
  } else {
    conversation_->end_of_server(end(Side::kClient).out);
  }
  if (side == Side::kServer || end(Side::kServer).fd < 0) closing_ = true;
}

void Pair::send(Side side) {
  End& mine = end(side);
  if (mine.fd < 0 || (side == Side::kServer && !connected_)) return;
  if (mine.tls != nullptr && !mine.out.empty()) {
    if (!mine.tls->send(mine.out.view(), mine.wire)) mine.gone = true;
    mine.out.consume(mine.out.size());
  }
  if (mine.gone) {
    mine.out.consume(mine.out.size());
    mine.wire.consume(mine.wire.size());
  }
  // What went out in plain before TLS stands in `wire`, too.
  ByteQueue& queue = mine.tls != nullptr || !mine.wire.empty() ? mine.wire : mine.out;
  if (&queue == &mine.out && side == Side::kServer && asked_server_for_tls_) return;
  while (!queue.empty()) {
    const std::string_view bytes = queue.view();
    const ssize_t count = ::send(mine.fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      if (errno == EAGAIN) return;
      queue.consume(queue.size());
      mine.gone = true;
      return;
    }
    queue.consume(static_cast<std::size_t>(count));
  }
}

// After everything that could be done: whether a side is to be told the end, and whether all is over.
void Pair::settle() {
  send(Side::kServer);
  send(Side::kClient);
  if (over_) return;
  End& server = end(Side::kServer);
  const End& client = end(Side::kClient);
  if (closing_ && waiting(client) == 0) {
    over_ = true;
  } else if (client.gone && client.ended && waiting(server) == 0) {
    over_ = true;  // it takes no answers any more, and the server has all that it said
  } else if (client.ended && connected_ && waiting(server) == 0 && !server.shut) {
    server.shut = true;
    ::shutdown(server.fd, SHUT_WR);
  }
}

void Pair::ready(Side side, std::uint32_t events, std::span<char> room) {
  if (over_) return;
  if (side == Side::kServer && !connected_ && (events & (EPOLLOUT | EPOLLERR | EPOLLHUP)) != 0) {
    int number = 0;
    socklen_t length = sizeof number;
    ::getsockopt(end(side).fd, SOL_SOCKET, SO_ERROR, &number, &length);
    if (number == 0) {
      connected_ = true;
      if (upstream_.tls() != nullptr) {
        asked_server_for_tls_ = true;
        end(side).wire.append(kAsksForTls);
      }
    } else {
      refuse(Refusal::kNoServer,
             fmt::format("isolde proxy: cannot connect to {}: {}", upstream_.shown(), std::strerror(number)));
      end(side).gone = end(side).ended = true;
    }
  } else if ((wanted_events(side) & EPOLLIN) != 0 && (events & (EPOLLIN | EPOLLERR | EPOLLHUP)) != 0) {
    receive(side, room);
  }
}

}  // namespace isolde::proxy
