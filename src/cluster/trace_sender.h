// cluster/trace_sender.h: one producer: transactions -> batches for the partitions, each sent until the broker has it.
//
// In, out: pieces of a history, in their order -> messages. A producer that starts again with the same input and the
//          same name sends the same batches, so those that a partition has are skipped: the cut between batches depends
//          on the transactions alone.
// Always:  a window of bytes is on its way, and slides on as messages are stored. Messages to one partition stay in
//          their order: when one fails, it and those behind it are sent again, in order, once all of them are answered.
//          Where the broker does not answer, or the stream is full because the workers are behind, the sender waits:
//          that is the back-pressure.
// Cost:    a transaction is written once per partition that it touches.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
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
  std::size_t window = std::size_t{8} << 20;                     // … and so many bytes on their way
  std::chrono::milliseconds first_wait{50}, longest_wait{2000};  // before something is sent again
  std::function<std::chrono::nanoseconds()> clock;               // that never goes back; required
  std::function<void()> waiting = [] {};                         // called while it waits
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
  // Sends what is less than a batch too; waits only where the window is full. After it, batches of a second run differ
  // from those of this one: for producers that are not run twice.
  [[nodiscard]] Result<void> flush();
  // A sign of life to every partition to which everything is on its way.
  [[nodiscard]] Result<void> beat();
  // Looks at answers: to be called now and then by who has nothing to send.
  [[nodiscard]] Result<void> rest();
  // Sends the rest, and goodbye.
  [[nodiscard]] Result<void> finish();

  [[nodiscard]] const SenderCounts& counts() const { return counts_; }

 private:
  TraceSender(Broker& broker, Names names, const ClusterPlan& plan, std::string name, SenderOptions options);
  struct Sent {
    OutgoingMessage message;
    AppendAnswer answer;  // not asked: it waits for its turn
  };
  // One partition.
  struct Lane {
    std::deque<Sent> messages;  // that are not known to be stored, in order
    bool failed = false;        // one of them: nothing is sent before all are answered
    std::chrono::nanoseconds again{0};
    std::chrono::milliseconds wait{0};
  };
  [[nodiscard]] Result<void> cut(bool bye);
  // Looks at answers and sends what may go.
  [[nodiscard]] Result<void> pump();
  [[nodiscard]] Result<void> pump(Lane& lane);
  [[nodiscard]] Result<void> look_at_answers(Lane& lane);
  // Until at most this is unsent or unanswered.
  [[nodiscard]] Result<void> drain(std::size_t bytes);

  Broker* broker_;
  Names names_;
  Layout layout_;
  std::string name_;
  SenderOptions options_;
  std::vector<Share> shares_;
  std::vector<std::uint64_t> number_;  // of the last batch, by partition
  std::vector<std::uint64_t> stored_;  // those up to this one are in the stream, or were
  std::uint32_t uncut_ = 0;            // transactions since the last cut
  std::vector<Lane> lanes_;            // by partition
  std::size_t held_bytes_ = 0;         // of all lanes
  std::deque<AppendAnswer> beats_;
  SenderCounts counts_;
};

}  // namespace isolde::cluster
