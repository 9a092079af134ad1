#include "report/faults_shown.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/report.h"
#include "report/words.h"

namespace isolde {

std::string faults_during(const History& h, const Anomaly& a) {
  if (h.faults().empty()) return {};
  std::int64_t from = INT64_MAX, to = kNoTime;
  const auto look_at = [&](TxnId t) {
    if (t == kNoTxn) return;
    if (h.begin(t) != kNoTime) from = std::min(from, h.begin(t));
    to = std::max({to, h.begin(t), h.end(t)});
  };
  for (const TxnId t : a.transactions) look_at(t);
  for (const Step& step : a.steps) {
    look_at(step.from);
    look_at(step.to);
  }
  std::map<std::string, std::uint64_t> times;
  for (const FaultMark& fault : h.faults()) {
    const std::int64_t end = fault.end == kNoTime ? fault.begin : fault.end;
    if (fault.begin <= to && end >= from) ++times[std::string(h.values().string(fault.name))];
  }
  std::string text;
  for (const auto& [name, count] : times)
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", words::shortened(name),
                        count > 1 ? " " + grouped(count) : std::string());
  return text;
}

}  // namespace isolde
