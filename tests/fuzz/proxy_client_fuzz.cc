// Any bytes from a client of the proxy, cut anywhere: behind the startup packet the server gets all of them.
#include "tests/fuzz/proxy_talk.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace isolde::proxy;
  if (size < 2) return 0;
  const std::size_t piece = 1 + data[0];
  const bool greeted = data[1] % 2 == 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  isolde::fuzz::Echo echo;
  postgres::Conversation conversation(data[1] % 4 < 2 ? &echo : nullptr);
  ByteQueue to_server, to_client;
  if (greeted) {
    conversation.from_client(isolde::fuzz::hello(), to_server, to_client);
    conversation.from_server(postgres::message('Z', "I"), to_client);
  }
  const std::size_t before = to_server.size();
  for (std::size_t at = 0; at < bytes.size(); at += piece)
    conversation.from_client(bytes.substr(at, piece), to_server, to_client);
  if (conversation.wants_server()) conversation.end_of_client(to_server);
  isolde::fuzz::require(!greeted || to_server.view().substr(before) == bytes, "bytes were lost or changed");
  isolde::fuzz::require(greeted || conversation.wants_server() || to_server.empty(), "bytes for nobody");
  return 0;
}
