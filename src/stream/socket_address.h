// stream/socket_address.h: "unix:PATH", "tcp:PORT", "tcp:HOST:PORT" -> a socket that listens there.
//
// Always:  a unix socket's file is its owner's alone (mode 0600); one that is there already is replaced only if it is a
//          socket that nobody listens on. A TCP port is on 127.0.0.1 unless a host is given, and needs a token
//          everywhere: whoever has an account on the machine can connect to it.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/result.h"

namespace isolde::stream {

class ListeningSocket {
 public:
  [[nodiscard]] static Result<ListeningSocket> open(const std::string& address, bool has_token);
  ListeningSocket(ListeningSocket&& other) noexcept;
  ListeningSocket& operator=(ListeningSocket&&) = delete;
  ~ListeningSocket();  // removes the unix socket's file, if it is still this one

  [[nodiscard]] int fd() const { return fd_; }
  [[nodiscard]] const std::string& shown() const { return shown_; }  // with the port that was chosen, if 0 was asked

 private:
  ListeningSocket() = default;
  [[nodiscard]] Result<void> open_unix(const std::string& path);
  [[nodiscard]] Result<void> open_tcp(const std::string& host, const std::string& port, bool has_token);

  int fd_ = -1;
  std::string shown_;
  std::string file_;  // of a unix socket
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

// Who is at the other end: "10.0.0.5:4711", or "" for a unix socket.
[[nodiscard]] std::string peer_of(int fd);

}  // namespace isolde::stream
