#include "check/session_numbers.h"

#include <fmt/format.h>

#include <utility>

namespace isolde {

void add_session_gaps(const History& history, const Limits& limits, Verdict& verdict) {
  if (!proscribes(verdict.level, AnomalyKind::kSessionGap)) return;
  const std::vector<SessionGap> gaps = session_gaps(history);
  add_session_gaps(gaps, gaps.size(), limits, verdict);
}

void add_session_gaps(std::span<const SessionGap> first, std::uint64_t count, const Limits& limits, Verdict& verdict) {
  if (count == 0 || !proscribes(verdict.level, AnomalyKind::kSessionGap)) return;
  verdict.counts[static_cast<std::size_t>(AnomalyKind::kSessionGap)] += count;
  for (const SessionGap& gap : first) {
    if (verdict.anomalies.size() >= limits.max_anomalies) continue;
    Anomaly a;
    a.kind = AnomalyKind::kSessionGap;
    a.transactions = {gap.after, gap.before};
    a.steps.push_back({.type = StepType::kSession, .from = gap.before, .to = gap.after});
    verdict.anomalies.push_back(std::move(a));
  }
  if (verdict.outcome != Outcome::kViolated) verdict.witness = Witness{};
  verdict.decide(Outcome::kViolated);
}

void note_session_gaps(const History& history, Verdict& verdict) {
  if (proscribes(verdict.level, AnomalyKind::kSessionGap)) return;
  const std::vector<SessionGap> gaps = session_gaps(history);
  if (gaps.empty()) return;
  note_session_gaps(history, gaps[0], gaps.size(), verdict);
}

void note_session_gaps(const History& history, SessionGap first, std::uint64_t count, Verdict& verdict) {
  if (proscribes(verdict.level, AnomalyKind::kSessionGap)) return;
  const auto [before, after] = first;
  verdict.notes.push_back(fmt::format(
      "the session numbers (sno) have {} gap{}; the first: in session {} number {} follows number {} (transactions {} "
      "and {}); {} allows that, strong-session-snapshot-isolation and stronger levels forbid it",
      count, count == 1 ? "" : "s", history.session_text(history.session(after)), history.sno(after),
      history.sno(before), history.txn_text(before), history.txn_text(after), info(verdict.level).name));
}

}  // namespace isolde
