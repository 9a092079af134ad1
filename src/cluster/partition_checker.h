// cluster/partition_checker.h: one partition of a stream: messages in their order -> violations.
//
// In, out: the messages of a partition -> violations, as they become certain; how far it is; its state as bytes.
// Always:  a function of the messages alone. Time is that at which the broker stored them, so a checker that reads them
//          later, again, or from a saved state on, finds the same violations with the same identities. That is what
//          makes it harmless if two workers hold one partition for a while, and if a worker dies after publishing.
//          A batch is taken once, in its producer's order: a repetition is dropped, one that came too early waits
//          (cluster/batch.h). A deadline is over for a transaction when *every* producer has given a sign of life that
//          much later, or said goodbye. A producer that says nothing for `silence` is no longer waited for, and what is
//          missing is reported. From then on a read that nothing explains is counted as a suspicion, not reported as a
//          violation: what is missing may explain it.
//          A broker's server that has just started again may show a stream with a part missing (docs/cluster.md). That
//          is seen by the batches' numbers, and what is not there again by reading again: batches that were taken are
//          known, and only those may be dropped, producer by producer.
// Cost:    that of the engine, and of reading native lines.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/state_file.h"
#include "check/online.h"
#include "cluster/batch.h"
#include "cluster/broker.h"
#include "cluster/plan.h"
#include "stream/intake.h"
#include "stream/seen_transactions.h"

namespace isolde::cluster {

inline constexpr std::size_t kMostTied = 256;

// How far a partition is, and what of it cannot be vouched for.
struct PartitionStatus {
  std::uint32_t partition = 0;
  std::uint64_t epoch = 0;     // of the lease under which it was checked
  std::uint64_t sequence = 0;  // of the last message
  std::int64_t time = 0;       // stored at
  std::uint64_t transactions = 0, operations = 0, checked = 0, pending = 0;
  std::uint64_t violations = 0, suspicions = 0;
  std::uint64_t unchecked = 0;                         // as OnlineCounts
  std::uint64_t unjudged = 0, split = 0;               // as BatchHead
  std::uint64_t refused = 0;                           // batches or lines that could not be read
  std::uint64_t missing = 0;                           // batches that never came
  std::uint64_t in_session = 0, began = 0, ended = 0;  // as OnlineCounts
  bool over = false;                                   // every producer said goodbye, and everything is judged
  std::string first_fault = {};                        // of what was refused or is missing, in words
  std::vector<std::string> silent = {};                // producers that are not waited for
  std::map<std::string, std::uint64_t> taken = {};     // batches, by producer
  // Transactions, as numbers, that this partition put into an order with others of equal timestamps; in order. More
  // than kMostTied: not all of them are here.
  std::vector<std::uint64_t> tied = {};

  friend bool operator==(const PartitionStatus&, const PartitionStatus&) = default;
};
[[nodiscard]] std::string status_text(const PartitionStatus& status);
[[nodiscard]] Result<PartitionStatus> read_status(std::string_view text);

class PartitionChecker final : private OnlineSink, private timeline::TieObserver {
 public:
  [[nodiscard]] static Result<std::unique_ptr<PartitionChecker>> make(const ClusterPlan& plan, std::uint32_t partition);

  // Requires: messages come in order; one at or before the last one is ignored.
  void take(const StoredMessage& message);
  // Since they were last taken.
  [[nodiscard]] std::vector<OnlineViolation> take_findings() { return std::exchange(findings_, {}); }
  [[nodiscard]] PartitionStatus status() const;
  [[nodiscard]] bool over() const { return over_; }

  // Whether batches are missing that the producer sent before others, and which, as a number that changes as they come.
  [[nodiscard]] std::optional<std::uint64_t> gap() const;
  // A producer's first batches are missing: there was a state which covers them, and which this checker was not given.
  [[nodiscard]] bool lacks_its_state() const;
  // It had one, which nobody can read any more.
  void note_lost_state();
  // What comes next may begin again at the first message that is there.
  void read_again() { progress_.sequence = 0; }
  // Messages that repeat what was taken, of producers of whom nothing is missing, and behind the last one that says so:
  // covered() leaves them out. Since they were last taken.
  [[nodiscard]] std::vector<std::uint64_t> take_repetitions();
  // What is missing never comes.
  void give_up_gaps();

