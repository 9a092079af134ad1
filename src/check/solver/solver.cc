#include "check/solver/solver.h"

#include <fmt/format.h>

#include <algorithm>

#include "check/cycles/cycle_checks.h"
#include "check/cycles/explain_by_likely_versions.h"
#include "check/cycles/explain_cycle.h"
#include "check/cycles/fault_anomalies.h"
#include "check/cycles/level_check.h"
#include "check/cycles/version_evidence.h"
#include "check/predicates/predicate_replay.h"
#include "check/solver/explain.h"
#include "check/solver/frontier.h"
#include "check/solver/polygraph.h"
#include "check/solver/search.h"

namespace isolde {
namespace solver {
namespace {

// The problem is exponential at worst, and nobody waits for that: about half an hour. Who gives a time gets that
// instead.
constexpr std::uint64_t kMostSearchSteps = 200'000'000'000;
constexpr std::uint32_t kMostToldByPast = 20'000;  // transactions; their pasts take longer than the search itself

class SolverCheck {
 public:
  SolverCheck(const History& history, Level level, const Limits& limits, const graph::Trace& trace, bool guess)
      : h_(history),
        row_(*graph::row_of(level)),
        guess_(guess),
        limits_(limits),
        budget_(limits.has_deadline() ? WorkBudget::kUnlimited : kMostSearchSteps, "the search for an order",
                "--timeout replaces it with a time limit", limits.work),
        trace_(trace) {
    limits_.work = &budget_;
    verdict_.level = level;
  }

  Verdict run() {
    if (trace_.cut_short) return out_of_limits();
    const bool traced = trace_.untraceable.empty() || trace_.only_open;
    if (traced) order_versions();
    verdict_.notes.insert(verdict_.notes.end(), orders_.notes.begin(), orders_.notes.end());
    if (!graph::add_read_faults(h_, trace_, limits_, verdict_)) return out_of_limits();
    for (const graph::LostUpdate& lost : orders_.lost_updates) keep(graph::lost_update(h_, lost));
    if (verdict_.total() > 0) return violated();
    if (trace_.breaks_a_rule) return undecided(WhyOpen::kEvidence, "a read has no explanation");
    if (!traced) return undecided(WhyOpen::kEvidence, "not enough evidence: " + trace_.untraceable);
    if (!orders_.ambiguous.empty()) return undecided(WhyOpen::kEvidence, "not enough evidence: " + orders_.ambiguous);
    const graph::Dependencies known = graph::find_dependencies(h_, trace_, orders_, {}, {}, row_.edges);
    limits_.spend(graph::steps_of(known));
    graph::Sorted sorted = graph::sort_nodes(known, row_.nodes);
    if (!sorted.components.empty()) {
      graph::add_cycles({h_, trace_, orders_, {}, {}, known}, row_, sorted, limits_, verdict_);
      return violated();
    }
    if (limits_.exhausted()) return out_of_limits();
    return search_order({h_, trace_, orders_, known, row_});
  }

 private:
  void order_versions() {
    orders_ = graph::order_versions(h_, trace_, row_.updates);
    if (!h_.has_flag(kVersionsByCommitTs) || !orders_.ambiguous.empty() || orders_.open == kNoKey) return;
    // Whether timestamps agree with a read shows only where its writer is known.
    timestamps_unused_ = trace_.only_open && !h_.columns().commit_ts.empty();
    if (timestamps_unused_) return;
    if (graph::add_evidence(h_, trace_, row_.updates, orders_, orders_.notes))
      orders_.notes.emplace_back("given the database's commit timestamps as the order of versions");
  }

  Verdict search_order(const Source& source) {
    bool left_out = false;
    const Problem problem = make_problem(source, left_out);
    for (const Read& read : problem.reads) {
      if (read.count > 0) continue;
      if (left_out) return undecided(WhyOpen::kEvidence, std::string(kUnknownWriter));
      // Others overwrote that value themselves; only the reader left it, later.
      keep(graph::bad_read(h_, {AnomalyKind::kG1c, ReadSource::kOwnLater, read.txn, read.op, read.key, read.txn}));
    }
    if (verdict_.total() > 0) return violated();
    SearchStats stats;
    stats.pairs = open_pairs();
    Found found = find_order(source, problem, stats);
    stats.pruned = std::min(stats.pruned, stats.pairs);
    stats.searched = std::min(stats.searched, stats.pairs - stats.pruned);
    const bool guessed = guess_ && found.outcome == Found::Outcome::kOrder;
    stats.guessed = guessed ? stats.pairs - stats.pruned - stats.searched : 0;
    verdict_.search = stats;
    switch (found.outcome) {
      case Found::Outcome::kOrder:
        return satisfied(std::move(found.order), problem.txns);
      case Found::Outcome::kLimit:
        if (!guess_) return undecided(why_stopped(), std::move(found.limit));
        return undecided(why_stopped(), fmt::format("{} (of {} unordered pairs of writers, pruning had ordered {})",
                                                    found.limit, stats.pairs, stats.pruned));
      case Found::Outcome::kNone:
        break;
    }
    if (left_out) return undecided(WhyOpen::kEvidence, std::string(kUnknownWriter));
    if (tell_by_past()) return violated();
    keep(explain_refutation(source, problem, found.cycles));
    return violated();
  }

