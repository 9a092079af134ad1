// check/session_numbers.h: SESSION by the client's own count: the transactions of a session are numbered without gaps.
//
// In, out: a History whose transactions have the field `sno` -> an anomaly (session-gap) for each gap
//          (history/session_gaps.h).
// Always:  it is a part of strong-session-snapshot-isolation and of what implies it, by every method: what the missing
//          transaction read and wrote is not in the history, so that its place in the session cannot be judged.
// Cost:    one pass over the transactions, only where some have a number.
#pragma once

#include "anomaly/verdict.h"
#include "base/limits.h"
#include "history/history.h"

namespace isolde {

// Where there are gaps and the level forbids them: the verdict becomes violated, and they are among its
// anomalies. Ensures: verdict.counts says how many.
void add_session_gaps(const History& history, const Limits& limits, Verdict& verdict);

// Where there are gaps and the level says nothing about them: a note.
void note_session_gaps(const History& history, Verdict& verdict);

}  // namespace isolde
