// Any bytes from a server of the proxy, cut anywhere, while requests of every kind wait for answers: the client gets
// all of them.
#include "tests/fuzz/proxy_talk.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace isolde::proxy;
  if (size < 2) return 0;
  const std::size_t piece = 1 + data[0];
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  isolde::fuzz::Echo echo;
  postgres::Conversation conversation(data[1] % 2 == 0 ? &echo : nullptr);
  ByteQueue to_server, to_client;
  conversation.from_client(isolde::fuzz::hello(), to_server, to_client);
  if (data[1] % 4 < 2) conversation.from_server(postgres::message('Z', "I"), to_client);
  conversation.from_client(isolde::fuzz::requests(), to_server, to_client);
  to_client.consume(to_client.size());
  for (std::size_t at = 0; at < bytes.size(); at += piece) conversation.from_server(bytes.substr(at, piece), to_client);
  conversation.end_of_server(to_client);
  isolde::fuzz::require(to_client.view() == bytes, "bytes were lost or changed");
  return 0;
}