  // A checker that loads this needs all messages behind these, by producer; it may be given those before them, too.
  [[nodiscard]] std::map<std::string, std::uint64_t> covered() const;
  // Behind the last message that was read.
  [[nodiscard]] std::uint64_t position() const { return furthest_ + 1; }
  // Grows with what is covered, since it was made or loaded; position() does not while a broker gives out the numbers
  // of what it forgot again.
  [[nodiscard]] std::uint64_t changes() const { return changes_; }
  void save(StateWriter& out) const;
  [[nodiscard]] bool load(StateReader& in);

 private:
  struct Early {  // a batch that came before those that its producer sent before it
    std::uint64_t sequence;
    std::string data;
  };
  struct Producer {
    stream::Sender sender;
    std::uint64_t taken = 0;      // batches
    std::uint64_t passed = 0;     // the last message before which none of its batches is missing
    std::uint64_t announced = 0;  // batches, by a beat
    std::int64_t heard = 0;       // when it was last heard
    std::int64_t time = 0;        // … with a beat, and nothing missing before it
    bool bye = false, silent = false;
    std::map<std::uint64_t, Early> early;  // by number
    std::set<std::uint64_t> repeated;      // messages behind `passed`; at most kMostRepeated
    [[nodiscard]] bool has_gap() const { return !early.empty() || announced > taken; }
  };
  // What was taken so far: with this, a checker continues behind a message.
  struct Progress {
    std::uint64_t sequence = 0;  // of that message
    std::map<std::string, Producer> producers;
    std::string intake;  // its position
    std::uint64_t unjudged = 0, split = 0, refused = 0, missing = 0;
    std::string first_fault;
  };
  struct Before {
    std::uint64_t piece;
    Progress progress;
  };

  PartitionChecker(const ClusterPlan& plan, std::uint32_t partition) : plan_(plan), partition_(partition) {}

  // A part of the stream was given up: it may have had what a read returned, and whatever is read from now on.
  [[nodiscard]] bool lacks_something() const;
  void violated(const OnlineViolation& violation) override;
  void suspected(const OnlineViolation& violation, std::string_view why) override;
  void tied(Fingerprint txn) override;

  void take_batch(Producer& producer, const Batch& batch);
  void take_lines(Producer& producer, const Batch& batch, std::string_view lines,
                  const std::optional<Progress>& before);
  void take_packed(Producer& producer, const Batch& batch, const BatchSection& section);
  void take_early(Producer& producer);
  void give_up_missing(const std::string& name, Producer& producer);
  void add(const std::shared_ptr<const Chunk>& chunk);
  void move_time();
  void deliver(bool everything);
  void fault(std::uint64_t& count, std::uint64_t more, const std::string& what);
  void finish_if_over();
  [[nodiscard]] StreamTime stream_time();
  static void save(const Progress& progress, StateWriter& out);
  [[nodiscard]] static bool load(Progress& progress, StateReader& in);

  const ClusterPlan plan_;
  const std::uint32_t partition_;
  PartitionEngine parts_;  // none when it is over
  std::unique_ptr<stream::Intake> intake_;
  std::optional<stream::SeenTransactions> seen_;
  Progress progress_;
  std::deque<Before> before_;  // the pieces that the feed still needs, each with the progress before it
  std::size_t early_bytes_ = 0;
  std::uint64_t furthest_ = 0;  // message; what comes before it was read once
  std::uint64_t changes_ = 0;

  // Nanoseconds. `now_`, since `origin_`: all producers that are waited for were heard then.
  std::int64_t origin_ = 0, latest_ = 0, now_ = 0;
  std::vector<OnlineViolation> findings_;
  bool begun_ = false, over_ = false;
  OnlineCounts at_end_;           // when it is over
  std::set<std::uint64_t> tied_;  // at most kMostTied and one
  std::uint64_t transactions_ = 0, violations_ = 0, suspicions_ = 0;
};

}  // namespace isolde::cluster
