#include "cli/proxy_publish.h"

#include <utility>

#include "cli/cluster_name.h"
#include "cli/interrupt.h"
#include "format/format.h"
#include "history/chunk.h"

namespace isolde::cli {

Result<std::unique_ptr<ProxyPublisher>> ProxyPublisher::open(const Arguments& args) {
  if (!args.has("publish")) return std::unique_ptr<ProxyPublisher>();
  if (!args.has("out")) return Error{"--publish needs --out: what was recorded is sent from there"};
  auto address = cluster::parse_address(args.text("publish"));
  if (!address) return address.error();
  std::unique_ptr<ProxyPublisher> made(
      new ProxyPublisher(*std::move(address), args.text("name", usual_cluster_name())));
  if (auto connected = made->connect(); !connected) return connected.error();
  made->producer_ = {};  // hours may pass until there is something to send
  return made;
}

Result<void> ProxyPublisher::connect() {
  auto producer = open_producer(address_, name_, [] { return interrupted.load(); });
  if (!producer) return std::move(producer).error();
  producer_ = *std::move(producer);
  return {};
}

Result<cluster::SenderCounts> ProxyPublisher::publish(const std::string& path) {
  interrupted = false;  // it has ended the proxy; the next one ends this
  if (auto connected = connect(); !connected) return connected.error();
  auto loaded = load(path, nullptr, {});
  if (!loaded) return std::move(loaded).error();
  Chunk chunk(std::move(loaded->history));
  chunk.has_header = true;
  auto sent = producer_.sender->send(chunk);
  if (sent) sent = producer_.sender->finish();
  if (!sent) return sent.error();
  return producer_.sender->counts();
}

}  // namespace isolde::cli
