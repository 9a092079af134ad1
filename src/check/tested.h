// check/tested.h: whether a history can test the order that a level adds.
//
// In, out: a History, or counts of a stream -> what it shows about sessions and clocks; a Verdict that claims no more.
// Always:  strong-session and real-time levels are a base level plus an added order (anomaly/level.h). If a history has
//          nothing of that order, checking the level only checks the base, so `satisfied` would be a claim about
//          something that was never tested. The verdict becomes undecided and names what holds without the order.
//          A violation remains a violation: what breaks the base breaks the level.
//          This applies only to levels that have a form without the order. In the axioms of Biswas and Enea, and in
//          prefix, session order is part of the model: there, a history without sessions is an ordinary input.
// Cost:    one pass over the transactions.
// Source:  docs/levels.md, "What was not there to be tested".
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "anomaly/verdict.h"
#include "history/history.h"

namespace isolde {

// The evidence of session order and real time between transactions that may count as committed.
struct OrderEvidence {
  bool sessions = false;        // some transaction follows another one in its session
  bool clocks = false;          // some transaction has an end and another one has a begin
  bool realtime = false;        // … and the first ended before the second began
  std::uint64_t unclocked = 0;  // committed transactions without begin or end, and unknown ones without begin
  std::uint64_t counted = 0;    // transactions examined
};
[[nodiscard]] OrderEvidence order_evidence(const History& history);

// The level without the order that could not be tested; nothing if its whole added order could be.
[[nodiscard]] std::optional<Level> tested_form(Level level, const OrderEvidence& evidence);

// "no clocks: serializable holds, but …". Requires: `form` is tested_form(level).
[[nodiscard]] std::string untested_reason(Level level, Level form);

// Turns `satisfied` into undecided if tested_form() says so, and sets `holds`. If it stays satisfied, notes say how
// many transactions real time says nothing about.
void withhold_untested(const OrderEvidence& evidence, Verdict& verdict);

}  // namespace isolde
