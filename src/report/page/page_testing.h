// report/page/page_testing.h: what tests of pages share: reports made by hand, and the data out of a page.
#pragma once

#include <string>
#include <vector>

#include "report/page/page.h"
#include "report/report.h"

namespace isolde {

inline Verdict violated_at(Level level) {
  Verdict v;
  v.outcome = Outcome::kViolated;
  v.level = level;
  v.method = "graph";
  return v;
}

// Each overwrites what the one before read; of both the first operation on the first key.
inline Anomaly cycle_of(const History& h, const std::vector<TxnId>& members) {
  Anomaly a;
  a.kind = AnomalyKind::kG2Item;
  a.transactions = members;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const TxnId from = members[i], to = members[(i + 1) % members.size()];
    a.steps.push_back(
        {StepType::kRw, from, to, h.op(h.first_op(from)).key(), OpId{h.first_op(from)}, OpId{h.end_op(to) - 1}});
  }
  return a;
}

inline Report report_on(const History& h, const Verdict& v) {
  return {.file = "some/where/h.jsonl",
          .format = "native",
          .history = h,
          .verdict = v,
          .why_method = "why",
          .notes = {},
          .stats = {}};
}

// What stands in the element of the data.
inline std::string data_in(const std::string& page) {
  const std::string_view built = page_template();
  const std::size_t before = built.find("{{data}}"), after = built.size() - before - 8;
  return page.substr(before, page.size() - before - after);
}

}  // namespace isolde
