// stream/testing.h: what the tests of inputs share: lines, a peer that talks to a listening input, all pieces of one.
#pragma once

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/scratch_folder.h"
#include "stream/input.h"

namespace isolde::stream::testing {

using std::chrono::milliseconds;

struct Scratch {
  Scratch() : path(make_scratch_folder("inputs-test")) {}
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] std::string operator/(std::string_view name) const { return path + "/" + std::string(name); }
  std::string path;
};

inline std::string line(int session, int value) {
  return fmt::format("{{\"session\":{},\"ops\":[[\"w\",\"x\",{}]]}}\n", session, value);
}
inline std::string lines(int session, int from, int to) {
  std::string out;
  for (int value = from; value <= to; ++value) out += line(session, value);
  return out;
}

// What was written, in the order of transactions: "1:5" is session 1, value 5.
inline void append_writes(const Chunk& chunk, std::vector<std::string>& out) {
  const History& h = chunk.history;
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    for (auto op = h.first_op(TxnId{t}); op < h.end_op(TxnId{t}); ++op) {
      out.push_back(fmt::format("{}:{}", integer_of(chunk.session(TxnId{t})), integer_of(chunk.value(h.op_value(op)))));
    }
  }
}
inline std::vector<std::string> writes_of(const std::vector<Piece>& pieces) {
  std::vector<std::string> out;
  for (const Piece& piece : pieces) append_writes(*piece.chunk, out);
  return out;
}
inline std::vector<std::string> expected_writes(int session, int from, int to) {
  std::vector<std::string> out;
  for (int value = from; value <= to; ++value) out.push_back(fmt::format("{}:{}", session, value));
  return out;
}

// Everything that an input gives until it is over, or until `enough` says so.
struct Heard {
  std::vector<Piece> pieces;
  std::vector<std::string> notices;
  std::vector<Fingerprint> gone;
  std::string error;
  bool over = false;

  template <typename Enough>
  void listen(Input& input, Enough&& enough) {
    while (!over && error.empty() && !enough()) {
      auto next = input.next(milliseconds(20));
      if (!next) {
        error = next.error().message();
        return;
      }
      if (next->piece) pieces.push_back(*std::move(next->piece));
      notices.insert(notices.end(), next->notices.begin(), next->notices.end());
      gone.insert(gone.end(), next->gone.begin(), next->gone.end());
      over = next->over;
    }
  }
  void listen(Input& input) {
    listen(input, [] { return false; });
  }
  void until_writes(Input& input, std::size_t count) {
    listen(input, [&] { return writes_of(pieces).size() >= count; });
  }
  [[nodiscard]] bool noticed(std::string_view text) const {
    for (const std::string& notice : notices) {
      if (notice.find(text) != std::string::npos) return true;
    }
    return false;
  }
};

// The other end of a connection, which never waits by itself: the test lets the input work in between.
class Peer {
 public:
  // `address` as a listening input shows it.
  explicit Peer(const std::string& address) {
    if (address.starts_with("unix:")) {
      sockaddr_un to{};
      to.sun_family = AF_UNIX;
      std::memcpy(to.sun_path, address.c_str() + 5, address.size() - 5);
      fd_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
      connected_ = ::connect(fd_, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0;
    } else {
      sockaddr_in to{};
      to.sin_family = AF_INET;
      to.sin_port = htons(static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1))));
      to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      fd_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
      connected_ = ::connect(fd_, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0;
    }
  }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  Peer(Peer&& other) noexcept : fd_(std::exchange(other.fd_, -1)), connected_(other.connected_) {}
  ~Peer() { hang_up(); }

  [[nodiscard]] bool connected() const { return connected_; }
  // How much of it went out before the other side would have had to read.
  std::size_t send(std::string_view text) {
    std::size_t sent = 0;
    while (sent < text.size()) {
      const ssize_t now = ::send(fd_, text.data() + sent, text.size() - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
      if (now <= 0) break;
      sent += static_cast<std::size_t>(now);
    }
    return sent;
  }
  void done() { ::shutdown(fd_, SHUT_WR); }
  void hang_up() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }
  // What came from the other side until now.
  const std::string& heard() {
    char bytes[4096];
    for (;;) {
      const ssize_t got = ::recv(fd_, bytes, sizeof bytes, MSG_DONTWAIT);
      if (got > 0) {
        heard_.append(bytes, static_cast<std::size_t>(got));
        continue;
      }
      if (got == 0) closed_ = true;
      if (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK) closed_ = true;
      return heard_;
    }
  }
  [[nodiscard]] bool heard(std::string_view text) { return heard().find(text) != std::string::npos; }
  // Whether the other side has closed.
  [[nodiscard]] bool closed() {
    heard();
    return closed_;
  }

 private:
  int fd_ = -1;
  bool connected_ = false;
  bool closed_ = false;
  std::string heard_;
};

// The address in an input's first notice.
inline std::string address_of(Input& input) {
  const auto first = input.next(milliseconds(0));
  if (!first || first->notices.empty()) return {};
  constexpr std::string_view kBefore = "listening on ";
  return first->notices[0].substr(kBefore.size());
}

}  // namespace isolde::stream::testing
