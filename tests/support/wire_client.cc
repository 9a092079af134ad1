#include "tests/support/wire_client.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

#include "proxy/postgres/numbers.h"

namespace isolde::test {
namespace {

using proxy::postgres::put_u16;
using proxy::postgres::put_u32;
using proxy::postgres::u16_at;
using proxy::postgres::u32_at;

constexpr std::uint32_t kFirstOwnOid = 16384;  // below it are the system's own

void put_text(std::string& to, std::string_view text) {
  to += text;
  to.push_back('\0');
}

}  // namespace

std::string shown(const WireMessage& message) {
  std::string out = fmt::format("{} [{}] ", message.type == 0 ? '-' : message.type, message.body.size());
  for (const char c : message.body.substr(0, 300)) {
    if (c >= ' ' && c < 127) {
      out.push_back(c);
    } else {
      out += fmt::format("\\{:02x}", static_cast<unsigned char>(c));
    }
  }
  return out + "\n";
}

std::string shown(const std::vector<WireMessage>& messages) {
  std::string out;
  for (const WireMessage& message : messages) out += shown(message);
  return out;
}

WireMessage comparable(WireMessage message) {
  if (message.type == 'K' || message.type == 'A') message.body.clear();
  if (message.type != 'T') return message;
  std::size_t at = 2;
  for (std::uint16_t i = 0; i < u16_at(message.body, 0); ++i) {
    at = message.body.find('\0', at) + 1;
    if (u32_at(message.body, at) != 0) message.body.replace(at, 4, "\x7f\x7f\x7f\x7f");
    // The type of a table's rows.
    if (u32_at(message.body, at + 6) >= kFirstOwnOid) message.body.replace(at + 6, 4, "\x7f\x7f\x7f\x7f");
    at += 18;
  }
  return message;
}

WireClient::WireClient(const std::string& address) {
  sockaddr_un local{};
  sockaddr_in remote{};
  sockaddr* to = nullptr;
  socklen_t length = 0;
  if (address.starts_with("unix:")) {
    local.sun_family = AF_UNIX;
    std::strncpy(local.sun_path, address.c_str() + 5, sizeof local.sun_path - 1);
    to = reinterpret_cast<sockaddr*>(&local);
    length = sizeof local;
  } else {
    remote.sin_family = AF_INET;
    remote.sin_port = htons(static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1))));
    remote.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    to = reinterpret_cast<sockaddr*>(&remote);
    length = sizeof remote;
  }
  fd_ = ::socket(to->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd_ >= 0 && ::connect(fd_, to, length) != 0) close();
}

WireClient::~WireClient() { close(); }

void WireClient::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

void WireClient::shut_write() const { ::shutdown(fd_, SHUT_WR); }

void WireClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

bool WireClient::fill() {
  char room[65536];
  const ssize_t count = ::recv(fd_, room, sizeof room, 0);
  if (count <= 0) return false;
  in_.append(room, static_cast<std::size_t>(count));
  return true;
}

std::string WireClient::bytes(std::size_t count) {
  while (in_.size() < count && fill()) {
  }
  std::string out = in_.substr(0, count);
  in_.erase(0, count);
  return out;
}

WireMessage WireClient::next() {
  const std::string head = bytes(5);
  if (head.size() < 5) return {0, head};
  return {head[0], bytes(u32_at(head, 1) - 4)};
}

std::vector<WireMessage> WireClient::until_ready(std::size_t times) {
  std::vector<WireMessage> out;
  while (times > 0) {
    out.push_back(next());
    if (out.back().type == 0) break;
    if (out.back().type == 'Z') --times;
  }
  return out;
}

std::vector<WireMessage> WireClient::log_in(const std::string& user, const std::string& database) {
  send(wire_startup(user, database));
  return until_ready(1);
}

std::string wire_startup(const std::string& user, const std::string& database) {
  std::string body;
  put_u32(body, 196608);
  for (const std::string_view text :
       {std::string_view("user"), std::string_view(user), std::string_view("database"), std::string_view(database)})
    put_text(body, text);
  body.push_back('\0');
  std::string out;
  put_u32(out, static_cast<std::uint32_t>(body.size() + 4));
  return out + body;
}

std::string wire_message(char type, std::string_view body) { return proxy::postgres::message(type, body); }

std::string wire_query(std::string_view sql) {
  std::string body;
  put_text(body, sql);
  return wire_message('Q', body);
}

std::string wire_parse(std::string_view name, std::string_view sql) {
  std::string body;
  put_text(body, name);
  put_text(body, sql);
  put_u16(body, 0);
  return wire_message('P', body);
}

std::string wire_bind(std::string_view portal, std::string_view statement, const std::vector<std::string>& parameters,
                      bool binary_results) {
  std::string body;
  put_text(body, portal);
  put_text(body, statement);
  put_u16(body, 0);
  put_u16(body, static_cast<std::uint16_t>(parameters.size()));
  for (const std::string& parameter : parameters) {
    put_u32(body, static_cast<std::uint32_t>(parameter.size()));
    body += parameter;
  }
  if (binary_results) {
    put_u16(body, 1);
    put_u16(body, 1);
  } else {
    put_u16(body, 0);
  }
  return wire_message('B', body);
}

std::string wire_describe(char kind, std::string_view name) {
  std::string body(1, kind);
  put_text(body, name);
  return wire_message('D', body);
}

std::string wire_execute(std::string_view portal, std::uint32_t most_rows) {
  std::string body;
  put_text(body, portal);
  put_u32(body, most_rows);
  return wire_message('E', body);
}

std::string wire_close(char kind, std::string_view name) {
  std::string body(1, kind);
  put_text(body, name);
  return wire_message('C', body);
}

}  // namespace isolde::test
