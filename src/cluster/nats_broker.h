// cluster/nats_broker.h: the broker by NATS JetStream. The only place that knows libnats.
//
// Tried with nats-server 2.9.10 and libnats 3.4.1 (Debian 12); docs/cluster.md says what that version does not promise.
//   - Every publication waits for at most two seconds: without a limit the client's window never drains after its
//     leader was lost.
//   - Keys are read through the stream behind their bucket, from its leader: reads through the bucket may be old.
//   - A reader is a pull consumer without acknowledgements, made anew behind its last message after each failure: what
//     was read is known by this program's own checkpoints, and a durable consumer would reorder after a restart.
//   - A forbidden publication looks like a timeout; the reason comes to the error handler, which keeps it.
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
