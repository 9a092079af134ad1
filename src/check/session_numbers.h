// check/session_numbers.h: the axiom SESSION by the client's own numbers: those of a session have no gaps.
//
// In, out: a History whose transactions have the field `sno` -> an anomaly (session-gap) for each gap
//          (history/session_gaps.h).
// Always:  part of strong-session-snapshot-isolation and of all levels that imply it, with every method: the history
//          lacks what the missing transaction read and wrote, so its place in the session cannot be judged.
// Cost:    one pass over the transactions, only where some have a number.
#pragma once

#include <cstdint>
#include <span>

#include "anomaly/verdict.h"
#include "base/limits.h"
#include "history/history.h"
#include "history/session_gaps.h"

namespace isolde {

// If there are gaps and the level forbids them, makes the verdict violated and adds them to its anomalies.
// Ensures: verdict.counts says how many.
void add_session_gaps(const History& history, const Limits& limits, Verdict& verdict);

// If there are gaps and the level allows them, adds a note.
void note_session_gaps(const History& history, Verdict& verdict);

// The same where gaps are found elsewhere: `count` of them, of which `first` are at hand (at least one, and as many as
// may be kept, if there are any).
void add_session_gaps(std::span<const SessionGap> first, std::uint64_t count, const Limits& limits, Verdict& verdict);
void note_session_gaps(const History& history, SessionGap first, std::uint64_t count, Verdict& verdict);

}  // namespace isolde
