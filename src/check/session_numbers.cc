#include "check/session_numbers.h"

#include <utility>
#include <vector>

namespace isolde {

bool is_numbered_apart(std::int64_t before, std::int64_t after) {
  if (before == kNoTime || after == kNoTime) return false;
  return before >= after || static_cast<std::uint64_t>(after) - static_cast<std::uint64_t>(before) != 1;
}

void add_session_gaps(const History& history, const Limits& limits, Verdict& verdict) {
  if (history.columns().sno.empty() || info(verdict.level).order == AddedOrder::kNone) return;
  std::vector<TxnId> last(history.session_count(), kNoTxn);
  bool any = false;
  for (std::uint32_t i = 0; i < history.txn_count(); ++i) {
    const TxnId t{i};
    const TxnId before = std::exchange(last[raw(history.session(t))], t);
    if (before == kNoTxn || !is_numbered_apart(history.sno(before), history.sno(t))) continue;
    any = true;
    verdict.count(AnomalyKind::kSessionGap);
    if (verdict.anomalies.size() >= limits.max_anomalies) continue;
    Anomaly gap;
    gap.kind = AnomalyKind::kSessionGap;
    gap.transactions = {t, before};
    gap.steps.push_back({.type = StepType::kSession, .from = before, .to = t});
    verdict.anomalies.push_back(std::move(gap));
  }
  if (!any) return;
  if (verdict.outcome != Outcome::kViolated) {
    verdict.reason.clear();
    verdict.witness = Witness{};
  }
  verdict.outcome = Outcome::kViolated;
}

}  // namespace isolde
