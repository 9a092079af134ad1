#include "check/cycles/cycle_checks.h"

#include <fmt/format.h>

#include "check/cycles/cycles.h"
#include "check/cycles/explain_by_likely_versions.h"
#include "check/cycles/predicates.h"
#include "check/cycles/snapshot_sets.h"

namespace isolde::graph {
namespace {

constexpr std::uint32_t kFewForSearch = 2000;  // transactions
constexpr std::uint32_t kSomeForSearch = 20'000;

}  // namespace

CycleChecks::CycleChecks(const History& history) : h_(history) {}
CycleChecks::~CycleChecks() = default;

// What predicates were evaluated on is first guessed: where the guess is good, that is the cheapest way by far.
Witness CycleChecks::guess_predicates(Level level, const Limits& limits) {
  if (h_.columns().predicates.empty() || predicate_rule(level) != PredicateRule::kState) return {};
  // Where timestamps are part of the question, another order is no answer.
  const bool at_timestamps = info(level).family == LevelFamily::kSnapshot && !h_.columns().start_ts.empty();
  if (at_timestamps || h_.has_flag(kVersionsByCommitTs)) return {};
  const Trace& trace = traced(level, limits);
  if (trace.cut_short || !trace.untraceable.empty() || trace.breaks_a_rule || !trace.bad_reads.empty()) return {};
  const LevelRow& row = *row_of(level);
  const VersionOrders orders = order_versions(h_, trace, row.updates);
  if (orders.open != kNoKey || !orders.ambiguous.empty() || !orders.lost_updates.empty()) return {};
  const PredicateSet predicates(h_);
  if (!predicates.defect().empty()) return {};
  return explain_by_likely_versions(h_, predicates, trace, orders, row, limits);
}

Verdict CycleChecks::check(Level level, const Limits& limits, FindSeen find_seen) {
  if (Witness witness = guess_predicates(level, limits); !witness.events.empty()) {
    Verdict holds;
    holds.level = level;
    holds.outcome = Outcome::kSatisfied;
    holds.witness = std::move(witness);
    return holds;
  }
  LevelVerdict found = judge(level, limits, find_seen);
  Verdict& verdict = found.verdict;
  if (!found.predicates_left_open) return std::move(verdict);
  // More order leaves fewer choices: one order that holds at a stronger level shows this one too. A level that is not
  // about states is hardly ever shown by a search for them; and in large histories, where a guess failed, neither is
  // one that is.
  const bool of_states = predicate_rule(level) != PredicateRule::kResult;
  const bool searches = h_.txn_count() <= (of_states ? kSomeForSearch : kFewForSearch);
  for (const Level stronger : {Level::kPrefix, Level::kSerializable, Level::kStrongSessionSerializable,
                               Level::kStrongSnapshotIsolation, Level::kStrictSerializable}) {
    if (stronger == level || !implies(stronger, level) || limits.exhausted()) continue;
    Witness witness = of_states ? Witness{} : guess_predicates(stronger, limits);
    if (witness.events.empty() && searches) {
      Verdict holds = judge(stronger, limits).verdict;
      if (holds.outcome != Outcome::kSatisfied) continue;
      witness = std::move(holds.witness);
    } else if (witness.events.empty()) {
      continue;
    }
    verdict.decide(Outcome::kSatisfied);
    verdict.witness = std::move(witness);
    return std::move(verdict);
  }
  if (!limits.exhausted()) decide_by_snapshot_sets(h_, traced(level, limits), limits, verdict);
  return std::move(verdict);
}

const Trace& CycleChecks::traced(Level level, const Limits& limits) {
  const TraceKind kind = trace_kind(level);
  if (trace_ == nullptr || kind != kind_ || trace_->cut_short) {
    trace_.reset();  // before the next one is made: two would not fit where one just does
    trace_ = std::make_unique<const Trace>(trace_reads(h_, level, limits));
    kind_ = kind;
  }
  return *trace_;
}

LevelVerdict CycleChecks::judge(Level level, const Limits& limits, FindSeen find_seen) {
  return check_level(h_, level, limits, traced(level, limits), find_seen);
}

std::string cycles_lack(const History& history, Level level) {
  if (row_of(level) == nullptr) return fmt::format("{} is not decided by cycles alone", info(level).name);
  if (history.txn_count() >= kMaxNodes / 2) return "too many transactions";
  // Whether the order of versions is known shows only in the check itself, which says so if it matters.
  return {};
}

}  // namespace isolde::graph
