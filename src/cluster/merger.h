// cluster/merger.h: puts together what the partitions say: violations, each once, and how much of the stream the
// verdict is about.
//
// In, out: the streams of verdicts and statuses -> violations as they come; a summary.
// Always:  the broker keeps one message per identity, so a violation is seen once, whichever worker found it and
//          however often. A merger that starts again reads them all again; the caller knows which it has shown.
//          A broker's server that has just started again may leave something out: violations are counted, and statuses
//          read again when none came for a while.
//          Nothing is certified while a partition has not been heard, or says that it could not judge something.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "anomaly/verdict.h"
#include "base/result.h"
#include "cluster/broker.h"
#include "cluster/partition_checker.h"
#include "cluster/plan.h"

namespace isolde::cluster {

// A violation as a partition published it.
struct PublishedViolation {
  std::uint64_t identity = 0;
  std::string name, rule, text;
  std::vector<std::string> transactions;  // as JSON
  std::string json;                       // all of it
};
[[nodiscard]] Result<PublishedViolation> read_violation(std::string_view json);

// What all partitions together have done.
struct Coverage {
  std::uint32_t partitions = 0, heard = 0, over = 0;
  std::uint64_t transactions = 0;  // shares of transactions: one per partition that a transaction touches
  std::uint64_t checked = 0, pending = 0, suspicions = 0, unchecked = 0, unjudged = 0, split = 0, refused = 0,
                missing = 0;
  std::int64_t earliest = 0, latest = 0;  // when the last messages of partitions were stored, as far as they have read
  std::vector<std::string> silent;        // producers
  std::string first_fault;
  // Transactions that several partitions put into an order with others of equal timestamps; about, and at least one if
  // there is any.
  std::uint64_t tied = 0;
  std::uint64_t in_session = 0, began = 0, ended = 0;
  std::uint64_t violations = 0;  // that partitions have found; the broker may have forgotten some
};

struct ClusterSummary {
  Outcome outcome = Outcome::kUndecided;
  std::string reason;                         // kUndecided: why; kViolated: why none can be shown, if none can
  std::optional<Level> holds = std::nullopt;  // kUndecided for want of clocks or sessions: what holds without them
};

class Merger {
 public:
  [[nodiscard]] static Result<Merger> open(Broker& broker, const Names& names, const ClusterPlan& plan);

  // Violations that came since the last call; waits for at most `wait`.
  [[nodiscard]] Result<std::vector<PublishedViolation>> poll(std::chrono::milliseconds wait);
  [[nodiscard]] const Coverage& coverage() const { return coverage_; }
  [[nodiscard]] std::uint64_t violations() const { return violations_; }
  // Every partition is over, and every violation in the stream was returned by poll().
  [[nodiscard]] bool over() const { return over_; }
  [[nodiscard]] ClusterSummary summary() const;

 private:
  Merger(Broker& broker, Names names, const ClusterPlan& plan)
      : broker_(&broker), names_(std::move(names)), plan_(plan) {}
  void sum_up();

  Broker* broker_;
  Names names_;
  ClusterPlan plan_;
  std::unique_ptr<MessageReader> verdicts_, statuses_;
  std::map<std::uint32_t, PartitionStatus> status_;
  Coverage coverage_;
  std::uint64_t violations_ = 0;
  std::uint64_t read_ = 0;                     // the number of the last violation
  std::uint32_t unchanged_ = 0, in_vain_ = 0;  // polls without a status; tries to read a violation that is not shown
  bool over_ = false;
};

}  // namespace isolde::cluster
