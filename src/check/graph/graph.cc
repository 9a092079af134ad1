#include "check/graph/graph.h"

#include <fmt/format.h>

#include "check/graph/cycles.h"
#include "check/graph/explain_by_looks.h"
#include "check/graph/predicates.h"
#include "check/graph/snapshot_sets.h"

namespace isolde {
namespace {

constexpr std::uint32_t kFewForSearch = 2000;  // transactions
constexpr std::uint32_t kSomeForSearch = 20'000;

std::string graph_lacks(const History& history, Level level) {
  if (graph::row_of(level) == nullptr) return fmt::format("{} is not decided by cycles alone", info(level).name);
  if (history.txn_count() >= graph::kMaxNodes / 2) return "too many transactions";
  // Whether the order of versions is known shows only in the check itself, which says so if it matters.
  return {};
}

Verdict check_by_graph(const History& history, Level level, const Limits& limits) {
  return GraphChecks(history).check(level, limits);
}

}  // namespace

GraphChecks::GraphChecks(const History& history) : h_(history) {}
GraphChecks::~GraphChecks() = default;

// What predicates were evaluated on is first guessed: where the guess is good, that is the cheapest way by far.
Witness GraphChecks::guess_predicates(Level level, const Limits& limits) {
  if (h_.columns().predicates.empty() || graph::predicate_rule(level) != graph::PredicateRule::kState) return {};
  // Where timestamps are part of the question, another order is no answer.
  const bool at_timestamps = info(level).family == LevelFamily::kSnapshot && !h_.columns().start_ts.empty();
  if (at_timestamps || h_.has_flag(kVersionsByCommitTs)) return {};
  const graph::Trace& trace = traced(level, limits);
  if (trace.cut_short || !trace.untraceable.empty() || trace.breaks_a_rule || !trace.bad_reads.empty()) return {};
  const graph::LevelRow& row = *graph::row_of(level);
  const graph::VersionOrders orders = graph::order_versions(h_, trace, row.updates);
  if (orders.open != kNoKey || !orders.ambiguous.empty() || !orders.lost_updates.empty()) return {};
  const PredicateSet predicates(h_);
  if (!predicates.defect().empty()) return {};
  return graph::explain_by_looks(h_, predicates, trace, orders, row, limits);
}

Verdict GraphChecks::check(Level level, const Limits& limits, graph::FindSeen find_seen) {
  if (Witness witness = guess_predicates(level, limits); !witness.events.empty()) {
    Verdict holds;
    holds.level = level;
    holds.method = kGraphEngine.name;
    holds.outcome = Outcome::kSatisfied;
    holds.witness = std::move(witness);
    return holds;
  }
  auto [verdict, predicates_left_open] = judge(level, limits, find_seen);
  verdict.method = kGraphEngine.name;
  if (!predicates_left_open) return std::move(verdict);
  // More order leaves fewer choices: one order that holds at a stronger level shows this one too. A level that is not
  // about states is hardly ever shown by a search for them; and in large histories, where a guess failed, neither is
  // one that is.
  const bool of_states = graph::predicate_rule(level) != graph::PredicateRule::kResult;
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
    verdict.outcome = Outcome::kSatisfied;
    verdict.reason.clear();
    verdict.witness = std::move(witness);
    return std::move(verdict);
  }
  if (!limits.exhausted()) graph::decide_by_snapshot_sets(h_, traced(level, limits), limits, verdict);
  return std::move(verdict);
}

const graph::Trace& GraphChecks::traced(Level level, const Limits& limits) {
  const graph::TraceKind kind = graph::trace_kind(level);
  if (trace_ == nullptr || kind != kind_ || trace_->cut_short) {
    trace_.reset();  // before the next one is made: two would not fit where one just does
    trace_ = std::make_unique<const graph::Trace>(graph::trace_reads(h_, level, limits));
    kind_ = kind;
  }
  return *trace_;
}

graph::LevelVerdict GraphChecks::judge(Level level, const Limits& limits, graph::FindSeen find_seen) {
  return graph::check_level(h_, level, limits, traced(level, limits), find_seen);
}

constinit const Engine kGraphEngine{
    .name = "graph",
    .summary = "levels as forbidden cycles: lists, read-modify-write chains, version orders, timestamps, snapshots",
    .lacks = graph_lacks,
    .check = check_by_graph};

}  // namespace isolde
