// tests/fuzz/proxy_mysql_talk.h: a conversation in MySQL's protocol up to the point where one side says anything.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "proxy/mysql/conversation.h"
#include "proxy/mysql/numbers.h"
#include "tests/fuzz/format_fuzz.h"

namespace isolde::fuzz {

inline std::string mysql_packet(int sequence, std::string_view body) {
  std::string out;
  proxy::mysql::put_integer(out, body.size(), 3);
  out.push_back(static_cast<char>(sequence));
  return out.append(body);
}

inline std::string mysql_greeting() {
  using proxy::mysql::put_integer;
  std::string body(
      "\x0a"
      "5.5.5-10.11\0"
      "1234"
      "abcdefgh\0",
      26);
  put_integer(body, 0xf7fe, 2);
  put_integer(body, 45, 1);
  put_integer(body, 2, 2);
  put_integer(body, 0x81ff, 2);
  put_integer(body, 21, 1);
  body.append(6, '\0');
  put_integer(body, 0x1d, 4);
  return mysql_packet(0, body + "ijklmnopqrst");
}

inline void mysql_log_in(proxy::mysql::Conversation& conversation, bool newer_ends, proxy::ByteQueue& to_server,
                         proxy::ByteQueue& to_client) {
  using namespace proxy::mysql;
  std::string body;
  put_integer(body, kProtocol41 | kSecureConnection | (newer_ends ? kDeprecateEof : 0), 4);
  body.resize(32);
  body += std::string("me\0\0", 4);
  conversation.from_client(mysql_packet(1, body), to_server, to_client);
  conversation.from_server(mysql_packet(2, std::string("\0\0\0\2\0\0\0", 7)), to_client);
}

// Commands of every kind, beginning with a different one.
inline std::string mysql_commands(unsigned first) {
  static constexpr std::string_view kCodes = "\x03\x16\x17\x1c\x04\x11\x09\x0e\x1b\x0a\xfa\x18\x19";
  std::string out;
  for (std::size_t i = 0; i < kCodes.size(); ++i)
    out += mysql_packet(0, std::string(1, kCodes[(i + first) % kCodes.size()]) + std::string("x\0y\0z", 5));
  return out;
}

class MysqlEcho : public proxy::mysql::Listener {
 public:
  void logged_in(const proxy::mysql::Login&) override {}
  void command(std::uint64_t, const proxy::mysql::Packet& packet) override {
    require(packet.body.size() <= packet.length, "a body that is longer than its packet");
  }
  void answer(const proxy::mysql::Answer& answer, const proxy::mysql::Packet& packet) override {
    require(answer.fits, "a packet that does not fit was heard");
    require(packet.body.size() <= packet.length, "a body that is longer than its packet");
  }
  void lost_track() override {}
  void closed() override {}
};

inline std::unique_ptr<proxy::mysql::Listener> mysql_listener(unsigned choice) {
  if (choice % 8 < 4) return nullptr;
  return std::make_unique<MysqlEcho>();
}

}  // namespace isolde::fuzz
