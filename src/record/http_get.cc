#include "record/http_get.h"

#include <fmt/format.h>
#include <netdb.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>

namespace isolde::record {
namespace {

constexpr std::size_t kLongestAnswer = std::size_t{256} << 20;
constexpr timeval kPatience = {.tv_sec = 30, .tv_usec = 0};

class Socket {
 public:
  explicit Socket(int file) : file_(file) {}
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  Socket(Socket&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  ~Socket() {
    if (file_ >= 0) close(file_);
  }
  [[nodiscard]] int file() const { return file_; }

 private:
  int file_;
};

Result<Socket> connected(const std::string& host, std::uint16_t port) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int code = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found); code != 0)
    return Error{fmt::format("{}: {}", host, gai_strerror(code))};
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> all(found, freeaddrinfo);
  int last = 0;
  for (const addrinfo* address = found; address != nullptr; address = address->ai_next) {
    Socket socket(::socket(address->ai_family, address->ai_socktype | SOCK_CLOEXEC, address->ai_protocol));
    if (socket.file() < 0) continue;
    setsockopt(socket.file(), SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof kPatience);
    setsockopt(socket.file(), SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof kPatience);
    if (connect(socket.file(), address->ai_addr, address->ai_addrlen) == 0) return socket;
    last = errno;
  }
  return Error{fmt::format("cannot connect to {}:{}: {}", host, port, std::strerror(last))};
}

// "Name: value" of the head, its name in any case; empty if it is not there.
std::string header(std::string_view head, std::string_view name) {
  while (!head.empty()) {
    const std::size_t end = std::min(head.find("\r\n"), head.size());
    std::string_view line = head.substr(0, end);
    head.remove_prefix(std::min(end + 2, head.size()));
    const std::size_t colon = line.find(':');
    if (colon != name.size() || strncasecmp(line.data(), name.data(), name.size()) != 0) continue;
    line.remove_prefix(colon + 1);
    while (line.starts_with(' ')) line.remove_prefix(1);
    return std::string(line);
  }
  return {};
}

Result<std::string> unchunked(std::string_view text) {
  std::string body;
  for (;;) {
    const std::size_t end = text.find("\r\n");
    std::size_t size = 0;
    if (end == std::string_view::npos || std::from_chars(text.data(), text.data() + end, size, 16).ec != std::errc{})
      return Error{"an HTTP answer is cut off"};
    text.remove_prefix(end + 2);
    if (size == 0) return body;
    if (size > text.size() || text.size() - size < 2) return Error{"an HTTP answer is cut off"};
    body += text.substr(0, size);
    text.remove_prefix(size + 2);
  }
}

}  // namespace

Result<HttpAnswer> parse_http(std::string_view raw) {
  const std::size_t end = raw.find("\r\n\r\n");
  HttpAnswer answer;
  const std::string_view first = raw.substr(0, std::min(raw.find("\r\n"), raw.size()));
  const bool is_http = first.starts_with("HTTP/1.") && first.size() >= 12 &&
                       std::from_chars(first.data() + 9, first.data() + 12, answer.status).ec == std::errc{};
  if (!is_http || end == std::string_view::npos) return Error{"the answer is not HTTP"};
  const std::string_view head = raw.substr(0, end);
  const std::string_view body = raw.substr(end + 4);
  if (header(head, "Transfer-Encoding") == "chunked") {
    auto whole = unchunked(body);
    if (!whole) return std::move(whole).error();
    answer.body = *std::move(whole);
    return answer;
  }
  if (const std::string length = header(head, "Content-Length"); !length.empty()) {
    std::size_t size = 0;
    const auto [stop, error] = std::from_chars(length.data(), length.data() + length.size(), size);
    if (error != std::errc{} || size > body.size()) return Error{"an HTTP answer is cut off"};
    answer.body = body.substr(0, size);
    return answer;
  }
  answer.body = body;
  return answer;
}

Result<HttpAnswer> http_get(const std::string& host, std::uint16_t port, std::string_view path) {
  auto socket = connected(host, port);
  if (!socket) return std::move(socket).error();
  const std::string request =
      fmt::format("GET {} HTTP/1.1\r\nHost: {}:{}\r\nConnection: close\r\nAccept: application/json\r\n\r\n", path,
                  host.find(':') == std::string::npos ? host : "[" + host + "]", port);
  for (std::size_t sent = 0; sent < request.size();) {
    const ssize_t n = send(socket->file(), request.data() + sent, request.size() - sent, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return Error{fmt::format("cannot send to {}:{}: {}", host, port, std::strerror(errno))};
    sent += static_cast<std::size_t>(n);
  }
  std::string raw;
  std::array<char, 65536> buffer;
  for (;;) {
    const ssize_t n = recv(socket->file(), buffer.data(), buffer.size(), 0);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Error{fmt::format("cannot read from {}:{}: {}", host, port, std::strerror(errno))};
    if (n == 0) break;
    raw.append(buffer.data(), static_cast<std::size_t>(n));
    if (raw.size() > kLongestAnswer) return Error{fmt::format("{}:{} answers with more than 256 MB", host, port)};
  }
  return parse_http(raw);
}

std::string url_encoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                       c == '_' || c == '.' || c == '~';
    if (plain) {
      out += c;
    } else {
      fmt::format_to(std::back_inserter(out), "%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

}  // namespace isolde::record
