// Any bytes from a server of the proxy that speaks MySQL's protocol, cut anywhere, while commands of every kind wait
// for answers: the client gets all of them.
#include "tests/fuzz/proxy_mysql_talk.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace isolde::proxy;
  if (size < 3) return 0;
  const std::size_t piece = 1 + data[0];
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 3, size - 3);
  mysql::Conversation conversation(isolde::fuzz::mysql_listener(data[1]));
  ByteQueue to_server, to_client;
  const bool greeted = data[1] % 4 != 3;
  if (greeted) {
    conversation.from_server(isolde::fuzz::mysql_greeting(), to_client);
    isolde::fuzz::mysql_log_in(conversation, data[1] % 4 == 1, to_server, to_client);
    conversation.from_client(isolde::fuzz::mysql_commands(data[2]), to_server, to_client);
  }
  to_client.consume(to_client.size());
  for (std::size_t at = 0; at < bytes.size(); at += piece) conversation.from_server(bytes.substr(at, piece), to_client);
  conversation.end_of_server(to_client);
  isolde::fuzz::require(to_client.size() == bytes.size(), "bytes were lost");
  isolde::fuzz::require(!greeted || to_client.view() == bytes, "bytes were changed");
  return 0;
}
