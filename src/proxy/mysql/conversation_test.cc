#include "proxy/mysql/conversation.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "proxy/mysql/numbers.h"

namespace isolde::proxy::mysql {
namespace mysql_conversation_test {

std::string packet(int sequence, std::string_view body) {
  std::string out;
  put_integer(out, body.size(), 3);
  out.push_back(static_cast<char>(sequence));
  return out.append(body);
}

// As MariaDB's: everything is offered.
std::string greeting(std::uint64_t own = 0x1d) {
  std::string body(1, '\x0a');
  body += std::string("5.5.5-10.11.6-MariaDB\0", 22);
  put_integer(body, 7, 4);
  body += "abcdefgh";
  body.push_back('\0');
  put_integer(body, 0xf7fe, 2);
  put_integer(body, 45, 1);
  put_integer(body, 2, 2);
  put_integer(body, 0x81ff, 2);
  put_integer(body, 21, 1);
  body.append(6, '\0');
  put_integer(body, own, 4);
  body += std::string("ijklmnopqrst\0mysql_native_password\0", 35);
  return packet(0, body);
}

std::string login(std::uint64_t capabilities) {
  std::string body;
  put_integer(body, capabilities, 4);
  put_integer(body, 1 << 24, 4);
  body.push_back('\x2d');
  body.append(19, '\0');
  put_integer(body, capabilities >> 32, 4);
  body += std::string("me\0\0shop\0mysql_native_password\0", 31);
  return packet(1, body);
}

constexpr std::uint64_t kPlain = kProtocol41 | kSecureConnection | kPluginAuth | kConnectWithDatabase;
const std::string kOk = std::string("\0\0\0\2\0\0\0", 7);

std::string end_of_rows(int status) {
  std::string body("\xfe\0\0", 3);
  put_integer(body, static_cast<std::uint64_t>(status), 2);
  return body;
}

class Heard : public Listener {
 public:
  explicit Heard(std::string& to) : to_(to) {}
  void logged_in(const Login& who) override { to_ += "login " + who.user + "@" + who.database + ";"; }
  void command(std::uint64_t number, const Packet& one) override {
    to_ += std::to_string(number) + ":" + std::to_string(one.first()) + ";";
  }
  void answer(const Answer& answer, const Packet&) override {
    to_ += std::to_string(answer.number) + "=" + "OECceRrPpFA?"[static_cast<int>(answer.meaning)];
    to_ += answer.finished ? "." : ",";
  }
  void lost_track() override { to_ += "lost;"; }
  void closed() override { to_ += "closed;"; }

 private:
  std::string& to_;
};

struct Talk {
  std::string heard;
  Conversation conversation{std::make_unique<Heard>(heard)};
  ByteQueue to_server, to_client;
  std::string sent, answered;
  std::size_t piece = 1000;

