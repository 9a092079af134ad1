// cli/proxy_publish.h: `isolde proxy --publish nats://…`: the recording, sent to a stream when it is complete.
//
// Not while it goes on: which transaction wrote a row version, and whether a table was defined anew meanwhile, is known
// for certain only when all of it is there (format/proxy_trace.h).
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "base/result.h"
#include "cli/cluster_sending.h"
#include "cli/options.h"

namespace isolde::cli {

class ProxyPublisher {
 public:
  // Connects before the proxy begins: what is wrong with the address, the name or the stream is known then. Null:
  // --publish was not given.
  [[nodiscard]] static Result<std::unique_ptr<ProxyPublisher>> open(const Arguments& args);
  // The history that was recorded, and its end. Waits for the broker; ctrl-C ends the wait.
  [[nodiscard]] Result<cluster::SenderCounts> publish(const std::string& path);

 private:
  ProxyPublisher(cluster::Address address, std::string name) : address_(std::move(address)), name_(std::move(name)) {}
  [[nodiscard]] Result<void> connect();

  const cluster::Address address_;
  const std::string name_;
  ClusterProducer producer_;
};

}  // namespace isolde::cli
