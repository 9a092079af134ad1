// check/cycles/fault_anomalies.h: what is wrong without a search for cycles, told as anomalies.
//
// In, out: one fault (a bad read, a lost update, a version or a write that was missed) -> its Anomaly.
// Always:  every step names its operations.
// Cost:    the operations of the transactions that take part; missed_past() searches the reader's past.
#pragma once

#include "anomaly/verdict.h"
#include "check/cycles/cursor.h"
#include "check/cycles/cycles.h"
#include "check/cycles/seen.h"
#include "check/cycles/trace.h"
#include "check/cycles/version_order.h"

namespace isolde::graph {

[[nodiscard]] Anomaly bad_read(const History& history, const BadRead& bad);

// What single reads break: the read rules, and what else the trace found. False: the limits ran out.
[[nodiscard]] bool add_read_faults(const History& history, const Trace& trace, const Limits& limits, Verdict& verdict);

[[nodiscard]] Anomaly lost_update(const History& history, const LostUpdate& lost);

[[nodiscard]] Anomaly missed_version(const History& history, const Trace& trace, const MissedVersion& fault);

// It saw the writer, or comes after it in the session, and yet read a key of it as it was at first. Not for
// SeenRule::kPast.
[[nodiscard]] Anomaly missed_write(const History& history, SeenRule rule, const Missed& missed);

// The same where the writer is in its past, by a chain of sessions and reads.
inline constexpr AnomalyKind kMissedPast = AnomalyKind::kGSingle;
[[nodiscard]] Anomaly missed_past(const History& history, const Trace& trace, const Missed& missed);

}  // namespace isolde::graph
