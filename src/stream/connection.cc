#include "stream/connection.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace isolde::stream {
namespace {

constexpr std::size_t kReceiveStep = std::size_t{64} << 10;

}  // namespace

Connection::~Connection() { ::close(fd); }

Connection::Got Connection::receive(std::size_t enough, std::uint64_t& bytes) {
  bool some = false;
  while (buffer.whole().size() < enough && !buffer.too_long()) {
    const ssize_t got = ::recv(fd, buffer.room(kReceiveStep), kReceiveStep, MSG_DONTWAIT);
    const int failed = errno;
    buffer.filled(got > 0 ? static_cast<std::size_t>(got) : 0);
    if (got == 0) return Got::kEnd;
    if (got < 0) {
      if (failed == EINTR) continue;
      if (failed == EAGAIN || failed == EWOULDBLOCK) break;
      return Got::kBroken;
    }
    some = true;
    bytes += static_cast<std::uint64_t>(got);
    // A line may not grow within one visit beyond what is shared fairly.
    if (buffer.rest().size() > enough) break;
  }
  return some ? Got::kSome : Got::kNothing;
}

bool Connection::drain() const {
  char thrown_away[kReceiveStep / 4];
  for (int i = 0; i < 16; ++i) {
    const ssize_t got = ::recv(fd, thrown_away, sizeof thrown_away, MSG_DONTWAIT);
    if (got == 0) return true;
    if (got < 0) return errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR;
  }
  return false;
}

void Connection::say(std::string_view line) {
  write_acknowledgement();  // in the order in which things happened
  out_ += line;
}

void Connection::write_acknowledgement() {
  if (acknowledge_) out_ += fmt::format("{{\"ack\": {}}}\n", sender.lines);
  acknowledge_ = false;
}

bool Connection::flush() {
  for (;;) {
    if (out_.empty()) write_acknowledgement();
    if (out_.empty()) return true;
    const ssize_t sent = ::send(fd, out_.data(), out_.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0) {
      if (errno == EINTR) continue;
      return errno == EAGAIN || errno == EWOULDBLOCK;
    }
    out_.erase(0, static_cast<std::size_t>(sent));
  }
}

}  // namespace isolde::stream
