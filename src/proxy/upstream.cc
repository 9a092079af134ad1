#include "proxy/upstream.h"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

#include "db/product.h"

namespace isolde::proxy {
namespace {

constexpr std::uint16_t kPostgresPort = 5432, kMysqlPort = 3306;

// The file of a server's unix socket: libpq's own name for it, or those that MariaDB and MySQL have in their folders.
std::string socket_file(const db::Url& url, const std::string& folder, std::uint16_t port) {
  if (!speaks_mysql(url)) return fmt::format("{}/.s.PGSQL.{}", folder, port);
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) return folder;
  for (const char* const name : {"mariadb.sock", "mysqld.sock"}) {
    if (std::filesystem::exists(folder + "/" + name, ignored)) return folder + "/" + name;
  }
  return folder + "/mysqld.sock";
}

Result<void> unix_address(const std::string& path, sockaddr_storage& to, socklen_t& length) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return Error{"the path of the server's socket is too long", path};
  std::memcpy(address.sun_path, path.c_str(), path.size());
  std::memcpy(&to, &address, sizeof address);
  length = sizeof address;
  return {};
}

bool reaches(const sockaddr* address, socklen_t length) {
  const int probe = ::socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (probe < 0) return false;
  const bool connected = ::connect(probe, address, length) == 0;
  const int number = errno;
  ::close(probe);
  errno = number;
  return connected;
}

std::string option_of(const db::Url& url, std::string_view name) {
  for (const auto& [option, value] : url.options) {
    if (option == name) return value;
  }
  return {};
}

// As libpq reads sslmode and sslrootcert, except that nothing is tried without TLS where it is asked for.
Result<std::shared_ptr<const TlsContext>> tls_of(const db::Url& url) {
  const std::string mode = option_of(url, "sslmode"), authorities = option_of(url, "sslrootcert");
  if (mode.empty() || mode == "disable" || mode == "prefer" || mode == "allow")
    return std::shared_ptr<const TlsContext>();
  if (speaks_mysql(url))
    return Error{
        fmt::format("TLS to a MariaDB server (sslmode={}) is not supported: use its unix socket, or loopback, or "
                    "a tunnel",
                    mode)};
  if (mode == "require") return TlsContext::for_server(authorities, {});
  if (mode != "verify-ca" && mode != "verify-full") return Error{fmt::format("sslmode={} is not known", mode)};
  if (authorities.empty()) return Error{fmt::format("sslmode={} needs sslrootcert=FILE", mode)};
  return TlsContext::for_server(authorities, mode == "verify-full" ? url.host : std::string());
}

}  // namespace

bool speaks_mysql(const db::Url& url) {
  const db::Product* const product = db::find_product(url.scheme);
  return product != nullptr && product->family == db::Family::kMysql;
}

Result<Upstream> Upstream::find(const db::Url& url) {
  Upstream found;
  auto tls = tls_of(url);
  if (!tls) return std::move(tls).error();
  found.tls_ = *std::move(tls);
  const std::uint16_t port = url.port != 0 ? url.port : speaks_mysql(url) ? kMysqlPort : kPostgresPort;
  std::string host = url.host.empty() ? option_of(url, "host") : url.host;
  if (host.empty()) host = "localhost";
  if (host.starts_with('/')) {
    found.shown_ = socket_file(url, host, port);
    if (auto made = unix_address(found.shown_, found.address_, found.length_); !made) return made.error();
    if (!reaches(reinterpret_cast<const sockaddr*>(&found.address_), found.length_))
      return errno_error("cannot connect to the server", found.shown_);
    return found;
  }
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* list = nullptr;
  found.shown_ = fmt::format("{}:{}", host, port);
  if (const int code = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list); code != 0)
    return Error{fmt::format("cannot find the host: {}", ::gai_strerror(code)), found.shown_};
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(list, &::freeaddrinfo);
  for (const addrinfo* at = list; at != nullptr; at = at->ai_next) {
    if (!reaches(at->ai_addr, at->ai_addrlen)) continue;
    std::memcpy(&found.address_, at->ai_addr, at->ai_addrlen);
    found.length_ = at->ai_addrlen;
    return found;
  }
  return errno_error("cannot connect to the server", found.shown_);
}

int Upstream::connect() const {
  const int fd = ::socket(address_.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  tune_socket(fd);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address_), length_) == 0 || errno == EINPROGRESS) return fd;
  const int number = errno;
  ::close(fd);
  errno = number;
  return -1;
}

void tune_socket(int fd) {
  const int on = 1;
  // Neither is for unix sockets, where the calls fail and nothing is lost.
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  ::setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
}

}  // namespace isolde::proxy
