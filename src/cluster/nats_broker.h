// cluster/nats_broker.h: the broker by NATS JetStream. With nats_link and nats_reader the only place that knows
// libnats.
//
// Tried with nats-server 2.9.10 and libnats 3.4.1 (Debian 12); docs/cluster.md says what that version does not promise.
//   - Publications and questions are messages with a reply subject, all on their way together; libnats is asked to wait
//     only where streams are created.
//   - Leases are messages in a stream with an age limit, written by compare and set: reads through a bucket of keys may
//     be old.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "cluster/address.h"
#include "cluster/broker.h"

namespace isolde::cluster {

// Servers that do not answer are tried again until `give_up` returns true; who is not let in gets an error at once. The
// error says what is wrong with the connection, or what to install where this program was built without NATS.
[[nodiscard]] Result<std::unique_ptr<Broker>> connect_to_nats(const Address& address, const std::string& name,
                                                              const std::function<bool()>& give_up);

}  // namespace isolde::cluster