  // Guesses, in the order of what they cost, and then the search that proves.
  Found find_order(const Source& source, const Problem& problem, SearchStats& stats) {
    if (!guess_) {
      const std::uint64_t pairs = stats.pairs;
      Found found = solve_polygraph(problem, limits_, stats);
      stats.pairs = std::max(stats.pairs, pairs);
      return found;
    }
    bool by_states = false;
    SearchOptions guess{.most_conflicts = 0};
    Found found = search(h_, problem, limits_, stats, guess);
    if (found.outcome == Found::Outcome::kOrder) return found;
    // Most stores also keep the order of sessions, and of real time: with these the order is easier to find.
    for (const graph::Edge more : {graph::Edge::kRealtime, graph::Edge::kSession}) {
      if (row_.edges.has(more) || !says_something(more)) continue;
      const graph::EdgeSet edges = row_.edges | graph::Edge::kSession | more;
      const graph::Dependencies graph = graph::find_dependencies(h_, trace_, orders_, {}, {}, edges);
      limits_.spend(graph::steps_of(graph));
      if (!graph::sort_nodes(graph, row_.nodes).components.empty()) continue;
      bool left_out = false;
      const Problem stronger = make_problem({h_, trace_, orders_, graph, source.row}, left_out);
      SearchOptions options{.most_conflicts = kMostGuesses};
      found = search(h_, stronger, limits_, stats, options);
      if (found.outcome == Found::Outcome::kOrder) return found;
      by_states = true;
      if (found.outcome == Found::Outcome::kLimit && found_by_states(stronger, options.hint, found)) return found;
    }
    // That there is no order with these says nothing of the problem itself.
    SearchOptions options{.most_conflicts = kMostGuesses, .hint = guess.hint};
    found = search(h_, problem, limits_, stats, options);
    if (found.outcome != Found::Outcome::kLimit || limits_.exhausted()) return found;
    if (!by_states && found_by_states(problem, options.hint, found)) return found;
    // It makes no progress any more. Weighing all choices at once takes a table that large histories have no room for.
    SearchStats polygraph;
    found = solve_polygraph(problem, limits_, polygraph);
    stats.pruned = std::min(polygraph.pruned, stats.pairs);
    stats.searched = std::min(polygraph.searched, stats.pairs - stats.pruned);
    stats.conflicts += polygraph.conflicts;
    if (found.outcome != Found::Outcome::kLimit || limits_.exhausted()) return found;
    options.most_conflicts = SearchOptions().most_conflicts;
    return search(h_, problem, limits_, stats, options);
  }

  // The search learns which choices do not go together. Where most of them are open it learns slowly, and knows too
  // little of states to see that it comes to the same one again and again.
  bool found_by_states(const Problem& problem, std::optional<Hint> hint, Found& found) {
    if (problem.values == 0 || problem.nodes > kMostNodesByStates) return false;
    const FrontierResult result =
        order_by_frontiers(problem, ranks(h_, problem, hint.value_or(Hint::kFile)), limits_, {});
    if (result.order.empty()) return false;
    found = {Found::Outcome::kOrder, result.order, {}, {}};
    return true;
  }

  [[nodiscard]] bool says_something(graph::Edge order) const {
    if (order == graph::Edge::kRealtime) return !h_.columns().begin.empty() && !h_.columns().end.empty();
    return h_.session_count() < h_.txn_count();
  }

  // Pairs of runs whose order is not known.
  [[nodiscard]] std::uint64_t open_pairs() const {
    std::uint64_t pairs = 0;
    for (std::size_t k = 0; k + 1 < orders_.heads_begin.size(); ++k) {
      const std::uint64_t runs = orders_.heads_begin[k + 1] - orders_.heads_begin[k];
      pairs += runs * (runs - 1) / 2;
    }
    return pairs;
  }

  // A cycle whose steps follow from who had seen whom is plainer than cases.
  bool tell_by_past() {
    if (trace_.only_open || h_.txn_count() > kMostToldByPast) return false;
    auto [other, predicates_left_open, at_given_points] = graph::check_level(h_, verdict_.level, limits_, trace_);
    if (other.outcome != Outcome::kViolated || at_given_points || rests_on_the_database(other)) return false;
    verdict_.anomalies = std::move(other.anomalies);
    verdict_.counts = other.counts;
    return true;
  }

