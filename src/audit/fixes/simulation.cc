#include "audit/fixes/simulation.h"

#include <algorithm>
#include <array>

#include "audit/cycles/break_points.h"
#include "audit/cycles/correlation.h"
#include "audit/cycles/ways.h"

namespace isolde::audit {
namespace {

constexpr std::uint32_t kCommitMoment = kNone32;

bool has_key(const ClassRows& rows, ColumnId column) {
  return std::ranges::any_of(rows.keys, [&](const ClassRowKey& key) { return key.column == column; });
}

// Does the class insert a row with the same values of these columns as the rows that it looked for?
bool inserts_what_it_looked_for(const TransactionClass& one, const ClassRows& looked, std::span<const ColumnId> key) {
  const auto variable = [](const ClassRows& rows, ColumnId column) {
    const auto place = std::ranges::find(rows.keys, column, &ClassRowKey::column);
    return place == rows.keys.end() ? kNoVariable : place->variable;
  };
  for (const Operation& operation : one.operations) {
    if (operation.access.action != Action::kWrite || !operation.access.inserts) continue;
    const ClassRows& rows = one.rows[operation.access.row_set];
    if (rows.table != looked.table) continue;
    if (std::ranges::all_of(key, [&](ColumnId column) {
          return variable(rows, column) != kNoVariable && variable(rows, column) == variable(looked, column);
        })) {
      return true;
    }
  }
  return false;
}

}  // namespace

// One fix, one cycle after the other.
class Simulation::Judge {
 public:
  Judge(const Simulation& simulation, const Fix& fix, const Classes& classes, const DependencyGraph& graph)
      : fix_(fix),
        options_(simulation.options_),
        classes_(classes),
        graph_(graph),
        times_(classes, graph.level(), options_.timing),
        facts_(classes, graph.level()),
        correlation_(facts_, graph, {graph.level(), options_.timing, options_.most_correlation_steps}) {
    for (const ClassId id : fix.snapshot) snapshot_.push_back(simulation.local(id));
    for (const ClassId id : fix.serializable) serializable_.push_back(simulation.local(id));
  }

  [[nodiscard]] bool still_happens(const Cycle& before) {
    cycle_ = before;
    const std::size_t n = cycle_.edges.size();
    if (!serializable_.empty() &&
        std::ranges::all_of(cycle_.members, [&](ClassId id) { return in(serializable_, id); }))
      return false;
    for (std::size_t i = 0; i < n; ++i) {
      CycleEdge& edge = cycle_.edges[i];
      const ClassId from = cycle_.members[edge.from], to = cycle_.members[edge.to];
      const Conflict* now = graph_.find(from, to, edge.conflict.from_op, edge.conflict.to_op);
      if (now == nullptr) return false;
      edge.conflict = *now;
      if (breaks_unique_key(from, to, *now)) return false;
      moments_[i] = moments_of(from, to, *now);
    }
    if (!dangerous() || !breaks_somewhere()) return false;
    // It could happen before, rows and all; only what is locked anew can change that.
    if (fix_.locked.empty() || !options_.correlation) return true;
    return correlation_.check(cycle_).possible != Possible::kNo;
  }

 private:
  struct Moments {
    std::uint32_t arrives, leaves;
    bool ordered;  // the second begins after the first's commit: no longer a dependency that can go wrong
  };

  static bool in(const std::vector<ClassId>& all, ClassId id) { return std::ranges::find(all, id) != all.end(); }

  Moments moments_of(ClassId from, ClassId to, const Conflict& conflict) const {
    Moments out{times_.arrives(from, to, conflict), times_.leaves(from, to, conflict), false};
    if (fix_.shared_row != kNoColumn && has_key(rows(from, conflict.from_op), fix_.shared_row) &&
        has_key(rows(to, conflict.to_op), fix_.shared_row)) {
      return {0, kCommitMoment, true};
    }
    if (conflict.kind == EdgeKind::kWr && in(snapshot_, to)) out.arrives = 0;
    if (conflict.kind == EdgeKind::kRw && in(snapshot_, from)) out.leaves = 0;
    return out;
  }

  const ClassRows& rows(ClassId id, std::uint32_t op) const {
    const TransactionClass& one = classes_.classes[raw(id)];
    return one.rows[one.operations[op].access.row_set];
  }

  bool breaks_unique_key(ClassId from, ClassId to, const Conflict& conflict) const {
    if (fix_.unique_key.empty() || conflict.kind == EdgeKind::kWw || conflict.kind == EdgeKind::kWr) return false;
    const Access& write = classes_.classes[raw(to)].operations[conflict.to_op].access;
    const ClassRows& looked = rows(from, conflict.from_op);
    return write.inserts &&
           std::ranges::all_of(fix_.unique_key, [&](ColumnId column) { return has_key(looked, column); }) &&
           inserts_what_it_looked_for(classes_.classes[raw(from)], looked, fix_.unique_key);
  }

