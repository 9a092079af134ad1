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

Side other(Side side) { return side == Side::kClient ? Side::kServer : Side::kClient; }

}  // namespace

Pair::Pair(int client, const Upstream& upstream, std::unique_ptr<Conversation> conversation, bool full)
    : upstream_(upstream), conversation_(std::move(conversation)), full_(full) {
  end(Side::kClient).fd = client;
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
  if (!mine.out.empty()) events |= EPOLLOUT;
  // What a client sends while its server is not there yet is held back with the rest.
  const bool room = end(other(side)).out.size() < kMostWaiting;
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
  const std::string_view bytes(room.data(), static_cast<std::size_t>(count));
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
  if (conversation_->wants_server() && end(Side::kServer).fd < 0 && !closing_ && !waits_to_connect_) try_connect();
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
  if (mine.gone) mine.out.consume(mine.out.size());
  while (!mine.out.empty()) {
    const std::string_view bytes = mine.out.view();
    const ssize_t count = ::send(mine.fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      if (errno == EAGAIN) return;
      mine.out.consume(mine.out.size());
      mine.gone = true;
      return;
    }
    mine.out.consume(static_cast<std::size_t>(count));
  }
}

// After everything that could be done: whether a side is to be told the end, and whether all is over.
void Pair::settle() {
  send(Side::kServer);
  send(Side::kClient);
  if (over_) return;
  End& server = end(Side::kServer);
  const End& client = end(Side::kClient);
  if (closing_ && client.out.empty()) {
    over_ = true;
  } else if (client.gone && client.ended && server.out.empty()) {
    over_ = true;  // it takes no answers any more, and the server has all that it said
  } else if (client.ended && connected_ && server.out.empty() && !server.shut) {
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
    } else {
      refuse(Refusal::kNoServer,
             fmt::format("isolde proxy: cannot connect to {}: {}", upstream_.shown(), std::strerror(number)));
      end(side).gone = end(side).ended = true;
    }
  } else if ((wanted_events(side) & EPOLLIN) != 0 && (events & (EPOLLIN | EPOLLERR | EPOLLHUP)) != 0) {
    receive(side, room);
  }
  settle();
}

}  // namespace isolde::proxy
