// check/session_numbers.h: SESSION by the client's own count: the transactions of a session are numbered without gaps.
//
// In, out: a History whose transactions have the field `sno` -> one anomaly (session-gap) for each transaction whose
//          number is not the successor of the one before it in its session.
// Always:  only two neighbours of a session that both have a number are compared, whatever became of them: an aborted
//          transaction that the history holds takes its number. A session may begin with any number, since what a
//          client did before the recording began is nobody's concern.
//          It is part of the levels that add session order, and of those that add real time, by every method: what the
//          missing transaction read and wrote is not in the history, so that its place in the session cannot be judged.
// Cost:    one pass over the transactions, only where some have a number.
// Source:  Chronos (algorithm 2, lines 7 to 9), where it is a part of the axiom SESSION.
#pragma once

#include "anomaly/verdict.h"
#include "base/limits.h"
#include "history/history.h"

namespace isolde {

// Whether `after` has a number, the transaction before it in its session has one, and it is not the one before.
[[nodiscard]] bool is_numbered_apart(std::int64_t before, std::int64_t after);

// Where there are gaps and the level adds session order: the verdict becomes violated, and they are among its
// anomalies. Ensures: verdict.counts says how many.
void add_session_gaps(const History& history, const Limits& limits, Verdict& verdict);

}  // namespace isolde
