// cluster/trace_sender.h: one producer: transactions -> batches for the partitions, each sent until the broker has it.
//
// In, out: pieces of a history, in their order -> messages. A producer that starts again with the same input and the
//          same name sends the same batches, so those that a partition has are skipped: the cut between batches depends
//          on the transactions alone.
// Always:  a window of messages is sent at once, and the next one only when all of it is stored; what failed is sent
//          again in its order. Where the broker does not answer, or the stream is full because the workers are behind,
//          the sender waits: that is the back-pressure.
// Cost:    a transaction is written once per partition that it touches.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cluster/batch.h"
#include "cluster/broker.h"
#include "cluster/plan.h"
#include "history/chunk.h"

namespace isolde::cluster {

struct SenderOptions {
  std::uint32_t transactions = 500;                              // a batch for each partition after so many …
  std::size_t window = std::size_t{4} << 20;                     // … and so many bytes sent at once
  std::chrono::milliseconds first_wait{50}, longest_wait{2000};  // before something is sent again
  std::function<void(std::chrono::milliseconds)> wait;           // required
  std::function<bool()> interrupted = [] { return false; };
};

struct SenderCounts {
  std::uint64_t transactions = 0, batches = 0, bytes = 0;
  std::uint64_t skipped = 0;   // batches that had been sent before
  std::uint64_t repeated = 0;  // sent again
  std::uint64_t full = 0;      // times that the stream was full
};

class TraceSender {
 public:
  // Asks the partitions how far they are.
  [[nodiscard]] static Result<TraceSender> open(Broker& broker, const Names& names, const ClusterPlan& plan,
                                                std::string name, SenderOptions options);

  // All transactions of the piece; the header too, if it has one.
  [[nodiscard]] Result<void> send(const Chunk& chunk);
  // Whatever was not yet sent, although it is less than a batch. After it, batches of a second run differ from those of
  // this one: for producers that are not run twice.
  [[nodiscard]] Result<void> flush();
  // A sign of life to every partition.
  [[nodiscard]] Result<void> beat();
  // Sends the rest, and goodbye.
  [[nodiscard]] Result<void> finish();

  [[nodiscard]] const SenderCounts& counts() const { return counts_; }

 private:
  TraceSender(Broker& broker, Names names, const ClusterPlan& plan, std::string name, SenderOptions options);
  [[nodiscard]] Result<std::uint64_t> taken_by(std::uint32_t partition);
  [[nodiscard]] Result<void> cut(bool bye);
  [[nodiscard]] Result<void> send_window();

  Broker* broker_;
  Names names_;
  Layout layout_;
  std::string name_;
  SenderOptions options_;
  std::vector<Share> shares_;
  std::vector<std::uint64_t> number_;  // of the last batch, by partition
  std::vector<std::uint64_t> stored_;  // those up to this one are in the stream, or were
  std::uint32_t uncut_ = 0;            // transactions since the last cut
  std::vector<OutgoingMessage> window_;
  std::size_t window_bytes_ = 0;
  SenderCounts counts_;
};

}  // namespace isolde::cluster
