// report/explain_cases.h: the choices of a proof by cases, in words.
#pragma once

#include <string>

#include "anomaly/anomaly.h"
#include "history/history.h"
#include "proof/choices.h"

namespace isolde {

// Cost: a pass over the history where a case is about a read.
[[nodiscard]] proof::Choices choices_of(const History& history, const Anomaly& anomaly);

// "T1 comes before T2 (both wrote x)", "T5 read x = 1 from T3", "T9 committed": as a fact, or as what must hold
// ("T2 must come before T1 …").
enum class Mood : std::uint8_t { kFact, kMust };
[[nodiscard]] std::string choice_text(const History& history, const proof::Choices& choices, proof::Literal literal,
                                      Mood mood);

// A step that stands on a choice: "T1 before T2, as assumed (both wrote x)".
[[nodiscard]] std::string assumed_step_text(const History& history, const Step& step);

}  // namespace isolde
