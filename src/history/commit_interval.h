// history/commit_interval.h: the interval of a commit on the client's clock: what it must satisfy, and what is known
// about the commit if it is not given.
//
// In, out: the interval, and the transaction's other readings of the client's clock -> nothing, or the contradiction.
// Always:  begin <= before <= after <= end, as far as each is known. The commit was sent no earlier than the last
//          operation, and answered no earlier. It may have been sent before that operation was answered: a client may
//          pipeline its requests, and the commit of an autocommit statement is the statement itself.
//          Violations are derived from the windows that a commit narrows, so a contradiction is an error, never
//          something to guess about.
#pragma once

#include <cstdint>
#include <string>

#include "history/history.h"

namespace isolde {

// Readings of one transaction; kNoTime where there is none.
struct CommitReadings {
  std::int64_t before = kNoTime, after = kNoTime;  // of the commit
  std::int64_t begin = kNoTime, end = kNoTime;
  std::int64_t last_sent = kNoTime, last_answered = kNoTime;  // the latest among its operations
};

// Empty if the readings are consistent. Requires: `before` is known.
[[nodiscard]] std::string commit_contradiction(const CommitReadings& readings);

// The same for a transaction of a history. Empty if the commit's interval is not known.
[[nodiscard]] std::string commit_contradiction(const History& history, TxnId txn);

// The earliest time at which a transaction can have committed: the clock before its commit, else its last answer, else
// its begin; kNoTime if it has no clock. For two transactions that take locks and write the same key, these are in the
// order of their commits: the second got its lock after the commit of the first, and sent its own commit after that.
[[nodiscard]] std::int64_t commit_sent(const History& history, TxnId txn);

// A time by which it had committed: the clock after its commit, else its end; kNoTime if neither is known.
[[nodiscard]] std::int64_t commit_answered(const History& history, TxnId txn);

}  // namespace isolde
