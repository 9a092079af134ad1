#include "stream/socket_address.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "base/text.h"

namespace isolde::stream {
namespace {

constexpr int kBacklog = 128;

std::string address_text(const sockaddr_storage& address, socklen_t length) {
  char host[NI_MAXHOST];
  char port[NI_MAXSERV];
  if (::getnameinfo(reinterpret_cast<const sockaddr*>(&address), length, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    return {};
  }
  return address.ss_family == AF_INET6 ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

}  // namespace

std::string peer_of(int fd) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  if (::getpeername(fd, reinterpret_cast<sockaddr*>(&address), &length) != 0) return {};
  if (address.ss_family != AF_INET && address.ss_family != AF_INET6) return {};
  return address_text(address, length);
}

ListeningSocket::ListeningSocket(ListeningSocket&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      shown_(std::move(other.shown_)),
      file_(std::exchange(other.file_, {})),
      device_(other.device_),
      inode_(other.inode_) {}

ListeningSocket::~ListeningSocket() {
  struct stat now{};
  if (!file_.empty() && ::lstat(file_.c_str(), &now) == 0 && now.st_dev == device_ && now.st_ino == inode_) {
    ::unlink(file_.c_str());
  }
  if (fd_ >= 0) ::close(fd_);
}

Result<ListeningSocket> ListeningSocket::open(const std::string& address, bool has_token) {
  ListeningSocket socket;
  if (address.starts_with("unix:")) {
    if (auto good = socket.open_unix(address.substr(5)); !good) return good.error();
    return socket;
  }
  if (!address.starts_with("tcp:")) {
    return Error{fmt::format("expected unix:PATH, tcp:PORT or tcp:HOST:PORT, not {}", address)};
  }
  const std::string rest = address.substr(4);
  const std::size_t colon = rest.rfind(':');
  std::string host = colon == std::string::npos ? "127.0.0.1" : rest.substr(0, colon);
  const std::string port = colon == std::string::npos ? rest : rest.substr(colon + 1);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  const bool is_port = port.size() <= 5 && is_all_digits(port) && std::stoul(port) <= 65535;
  if (!is_port || host.empty()) {
    return Error{fmt::format("expected tcp:PORT or tcp:HOST:PORT with a port of at most 65535, not {}", address)};
  }
  if (auto good = socket.open_tcp(host, port, has_token); !good) return good.error();
  return socket;
}

Result<void> ListeningSocket::open_unix(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path) {
    return Error{fmt::format("expected unix:PATH with a path of 1 to {} bytes", sizeof address.sun_path - 1), path};
  }
  std::memcpy(address.sun_path, path.c_str(), path.size());
  const auto* const generic = reinterpret_cast<const sockaddr*>(&address);
  struct stat there{};
  if (::lstat(path.c_str(), &there) == 0) {
    if (!S_ISSOCK(there.st_mode)) return Error{"is there already, and is no socket", path};
    const int probe = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (probe < 0) return errno_error("cannot make a socket", path);
    // EAGAIN: its queue is full, so somebody listens.
    const bool stale = ::connect(probe, generic, sizeof address) != 0 && errno == ECONNREFUSED;
    ::close(probe);
    if (!stale) return Error{"somebody listens there already", path};
    if (::unlink(path.c_str()) != 0) return errno_error("cannot remove the socket that nobody listens on", path);
  }
  fd_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd_ < 0) return errno_error("cannot make a socket", path);
  // The mode of the socket is that of its file, from the moment that there is one.
  if (::fchmod(fd_, 0600) != 0 || ::bind(fd_, generic, sizeof address) != 0) return errno_error("cannot listen", path);
  struct stat made{};
  if (::lstat(path.c_str(), &made) != 0) return errno_error("cannot listen", path);
  file_ = path;
  device_ = made.st_dev;
  inode_ = made.st_ino;
  if (((made.st_mode & 0777) != 0600 && ::chmod(path.c_str(), 0600) != 0) || ::listen(fd_, kBacklog) != 0) {
    return errno_error("cannot listen", path);
  }
  shown_ = "unix:" + path;
  return {};
}

Result<void> ListeningSocket::open_tcp(const std::string& host, const std::string& port, bool has_token) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const std::string address = fmt::format("tcp:{}:{}", host, port);
  if (!has_token) return Error{"others can reach a TCP port, so a token is needed (or unix:PATH)", address};
  if (const int code = ::getaddrinfo(host.c_str(), port.c_str(), &hints, &found); code != 0) {
    return Error{fmt::format("cannot find the host: {}", ::gai_strerror(code)), address};
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, &::freeaddrinfo);
  fd_ = ::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd_ < 0) return errno_error("cannot make a socket", address);
  const int on = 1;
  ::setsockopt(fd_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(fd_, found->ai_addr, found->ai_addrlen) != 0 || ::listen(fd_, kBacklog) != 0) {
    return errno_error("cannot listen", address);
  }
  sockaddr_storage bound{};
  socklen_t length = sizeof bound;
  if (::getsockname(fd_, reinterpret_cast<sockaddr*>(&bound), &length) != 0)
    return errno_error("cannot listen", address);
  shown_ = "tcp:" + address_text(bound, length);
  return {};
}

}  // namespace isolde::stream
