#include "proxy/postgres/conversation.h"

#include <gtest/gtest.h>

#include "proxy/postgres/numbers.h"

namespace isolde::proxy::postgres {
namespace conversation_test {

std::string startup(std::uint32_t code, std::string_view parameters) {
  std::string body;
  put_u32(body, code);
  body += parameters;
  std::string out;
  put_u32(out, static_cast<std::uint32_t>(body.size() + 4));
  return out + body;
}

const std::string kHello = startup(196608, std::string("user\0me\0\0", 9));
const std::string kReady = message('R', std::string_view("\0\0\0\0", 4)) + message('Z', "I");

struct Talk {
  Conversation conversation;
  ByteQueue to_server, to_client;

  explicit Talk(Listener* listener = nullptr) : conversation(listener) {
    client(kHello);
    server(kReady);
  }
  void client(std::string_view bytes) { conversation.from_client(bytes, to_server, to_client); }
  void server(std::string_view bytes) { conversation.from_server(bytes, to_client); }
};

// Types of the server's messages, each with what it must say as its first byte ("ZI").
void answer(Talk& talk, std::initializer_list<std::string_view> messages) {
  for (const std::string_view one : messages) talk.server(message(one[0], one.substr(1)));
}

TEST(Conversation, PassesBytesOnHoweverTheyAreCut) {
  const std::string client = kHello + message('Q', "select 1") + message('P', "x") + message('S', "");
  const std::string server = kReady + message('T', "cols") + message('D', std::string(1000, 'x')) +
                             message('C', "SELECT 1") + message('Z', "I") + message('1', "") + message('Z', "T");
  for (std::size_t piece = 1; piece < 50; ++piece) {
    Conversation conversation;
    ByteQueue to_server, to_client;
    for (std::size_t at = 0; at < client.size(); at += piece)
      conversation.from_client(std::string_view(client).substr(at, piece), to_server, to_client);
    for (std::size_t at = 0; at < server.size(); at += piece)
      conversation.from_server(std::string_view(server).substr(at, piece), to_client);
    EXPECT_EQ(to_server.view(), client);
    EXPECT_EQ(to_client.view(), server);
    EXPECT_TRUE(conversation.is_readable());
    EXPECT_EQ(conversation.counts().statements, 1U);
    EXPECT_EQ(conversation.counts().transactions, 1U);
  }
}

TEST(Conversation, AnswersRequestsForEncryptionItself) {
  Conversation conversation;
  ByteQueue to_server, to_client;
  conversation.from_client(startup(80877104, ""), to_server, to_client);
  conversation.from_client(startup(80877103, ""), to_server, to_client);
  EXPECT_EQ(to_client.view(), "NN");
  EXPECT_FALSE(conversation.wants_server());
  conversation.from_client(kHello, to_server, to_client);
  EXPECT_EQ(to_server.view(), kHello);
  EXPECT_TRUE(conversation.wants_server());
}

TEST(Conversation, RefusesWhatNoServerWouldTake) {
  for (const std::string& bytes : {std::string("\x16\x03\x01", 3), std::string("\0\0\0\3", 4),
                                   std::string("\x7f\0\0\0", 4), std::string("GET / HTTP/1.1\r\n")}) {
    Conversation conversation;
    ByteQueue to_server, to_client;
    conversation.from_client(bytes, to_server, to_client);
    EXPECT_TRUE(conversation.refused()) << bytes;
    EXPECT_TRUE(to_server.empty());
  }
}

TEST(Conversation, WhatCannotBeReadIsPassedOn) {
  Conversation cancel;
  ByteQueue to_server, to_client;
  cancel.from_client(startup(80877102, "12345678"), to_server, to_client);
  EXPECT_EQ(cancel.why(), Unreadable::kCancel);

  Conversation replication;
  replication.from_client(startup(196608, std::string("replication\0database\0\0", 22)), to_server, to_client);
  EXPECT_EQ(replication.why(), Unreadable::kReplication);

  Talk talk;
  answer(talk, {"D"});  // a row that nobody asked for
  EXPECT_EQ(talk.conversation.why(), Unreadable::kMessage);
  const std::size_t before = talk.to_server.size();
  talk.client("any bytes");
  EXPECT_EQ(talk.to_server.view().substr(before), "any bytes");
}

TEST(Conversation, AnErrorDropsWhatWasAskedUpToTheNextSync) {
  Talk talk;
  for (const char type : {'P', 'B', 'E', 'P', 'B', 'E', 'S', 'P', 'S'}) talk.client(message(type, "x"));
  answer(talk, {"1", "2", "E", "ZI", "1", "ZI"});
  EXPECT_TRUE(talk.conversation.is_readable());
  // ... also what is asked after the error was sent.
  talk.client(message('P', "x"));
  answer(talk, {"E"});
  for (const char type : {'B', 'E', 'Q', 'S', 'Q'}) talk.client(message(type, "x"));
  answer(talk, {"ZI", "C", "ZI"});
  EXPECT_TRUE(talk.conversation.is_readable());
}

TEST(Conversation, ASyncThatComesWhileDataIsCopiedInIsIgnoredAsTheServerDoes) {
  Talk talk;
  // As libpq's PQexecParams sends a COPY: the Sync right after the Execute, another one behind the data.
  for (const char type : {'P', 'B', 'D', 'E', 'S'}) talk.client(message(type, "x"));
  answer(talk, {"1", "2", "n", "G"});
  for (const char type : {'d', 'd', 'c', 'S'}) talk.client(message(type, "x"));
  answer(talk, {"C", "ZI"});
  EXPECT_TRUE(talk.conversation.is_readable());
  // Everything at once, before the server says that it copies.
  for (const char type : {'P', 'B', 'E', 'd', 'c', 'S', 'Q'}) talk.client(message(type, "x"));
  answer(talk, {"1", "2", "G", "C", "ZI", "C", "ZI"});
  EXPECT_TRUE(talk.conversation.is_readable());
  // A copy that fails at once: the end of the data is ignored.
  talk.client(message('Q', "copy"));
  for (const char type : {'d', 'c'}) talk.client(message(type, "x"));
  answer(talk, {"E", "ZI"});
  talk.client(message('Q', "x"));
  answer(talk, {"C", "ZI"});
  EXPECT_TRUE(talk.conversation.is_readable());
}

class Hearer : public Listener {
 public:
  void startup(std::string_view parameters) override { heard += "startup " + std::string(parameters.substr(0, 4)); }
  bool wants_from_client(char type) const override { return type == 'Q'; }
  bool wants_from_server(char type) const override { return type == 'D'; }
  void client(char type, std::string_view body, const Sent& sent, ByteQueue& to_server) override {
    heard += "; Q" + std::to_string(sent.number) + " " + std::string(body);
    to_server.append(message(type, "changed"));
  }
  void server(char type, std::string_view body, const Answers::Fit& fit, ByteQueue& to_client) override {
    heard += "; D of " + std::to_string(fit.owed.number);
    to_client.append(message(type, body));
  }
  bool lost_track() override {
    heard += "; lost";
    return true;
  }
  std::string heard;
};

TEST(Conversation, AListenerHearsWholeMessagesAndMayChangeThem) {
  Hearer hearer;
  Talk talk(&hearer);
  talk.to_server.consume(talk.to_server.size());
  const std::string query = message('S', "") + message('Q', "select");
  for (const char c : query) talk.client(std::string(1, c));
  EXPECT_EQ(talk.to_server.view(), message('S', "") + message('Q', "changed"));
  answer(talk, {"ZI", "T", "Drow", "C", "ZI", "D"});
  EXPECT_EQ(hearer.heard, "startup user; Q1 select; D of 1; lost");
  EXPECT_TRUE(talk.to_client.view().ends_with(message('D', "")));
}

}  // namespace conversation_test
}  // namespace isolde::proxy::postgres