  void client(const std::string& bytes) {
    sent += bytes;
    for (std::size_t at = 0; at < bytes.size(); at += piece)
      conversation.from_client(std::string_view(bytes).substr(at, piece), to_server, to_client);
  }
  void server(const std::string& bytes) {
    answered += bytes;
    for (std::size_t at = 0; at < bytes.size(); at += piece)
      conversation.from_server(std::string_view(bytes).substr(at, piece), to_client);
  }
  void log_in(std::uint64_t capabilities = kPlain) {
    server(greeting());
    client(login(capabilities));
    server(packet(2, kOk));
    heard.clear();
    to_server.consume(to_server.size());
    to_client.consume(to_client.size());
    sent.clear();
    answered.clear();
  }
};

std::uint64_t offered_in(std::string_view bytes) {
  std::string body(bytes.substr(4));
  return strike_capabilities(body).value_or(0);
}

TEST(MysqlConversation, TheGreetingOffersNeitherCompressionNorTls) {
  Talk talk;
  talk.server(greeting());
  const std::string got(talk.to_client.view());
  EXPECT_EQ(got.size(), greeting().size());
  Reader reader(std::string_view(got).substr(4 + 1 + 22 + 13));
  EXPECT_EQ(reader.integer(2) & (kCompress | kSsl), 0U);
  EXPECT_EQ(offered_in(got) & struck_capabilities(), 0U);
  EXPECT_NE(offered_in(got) & kExtendedMetadata, 0U);
}

TEST(MysqlConversation, MySqlKeepsItsZerosWhereMariadbHasCapabilities) {
  Talk talk;
  std::string mysql = greeting(0xffffffff);
  mysql[4 + 1 + 22 + 13] = '\xff';  // LONG_PASSWORD: not MariaDB
  talk.server(mysql);
  EXPECT_EQ(offered_in(talk.to_client.view()) >> 32, 0U);
}

TEST(MysqlConversation, BytesComeOutAsTheyWentInHoweverTheyAreCut) {
  for (std::size_t piece = 1; piece < 40; ++piece) {
    Talk talk;
    talk.piece = piece;
    talk.log_in();
    talk.client(packet(0, "\x03select 1, 2"));
    talk.server(packet(1, "\x01") + packet(2, "column") + packet(3, end_of_rows(2)) +
                packet(4,
                       "\x01"
                       "1") +
                packet(5, end_of_rows(2)));
    talk.client(packet(0, "\x0e"));
    talk.server(packet(1, kOk));
    EXPECT_EQ(talk.to_server.view(), talk.sent);
    EXPECT_EQ(talk.to_client.view(), talk.answered);
    EXPECT_EQ(talk.heard, "1:3;1=C,1=c,1=e,1=R,1=r.2:14;2=O.");
    EXPECT_TRUE(talk.conversation.is_readable());
    EXPECT_EQ(talk.conversation.counts().statements, 1U);
  }
}

TEST(MysqlConversation, APacketOf16MegabytesIsOne) {
  Talk talk;
  talk.piece = 1 << 20;
  talk.log_in();
  std::string query(0xffffff, 'x');
  query[0] = '\x03';
  talk.client(packet(0, query) + packet(1, "rest"));
  talk.server(packet(2, "\x01") + packet(3, "column") + packet(4, end_of_rows(2)));
  std::string row(0xffffff, 'y');
  row[0] = '\xfe';  // a row whose first column is that long, and no end
  talk.server(packet(5, row) + packet(6, "") + packet(7, end_of_rows(2)));
  EXPECT_EQ(talk.heard, "1:3;1=C,1=c,1=e,1=R,1=r.");
  EXPECT_EQ(talk.to_client.size(), talk.answered.size());
}

TEST(MysqlConversation, PreparedStatementsCursorsAndPipelines) {
  Talk talk;
  talk.log_in(kPlain | kDeprecateEof);
  const std::string made("\0\1\0\0\0\1\0\2\0\0\0\0", 12);  // one column, two parameters
  talk.client(packet(0, "\x16select") +
              packet(0,
                     "\x17"
                     "execute") +
              packet(0,
                     "\x19"
                     "close") +
              packet(0, "\x0e"));
  talk.server(packet(1, made) + packet(2, "?") + packet(3, "?") + packet(4, "column"));
  talk.server(packet(1, "\x01") + packet(2, "column") +
              packet(3, std::string("\0\0"
                                    "1",
                                    3)) +
              packet(4, std::string("\xfe\0\0\2\0\0\0", 7)) + packet(1, kOk));
  EXPECT_EQ(talk.heard, "1:22;2:23;3:25;4:14;1=P,1=p,1=p,1=c.2=C,2=c,2=R,2=r.4=O.");
}

TEST(MysqlConversation, ACursorHasNoRowsUntilTheyAreFetched) {
  Talk talk;
  talk.log_in();
  talk.client(packet(0,
                     "\x17"
                     "execute"));
  talk.server(packet(1, "\x01") + packet(2, "column") + packet(3, end_of_rows(2 | kCursorExists)));
  talk.client(packet(0,
                     "\x1c"
                     "fetch"));
  talk.server(packet(1, std::string("\0\0"
                                    "1",
                                    3)) +
              packet(2, end_of_rows(2)));
  EXPECT_EQ(talk.heard, "1:23;1=C,1=c,1=e.2:28;2=R,2=r.");
}

TEST(MysqlConversation, SeveralResultsAndAFileOfTheClient) {
  Talk talk;
  talk.log_in();
  talk.client(packet(0, "\x03update; load"));
  talk.server(packet(1, std::string("\0\0\0\x0a\0\0\0", 7)) + packet(2, "\xfb/tmp/file"));
  talk.client(packet(3, "some data") + packet(4, ""));
  talk.server(packet(5, kOk));
  talk.client(packet(0, "\x0e"));
  talk.server(packet(1, "\xff\x15\x04#08S01no"));
  EXPECT_EQ(talk.heard, "1:3;1=O,1=F,1=O.2:14;2=E.");
}

TEST(MysqlConversation, AuthenticationMayGoOnForAWhile) {
  Talk talk;
  talk.server(greeting());
  talk.client(login(kPlain));
  talk.server(packet(2, std::string("\xfe"
                                    "client_ed25519\0abc",
                                    18)));
  talk.client(packet(3, "scramble"));
  talk.server(packet(4, "\x01\x04"));
  talk.client(packet(5, "more"));
  talk.server(packet(6, kOk));
  EXPECT_TRUE(talk.heard.ends_with("login me@shop;0=O.")) << talk.heard;
  talk.client(packet(0, std::string("\x11you\0\0bank\0", 11)));
  talk.server(packet(1, "\x01\x03") + packet(2, kOk));
  EXPECT_TRUE(talk.heard.ends_with("1:17;1=A,1=O.")) << talk.heard;
  EXPECT_FALSE(talk.conversation.silent());
}

TEST(MysqlConversation, WhatWasNotOfferedIsNotTaken) {
  Talk talk;
  talk.server(greeting());
  talk.client(login(kPlain | kQueryAttributes | kCacheMetadata));
  const auto got = login_of(talk.to_server.view().substr(4));
  ASSERT_TRUE(got);
  EXPECT_EQ(got->capabilities, kPlain);
}

TEST(MysqlConversation, WhatCannotBeReadIsPassedOn) {
  Talk tls;
  tls.server(greeting());
  std::string request;
  put_integer(request, kProtocol41 | kSsl, 4);
  request.resize(32);
  tls.client(packet(1, request) + "\x16\x03\x01");
  EXPECT_EQ(tls.conversation.why(), Unreadable::kEncrypted);
  EXPECT_EQ(tls.to_server.view(), tls.sent);

  Talk replica;
  replica.log_in();
  replica.client(packet(0, "\x12 binlog"));
  EXPECT_EQ(replica.conversation.why(), Unreadable::kReplication);

  Talk unasked;
  unasked.log_in();
  unasked.server(packet(1, kOk));
  EXPECT_EQ(unasked.conversation.why(), Unreadable::kMessage);
  EXPECT_EQ(unasked.to_client.view(), unasked.answered);

  // A server that says nothing in a packet, whatever it was asked.
  for (const char* const command : {"\x03q", "\x16q", "\x09", "\x1b", "\x1f", "\x11q", "\x04q"}) {
    Talk empty;
    empty.log_in();
    empty.client(packet(0, command));
    empty.server(packet(1, "") + packet(2, ""));
    EXPECT_EQ(empty.to_client.view(), empty.answered);
  }
  Talk another;
  another.piece = 1;
  another.server("HTTP/1.1 400 Bad Request");
  EXPECT_EQ(another.to_client.view(), another.answered);

  Talk nothing;
  nothing.server(packet(0, ""));
  EXPECT_EQ(nothing.to_client.view(), nothing.answered);

  Talk refused;
  refused.server(packet(0, "\xff\x10\x04Too many connections"));
  EXPECT_TRUE(refused.conversation.is_readable());
  EXPECT_EQ(refused.to_client.view(), refused.answered);
}

}  // namespace mysql_conversation_test
}  // namespace isolde::proxy::mysql