  Verdict satisfied(std::vector<Node> order, std::uint32_t txns) {
    if (timestamps_unused_)
      return undecided(
          WhyOpen::kEvidence,
          "the level holds; whether it does with commit timestamps as the order of versions is not known: " +
              trace_.untraceable);
    verdict_.witness = graph::witness_of(order, trace_, txns, row_.nodes);
    if (!h_.columns().predicates.empty() && !explains_predicates(order, txns)) {
      if (limits_.exhausted()) return out_of_limits();
      return undecided(
          WhyOpen::kEvidence,
          "an order explains the items that were read, but not what the predicates found; another order may");
    }
    verdict_.outcome = Outcome::kSatisfied;
    return std::move(verdict_);
  }

  // Whether the order explains the predicates too, or another one with the versions in that of the clocks, or in its
  // own.
  bool explains_predicates(std::span<const Node> order, std::uint32_t txns) {
    const PredicateSet predicates(h_);
    if (!predicates.defect().empty()) return false;
    const EventForm form = verdict_.witness.kind == Witness::Kind::kPoints ? EventForm::kPoints : EventForm::kSerial;
    if (replay_predicates(h_, predicates, verdict_.witness.events, form, limits_).explained()) return true;
    if (!trace_.untraceable.empty() || !orders_.ambiguous.empty() || h_.has_flag(kVersionsByCommitTs)) return false;
    const bool points = row_.nodes != graph::Nodes::kTransactions;
    std::vector<std::uint32_t> place(h_.txn_count(), 0);
    for (std::uint32_t i = 0; i < order.size(); ++i) {
      const std::uint32_t t = points ? order[i] / 2 : order[i];  // of points: the commit, which comes last
      if (t < txns) place[t] = i;
    }
    const auto explained_by = [&](std::span<const std::uint32_t> places) {
      graph::VersionOrders orders = orders_;
      complete_orders(trace_, places, graph::PlaceBy::kLast, orders);
      verdict_.witness = explain_by_likely_versions(h_, predicates, trace_, orders, row_, limits_);
      return !verdict_.witness.events.empty();
    };
    return (!h_.columns().begin.empty() && explained_by(graph::places_by_clock(h_))) || explained_by(place);
  }

  Verdict violated() {
    verdict_.outcome = Outcome::kViolated;
    return std::move(verdict_);
  }
  Verdict undecided(WhyOpen why, std::string words) {
    verdict_.leave_open(why, std::move(words));
    return std::move(verdict_);
  }
  Verdict out_of_limits() {
    verdict_.leave_open(limits_);
    return std::move(verdict_);
  }
  // Of a search that ended without an answer: time, or the work that it may do, also by limits of its own.
  [[nodiscard]] WhyOpen why_stopped() const {
    if (limits_.is_cancelled()) return WhyOpen::kCancelled;
    return limits_.out_of_time() && !limits_.out_of_work() ? WhyOpen::kTime : WhyOpen::kWork;
  }
  void keep(Anomaly anomaly) { verdict_.add(std::move(anomaly), limits_.max_anomalies); }

  static constexpr std::uint64_t kMostGuesses = 1000;         // dead ends before a guess is given up
  static constexpr std::uint32_t kMostNodesByStates = 2'000;  // more never got to the end
  static constexpr std::string_view kUnknownWriter =
      "not enough evidence: a transaction of unknown outcome may have written a value that others wrote too";

  const History& h_;
  const graph::LevelRow& row_;
  const bool guess_;
  Limits limits_;
  WorkBudget budget_;
  const graph::Trace& trace_;
  graph::VersionOrders orders_;
  bool timestamps_unused_ = false;  // which the user wants to be the order of versions
  Verdict verdict_;
};

std::string solver_lacks(const History& history, Level level) {
  if (!asks_for_one_order(level)) return fmt::format("{} does not ask for one order of transactions", info(level).name);
  if (history.txn_count() >= graph::kMaxNodes / 4) return "too many transactions";
  return {};
}

Verdict judge_by_solver(CheckContext& context, Level level, const Limits& limits) {
  const graph::Trace& trace = context.shared<graph::CycleChecks>().traced(level, limits);
  return SolverCheck(context.history(), level, limits, trace, context.options().guess).run();
}

}  // namespace
}  // namespace solver

constinit const Engine kSolverEngine{
    .name = "solver",
    .summary = "an order of all transactions, found from hints or by search: values alone are enough (Cobra, PolySI)",
    .taken_because = "the order of some versions is not known and is searched for",
    .lacks = solver::solver_lacks,
    .judge = solver::judge_by_solver};

}  // namespace isolde
