// check/tested.h: whether the order that a level adds was there to be tested.
//
// In, out: a History, or counts of a stream -> what it tells about sessions and clocks; a Verdict that claims no more.
// Always:  strong-session levels and those of real time are a base level and an order that is added (anomaly/level.h).
//          Where a history has nothing of that order, a check of the level is a check of the base, so `satisfied` would
//          be a claim about something nobody looked at: it becomes undecided, and says what holds without the order.
//          A violation stays one: what breaks the base breaks the level.
//          Only levels that have a form without the order are treated so. In the axioms of Biswas and Enea, and in
//          prefix, session order is part of the model: there a history without sessions is one more input.
// Cost:    one pass over the transactions.
// Source:  docs/levels.md, "What was not there to be tested".
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "anomaly/verdict.h"
#include "history/history.h"

namespace isolde {

// What there is of session order and real time between transactions that may count as committed.
struct OrderEvidence {
  bool sessions = false;        // some transaction follows another one in its session
  bool clocks = false;          // some transaction has an end and another one a begin
  bool realtime = false;        // … and the one ended before the other began
  std::uint64_t unclocked = 0;  // committed ones that lack begin or end, unknown ones that lack begin
  std::uint64_t counted = 0;    // transactions that were looked at
};
[[nodiscard]] OrderEvidence order_evidence(const History& history);

// The level without what was not there to be tested; nothing if all that it adds was there.
[[nodiscard]] std::optional<Level> tested_form(Level level, const OrderEvidence& evidence);

// "no clock: serializable holds; …". Requires: `form` is tested_form(level).
[[nodiscard]] std::string untested_reason(Level level, Level form);

// Turns `satisfied` into undecided where tested_form() says so, and sets `holds`. Where it stands, notes say how many
// transactions real time could say nothing about.
void withhold_untested(const OrderEvidence& evidence, Verdict& verdict);

}  // namespace isolde
