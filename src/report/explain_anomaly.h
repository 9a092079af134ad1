// report/explain_anomaly.h: one anomaly in words.
//
// In, out: History + Anomaly (evidence) -> a title, the transactions, one sentence a step, and the contradiction.
// Always:  says only what the evidence holds; `steps` has as many entries as the anomaly has steps, `transactions` as
// it
//          has transactions, `cases` as it has cases.
#pragma once

#include <string>
#include <vector>

#include "anomaly/anomaly.h"
#include "history/history.h"

namespace isolde {

struct Explanation {
  std::string title;                      // "GSIb: a read misses a transaction that its snapshot contains"
  std::vector<std::string> lines;         // about one read: what it returned, and what it should have
  std::vector<std::string> transactions;  // "T4 (session 2): read x = 1, wrote y = 2, … 12 other operations"
  std::vector<std::string> steps;         // "T4 before T9, because T4 read x = 1 and T9 wrote a later version, x = 2"
  std::vector<std::vector<std::string>> cases;  // of each, its steps
  std::string contradiction;                    // "T4 comes before T9, and T9 before T4."
};

[[nodiscard]] Explanation explain(const History& history, const Anomaly& anomaly);

// The operations that an anomaly is about, ordered; kNoOp may be among them.
[[nodiscard]] std::vector<OpId> named_operations(const History& history, const Anomaly& anomaly);

// Title, lines and contradiction as one paragraph, for the JSON report.
[[nodiscard]] std::string paragraph(const Explanation& explanation);

// "older", "never-written", …: the JSON report's word for where a value came from.
[[nodiscard]] std::string_view name(ReadSource source);

}  // namespace isolde