  bool dangerous() const {
    const std::size_t n = cycle_.edges.size();
    const bool snapshot = graph_.snapshots();
    for (std::size_t i = 0; i < n; ++i) {
      const Conflict& one = cycle_.edges[i].conflict;
      const std::size_t next = i + 1 == n ? 0 : i + 1;
      const Conflict& other = cycle_.edges[next].conflict;
      if (moments_[i].ordered) continue;
      if (!snapshot) {
        if (one.kind == EdgeKind::kRw) return true;
        continue;
      }
      const bool rw = is_rw(one.kind);
      if (rw && one.vulnerable && other.kind == EdgeKind::kRw && other.vulnerable && !moments_[next].ordered)
        return true;
    }
    return false;
  }

  bool breaks_somewhere() const {
    const std::size_t n = cycle_.edges.size();
    for (std::size_t i = 0; i < n; ++i) {
      if (moments_[i == 0 ? n - 1 : i - 1].arrives > moments_[i].leaves) return true;
    }
    return false;
  }

  const Fix& fix_;
  const SearchOptions& options_;
  const Classes& classes_;
  const DependencyGraph& graph_;
  BreakPoints times_;
  CorrelationFacts facts_;
  Correlation correlation_;
  std::vector<ClassId> snapshot_, serializable_;
  Cycle cycle_;
  std::array<Moments, kMostMembers> moments_{};
};

Simulation::Simulation(const Classes& classes, const DependencyGraph& graph, const Hints& hints,
                       const SearchOptions& options, std::span<const Cycle* const> cycles,
                       std::span<const ColumnId> gone, ColumnId target)
    : hints_(hints),
      options_(options),
      graph_options_(graph.options()),
      gone_(gone.begin(), gone.end()),
      target_(target),
      local_(classes.classes.size(), ClassId(kNone32)) {
  // The search again is for a few classes and one column.
  options_.limits.progress = nullptr;
  options_.limits.threads = 1;
  options_.k = std::min(options_.k, 3U);
  options_.l = std::min(options_.l, 3U);
  options_.most_samples = std::min<std::uint64_t>(options_.most_samples, 300'000);
  classes_.schema = classes.schema;
  classes_.statements = classes.statements;
  classes_.unique = classes.unique;
  classes_.facts = classes.facts;
  classes_.constant_facts = classes.constant_facts;
  classes_.fresh_ids = classes.fresh_ids;
  for (const Cycle* cycle : cycles) {
    Cycle& mine = cycles_.emplace_back(*cycle);
    for (ClassId& member : mine.members) {
      ClassId& here = local_[raw(member)];
      if (raw(here) == kNone32) {
        here = ClassId(classes_.classes.size());
        classes_.classes.push_back(classes.classes[raw(member)]);
      }
      member = here;
    }
  }
}

Classes Simulation::changed(const Fix& fix) const {
  Classes out = classes_;
  // Where reads go that are made no longer: a column that nobody writes.
  ColumnId nothing = kNoColumn;
  if (fix.relative) nothing = out.schema.add_column(out.schema.column(fix.column).table, " ");
  for (const ClassStatement& place : fix.locked) {
    const ClassId id = local(place.of);
    if (raw(id) == kNone32) continue;
    for (Operation& operation : out.classes[raw(id)].operations) {
      Access& access = operation.access;
      if (fix.relative && access.action == Action::kWrite && access.column == fix.column && !access.inserts &&
          !access.deletes) {
        access.increments = true;
      }
      if (operation.statement != place.statement || access.action != Action::kRead) continue;
      if (fix.column != kNoColumn && access.column != fix.column) continue;
      if (fix.relative) {
        access.column = nothing;
      } else {
        access.lock = Lock::kExclusive;
      }
    }
  }
  return out;
}

Simulation::Outcome Simulation::try_fix(const Fix& fix) {
  if (!graph_) graph_ = build_graph(classes_, hints_, graph_options_).without(gone_);
  if (fix.locked.empty()) return judge_all(fix, classes_, *graph_);
  const Classes classes = changed(fix);
  const DependencyGraph graph = build_graph(classes, hints_, graph_options_).without(gone_);
  return judge_all(fix, classes, graph);
}

Simulation::Outcome Simulation::judge_all(const Fix& fix, const Classes& classes, const DependencyGraph& graph) const {
  Judge judge(*this, fix, classes, graph);
  Outcome outcome;
  for (const Cycle& cycle : cycles_) outcome.removes += judge.still_happens(cycle) ? 0 : 1;
  outcome.leaves_none = outcome.removes == cycles_.size();
  if (!outcome.leaves_none || fix.locked.empty()) return outcome;
  // What was locked may let other cycles through the column, which the first search had no reason to show.
  const SearchResult again = search_cycles(classes, graph, hints_, options_);
  outcome.leaves_none =
      again.complete && std::ranges::none_of(again.cycles, [&](const Cycle& cycle) {
        return std::ranges::any_of(cycle.edges, [&](const CycleEdge& edge) { return edge.conflict.column == target_; });
      });
  return outcome;
}

}  // namespace isolde::audit
