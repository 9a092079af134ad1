// report/explain_anomaly.h: one anomaly in words.
//
// In, out: History + Anomaly (evidence) -> a title, a few sentences, and one sentence a step.
// Always:  says only what the evidence holds; `steps` has as many entries as the anomaly has steps.
#pragma once

#include <string>
#include <vector>

#include "anomaly/anomaly.h"
#include "history/history.h"

namespace isolde {

struct Explanation {
  std::string title;               // "GSIb: a read misses a transaction that its snapshot contains"
  std::vector<std::string> lines;  // what was read, what should have been, where it came from
  std::vector<std::string> steps;  // "T4 read x = 1, which T9 overwrote (x = 2)"
};

[[nodiscard]] Explanation explain(const History& history, const Anomaly& anomaly);

// All of it as one paragraph, for the JSON report.
[[nodiscard]] std::string paragraph(const Explanation& explanation);

// "older", "never-written", …: the JSON report's word for where a value came from.
[[nodiscard]] std::string_view name(ReadSource source);

}  // namespace isolde
