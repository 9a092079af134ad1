#include "check/timeline/found.h"

#include <fmt/format.h>

#include "check/timeline/trace_reads.h"

namespace isolde::timeline {
namespace {

// Those beyond the first are only counted.
template <typename T>
void count_the_rest(const FirstOf<T>& some, AnomalyKind kind, Verdict& verdict) {
  verdict.counts[static_cast<std::size_t>(kind)] += some.count - some.first.size();
}

}  // namespace

Verdict judge_found(const History& part, Level level, const Limits& limits, Clock clock, const Found& found) {
  const LevelInfo& row = info(level);
  const bool snapshot = row.family == LevelFamily::kSnapshot;
  Verdict verdict;
  verdict.level = level;
  verdict.given = given_by(clock);
  verdict.outcome = found.violates() ? Outcome::kViolated : Outcome::kSatisfied;
  if (found.violates()) {
    Schedule schedule;
    schedule.counts = found.counts;
    schedule.start_after_commit = found.start_after_commit.first;
    SweepResult swept;
    swept.commit_rank = found.commit_rank;
    const Context context{part, schedule, swept, row.family, clock};
    const std::size_t most = limits.max_anomalies;
    add_findings(context, found.findings, most, verdict);
    add_order_findings(context, found.session.first, AnomalyKind::kSessionOrder, most, verdict);
    add_order_findings(context, found.realtime.first, AnomalyKind::kRealtimeOrder, most, verdict);
    if (snapshot) add_start_after_commit(context, most, verdict);
    count_the_rest(found.session, AnomalyKind::kSessionOrder, verdict);
    count_the_rest(found.realtime, AnomalyKind::kRealtimeOrder, verdict);
    count_the_rest(found.start_after_commit, AnomalyKind::kTimestampOrder, verdict);
  } else {
    verdict.witness.kind = snapshot ? Witness::Kind::kPoints : Witness::Kind::kSerialOrder;
  }
  if (found.clocks.count > 0)
    verdict.notes.push_back(clock_note(part, row, found.clocks.count, found.clocks.first.front()));
  if (found.violates() && !snapshot) verdict.notes.push_back(order_note(clock));
  return verdict;
}

std::string clock_note(const History& h, const LevelInfo& level, std::uint64_t count, const OrderFinding& first) {
  return fmt::format(
      "timestamps contradict the clients' clocks {} times; the first: {} ended before {} began, yet by the "
      "timestamps {} does not see it (allowed at {}; {} forbids it)",
      count, h.txn_text(first.before), h.txn_text(first.after), h.txn_text(first.after), level.name,
      level.family == LevelFamily::kSnapshot ? "strong-snapshot-isolation" : "strict-serializable");
}

std::string order_note(Clock clock) {
  return fmt::format("{} does not explain the history",
                     clock == Clock::kOrder ? "the expected order" : "the order of commit timestamps");
}

}  // namespace isolde::timeline
