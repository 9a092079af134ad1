// check/read_rules/read_rules.h: what no committed transaction may read, at any level from read-committed up.
//
// In, out: a History and a level -> anomalies G1a (aborted), G1b (intermediate), garbage-read (never written), internal
//          (not what the transaction itself last wrote or, from read-atomic up, last read).
// Always:  a read is reported only if no writer explains it: with repeated values one good writer is enough.
//          Transactions of unknown outcome may have committed, so reading from them breaks no rule.
// Cost:    one hash look-up a write and a read.
// Source:  CONTRACT section 2; Adya's G1a, G1b; Elle's internal, garbage-read.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "anomaly/level.h"
#include "anomaly/verdict.h"
#include "base/limits.h"
#include "history/history.h"

namespace isolde {

// Adds what it finds to `verdict` (anomalies, counts, and a note on values written more than once).
// `counted`: by transaction, whether its reads are judged; empty: those of committed transactions are.
// Ensures: false if `limits` ran out before the end.
[[nodiscard]] bool add_read_rule_anomalies(const History& history, Level level, const Limits& limits, Verdict& verdict,
                                           std::span<const std::uint8_t> counted = {});

}  // namespace isolde
