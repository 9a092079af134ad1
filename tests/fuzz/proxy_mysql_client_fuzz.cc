// Any bytes from a client of the proxy that speaks MySQL's protocol, cut anywhere: the server gets all of them.
#include "tests/fuzz/proxy_mysql_talk.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace isolde::proxy;
  if (size < 2) return 0;
  const std::size_t piece = 1 + data[0];
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  mysql::Conversation conversation(isolde::fuzz::mysql_listener(data[1]));
  ByteQueue to_server, to_client;
  const bool greeted = data[1] % 4 != 3;
  if (greeted) conversation.from_server(isolde::fuzz::mysql_greeting(), to_client);
  const bool logged_in = data[1] % 4 < 2;
  if (logged_in) isolde::fuzz::mysql_log_in(conversation, data[1] % 4 == 1, to_server, to_client);
  const std::size_t before = to_server.size();
  for (std::size_t at = 0; at < bytes.size(); at += piece)
    conversation.from_client(bytes.substr(at, piece), to_server, to_client);
  conversation.end_of_client(to_server);
  const std::string_view got = to_server.view().substr(before);
  // Only flags of the first packet are changed, and never its length.
  isolde::fuzz::require(got.size() == bytes.size(), "bytes were lost");
  isolde::fuzz::require(!logged_in || got == bytes, "bytes were changed");
  return 0;
}
