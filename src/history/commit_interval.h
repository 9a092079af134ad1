// history/commit_interval.h: the interval of a commit on the client's clock: what it must satisfy, whoever gives it,
// and what is known of the commit where it is not given.
//
// In, out: the interval, and the transaction's other readings of the client's clock -> nothing, or what contradicts.
// Always:  begin <= before <= after <= end, as far as each is known; the commit was sent no earlier than the last
//          operation, and answered no earlier. It may have been sent before that operation was answered: a client may
//          pipeline its requests, and the commit of a single statement that commits by itself is that statement.
//          A commit narrows windows from which violations follow, so a contradiction is an error and not a guess.
#pragma once

#include <cstdint>
#include <string>

#include "history/history.h"

namespace isolde {

// Readings of one transaction; kNoTime where there is none.
struct CommitReadings {
  std::int64_t before = kNoTime, after = kNoTime;  // of the commit
  std::int64_t begin = kNoTime, end = kNoTime;
  std::int64_t last_sent = kNoTime, last_answered = kNoTime;  // the latest of its operations
};

// Empty if the readings fit together. Requires: `before` is known.
[[nodiscard]] std::string commit_contradiction(const CommitReadings& readings);

// The same for a transaction of a history. Empty if the commit's interval is not known.
[[nodiscard]] std::string commit_contradiction(const History& history, TxnId txn);

// The earliest that a transaction can have committed: the clock before its commit, else its last answer, else its
// begin; kNoTime if it has no clock. Two transactions that take locks and write the same key have these in the order of
// their commits: the second got its lock after the commit of the first, and sent its own commit after that.
[[nodiscard]] std::int64_t commit_sent(const History& history, TxnId txn);

// The clock by which it had committed: after its commit, else its end; kNoTime if neither is known.
[[nodiscard]] std::int64_t commit_answered(const History& history, TxnId txn);

}  // namespace isolde
