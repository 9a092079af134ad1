#include "batch/dependencies.h"

#include <fmt/format.h>

#include <utility>

#include "batch/core.h"
#include "batch/cycles.h"
#include "batch/edges.h"
#include "batch/orders.h"
#include "batch/past.h"
#include "batch/seen.h"
#include "check/graph/graph.h"
#include "check/solver/solver.h"
#include "check/weak/weak.h"

namespace isolde::batch {
namespace {

using graph::Edge;
using graph::Nodes;
using graph::SeenRule;

class DependenciesRun {
 public:
  DependenciesRun(Ranks& ranks, Parts& parts, const Facts& facts, const DependenciesJob& job, const Limits& limits)
      : ranks_(ranks), parts_(parts), facts_(facts), job_(job), limits_(limits), row_(*graph::row_of(job.level)) {}

  Result<DependenciesAnswer> run() {
    auto found = find_edges(ranks_, parts_, facts_, {&row_, job_.passes, job_.engine->is(kSolverEngine)});
    if (!found) return std::move(found).error();
    edges_ = *std::move(found);
    answer_.keys = edges_.keys;
    if (!edges_.open.empty()) return open(edges_.open);
    auto sessions = check_sessions(ranks_, parts_, file_order(), {}, 1);
    if (!sessions) return std::move(sessions).error();
    if (sessions->gaps.count > 0) return open("the numbers of sessions have gaps");
    answer_.sessions = sessions->sessions;
    answer_.orders = order_evidence_of(facts_, sessions->has_order);
    if (row_.seen == SeenRule::kLater || row_.seen == SeenRule::kAny)
      add_seen_edges(ranks_, row_.seen, parts_.whole_transactions(), edges_);
    auto cycles = find(true);
    if (!cycles) return std::move(cycles).error();
    if (!cycles->open.empty()) return open(cycles->open);
    const bool missed = ranks_.any(!edges_.missed.empty());
    if (!edges_.has_faults && !missed && cycles->core.empty()) return satisfied();
    // With what is known alone.
    if (job_.engine->is(kSolverEngine) && edges_.has_open_keys && !cycles->core.empty()) {
      cycles = find(false);
      if (!cycles) return std::move(cycles).error();
      if (!edges_.has_faults && cycles->core.empty())
        return open("versions in the order of the file close a cycle, and another order may not");
    }
    return violated(std::move(cycles->core));
  }

 private:
  DependenciesAnswer open(std::string why) {
    answer_.open = std::move(why);
    return std::move(answer_);
  }

  Result<CyclesFound> find(bool with_guesses) {
    CyclesJob job{&row_, row_.nodes, job_.passes, job_.most, row_.seen != SeenRule::kNone};
    // Versions that nobody read get an order of whole transactions.
    if (edges_.has_open_keys && !job_.engine->is(kSolverEngine)) job.nodes = Nodes::kTransactions;
    std::vector<const std::vector<PlacedEdge>*> edges{&edges_.known};
    if (with_guesses) edges.push_back(&edges_.guessed);
    return find_cycles(ranks_, parts_, edges, job);
  }

  Result<DependenciesAnswer> satisfied() {
    if (row_.seen == SeenRule::kPast) {
      if (edges_.leads_backward) return open("the file is not in the order of its reads");
      auto contradicted = contradicted_by_past(ranks_, parts_, edges_, job_.most);
      if (!contradicted) return std::move(contradicted).error();
      if (!contradicted->empty()) return open(*std::move(contradicted));
    }
    answer_.outcome = Outcome::kSatisfied;
    if (row_.needs_order && row_.edges.has(Edge::kRw)) {
      const bool points = row_.nodes != Nodes::kTransactions;
      answer_.witness = points ? Witness::Kind::kPoints : Witness::Kind::kSerialOrder;
    }
    if (job_.engine->is(kSolverEngine))
      answer_.search = SearchStats{.pairs = edges_.open_pairs, .guessed = edges_.open_pairs};
    return std::move(answer_);
  }

  Result<DependenciesAnswer> violated(std::vector<Span> core) {
    // How often values are repeated, a report counts in the whole history.
    if (edges_.has_faults && edges_.repeats_values) return open("values are repeated, and some reads are wrong");
    // The engine tries orders until one is contradicted (check/weak): what it then shows depends on the first of them,
    // which is that of the file only if the file is in order. And a past leads through keys outside of the core.
    const bool sees = row_.seen != SeenRule::kNone;
    if (sees && edges_.leads_backward) return open("the file is not in the order of its reads");
    if (row_.seen == SeenRule::kPast) return open("some reads are not explained by their keys alone");
    for (const std::uint64_t place : gathered(ranks_, edges_.missed)) core.push_back({place, place});
    const CoreJob job{job_.level, job_.engine, job_.options, job_.most};
    auto judged = judge_core(ranks_, parts_, edges_.faulty, merged(std::move(core)), job, limits_);
    if (!judged) return std::move(judged).error();
    if (!judged->open.empty()) return open(std::move(judged->open));
    answer_.outcome = Outcome::kViolated;
    answer_.verdict = std::move(judged->verdict);
    answer_.history = std::move(judged->history);
    return std::move(answer_);
  }

  Ranks& ranks_;
  Parts& parts_;
  const Facts& facts_;
  const DependenciesJob& job_;
  const Limits& limits_;
  const graph::LevelRow& row_;
  KeyEdges edges_;
  DependenciesAnswer answer_;
};

}  // namespace

bool judges_by_dependencies(const Engine& engine) {
  return engine.is(kGraphEngine) || engine.is(kWeakEngine) || engine.is(kSolverEngine);
}

std::string not_by_dependencies(const Facts& facts, Level level) {
  if (graph::row_of(level) == nullptr || level == Level::kCursorStability)
    return fmt::format("{} is not judged by dependencies of keys alone", info(level).name);
  if (facts.has.predicates > 0) return "predicates look at all keys at once";
  if (facts.has.unknown > 0) return "transactions of unknown outcome may or may not count";
  if (facts.has.version_orders > 0 || facts.has.snapshots > 0) return "the order of versions is given by the database";
  if ((facts.flags & ~static_cast<std::uint32_t>(kSerialByCommitTs)) != 0) return "initial values are a guess";
  const bool timed = facts.has.start_ts > 0 || facts.has.commit_ts > 0;
  if (timed && info(level).family == LevelFamily::kSnapshot) return "timestamps are part of the question";
  return {};
}

Result<DependenciesAnswer> judge_by_dependencies(Ranks& ranks, Parts& parts, const Facts& facts,
                                                 const DependenciesJob& job, const Limits& limits) {
  return DependenciesRun(ranks, parts, facts, job, limits).run();
}

}  // namespace isolde::batch
