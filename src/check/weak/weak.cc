#include "check/weak/weak.h"

#include <fmt/format.h>

#include <numeric>
#include <span>
#include <vector>

#include "check/cycles/cycle_checks.h"
#include "check/weak/choose_writers.h"
#include "check/weak/needed_seen.h"
#include "check/weak/order.h"
#include "check/weak/predicate_axioms.h"

namespace isolde {
namespace {

constexpr std::uint64_t kStepsPerPlace = 16;  // of an order by hints

bool is_judged(Level level) {
  const graph::LevelRow* const row = graph::row_of(level);
  const bool without_axiom = level == Level::kReadCommitted || level == Level::kCursorStability;
  return without_axiom || (row != nullptr && row->seen != graph::SeenRule::kNone);
}

std::string weak_lacks(const History& history, Level level) {
  if (!is_judged(level)) return fmt::format("{} is not decided by reads and sessions alone", info(level).name);
  return graph::cycles_lack(history, level);
}

// The places of all transactions in an order that keeps what is known of them, close to these places; empty if what is
// known goes in a cycle.
std::vector<std::uint32_t> consistent_places(const History& history, const graph::Trace& trace, Level level,
                                             std::span<const std::uint32_t> near) {
  const graph::LevelRow& row = *graph::row_of(level);
  const graph::VersionOrders orders = graph::order_versions(history, trace, row.updates);
  if (!orders.ambiguous.empty()) return {};
  const auto order = weak::order_near({history, trace, orders, {}, row}, near);
  if (!order) return {};
  std::vector<std::uint32_t> place(history.txn_count(), 0);
  for (std::uint32_t i = 0; i < order->size(); ++i) place[raw((*order)[i])] = i;
  return place;
}

// Whether the level holds with writers that are chosen for the reads that leave a choice: by the order of the file, by
// other hints, and by orders close to these that keep what the other reads show. In such an order a writer that comes
// before its reader closes no cycle.
bool holds_with_chosen_writers(const History& history, const graph::Trace& trace, Level level, const Limits& limits) {
  const auto holds = [&](std::span<const std::uint32_t> place) {
    const auto chosen = weak::choose_writers(history, trace, place);
    if (!chosen) return false;
    return graph::check_level(history, level, limits, *chosen, weak::needed_seen).verdict.outcome ==
           Outcome::kSatisfied;
  };
  std::vector<std::uint32_t> file(history.txn_count());
  std::iota(file.begin(), file.end(), 0U);
  if (holds(file)) return true;
  for (const auto& places : {weak::hinted_places, weak::done_places}) {
    if (limits.exhausted()) return false;
    const std::vector<std::uint32_t> place = places(history);
    limits.spend(kStepsPerPlace * place.size());
    if (holds(place)) return true;
    if (limits.exhausted()) return false;
    const std::vector<std::uint32_t> near = consistent_places(history, trace, level, place);
    if (!near.empty() && holds(near)) return true;
  }
  return false;
}

Verdict judge_by_weak(CheckContext& context, Level level, const Limits& limits) {
  const History& history = context.history();
  auto& cycles = context.shared<graph::CycleChecks>();
  if (!history.columns().predicates.empty() &&
      weak::holds_with_predicates(history, cycles.traced(level, limits), level, limits)) {
    Verdict holds;
    holds.decide(Outcome::kSatisfied);
    return holds;
  }
  Verdict verdict = cycles.check(level, limits, weak::needed_seen);
  if (verdict.outcome != Outcome::kUndecided || !history.columns().predicates.empty()) return verdict;
  const graph::Trace& trace = cycles.traced(level, limits);
  if (!trace.only_open || trace.breaks_a_rule || trace.cut_short) return verdict;
  if (!holds_with_chosen_writers(history, trace, level, limits)) return verdict;
  verdict.decide(Outcome::kSatisfied);
  verdict.notes.push_back(
      fmt::format("{} reads returned values that several transactions wrote; with one writer chosen for each, {} holds",
                  trace.open.size(), info(level).name));
  return verdict;
}

}  // namespace

constinit const Engine kWeakEngine{
    .name = "weak",
    .summary = "read-committed to causal from reads and sessions alone; cursor-stability",
    .taken_because = "reads and sessions decide this level",
    .lacks = weak_lacks,
    .judge = judge_by_weak};

}  // namespace isolde
