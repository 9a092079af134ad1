#include "history/commit_interval.h"

#include <fmt/format.h>

#include <algorithm>

namespace isolde {

std::string commit_contradiction(const CommitReadings& r) {
  const auto later = [](std::int64_t a, std::int64_t b) { return a != kNoTime && b != kNoTime && a > b; };
  if (later(r.before, r.after)) {
    return fmt::format("its commit was answered at {}, before it was sent at {}", r.after, r.before);
  }
  if (later(r.begin, r.before)) {
    return fmt::format("its commit was sent at {}, before the transaction began at {}", r.before, r.begin);
  }
  if (later(r.after, r.end)) {
    return fmt::format("its commit was answered at {}, after the transaction ended at {}", r.after, r.end);
  }
  if (later(r.before, r.end)) {
    return fmt::format("its commit was sent at {}, after the transaction ended at {}", r.before, r.end);
  }
  if (later(r.last_sent, r.before)) {
    return fmt::format("its commit was sent at {}, before its last operation was sent at {}", r.before, r.last_sent);
  }
  if (later(r.last_answered, r.after)) {
    return fmt::format("its commit was answered at {}, before its last operation was answered at {}", r.after,
                       r.last_answered);
  }
  return {};
}

std::string commit_contradiction(const History& history, TxnId txn) {
  const History::Interval commit = history.commit_interval(txn);
  if (commit.before == kNoTime) return {};
  CommitReadings readings{
      .before = commit.before, .after = commit.after, .begin = history.begin(txn), .end = history.end(txn)};
  // kNoTime is the least of all times.
  for (std::uint32_t op = history.first_op(txn); op < history.end_op(txn); ++op) {
    const History::Interval at = history.at(txn, OpId{op});
    readings.last_sent = std::max(readings.last_sent, at.before);
    readings.last_answered = std::max(readings.last_answered, at.after);
  }
  return commit_contradiction(readings);
}

std::int64_t commit_sent(const History& history, TxnId txn) {
  const std::int64_t before = history.commit_interval(txn).before;
  if (before != kNoTime) return before;
  std::int64_t last = history.begin(txn);
  for (std::uint32_t op = history.first_op(txn); op < history.end_op(txn); ++op) {
    last = std::max(last, history.at(txn, OpId{op}).after);
  }
  return last;
}

std::int64_t commit_answered(const History& history, TxnId txn) {
  const std::int64_t after = history.commit_interval(txn).after;
  return after != kNoTime ? after : history.end(txn);
}

}  // namespace isolde
