// audit/cycles/correlation.h: dependencies that must come with those of a cycle, because they are about the same rows.
//
// In, out: a cycle -> can it still happen when every dependency that its rows imply has a direction?
// Always:  where an edge of the cycle makes rows meet, others may be the same too (same_rows.h); two operations of
//          different members on one row then depend on each other, one way or the other. The cycle is impossible if no
//          choice of directions can happen.
//          By moments only locks have to be ordered: what a plain read sees follows from the order of commits, whatever
//          it is. A row that a member inserts, or that one of several deletes, may not be there when others look for
//          it: then their locks of it are not counted on. Two members do not both insert it. What all of them ask of
//          one row must be true together (SameRows::contradictory). A row that a member takes from what its SELECT
//          found (Choice) was committed before by whoever made it. Of two that take a number from one counter one reads
//          what the other wrote, if the graph counts on assumptions (facts/flows.h). Nothing goes wrong between
//          serializable members alone. By the paper's rule each two operations on a column of the row are given a
//          direction, and the choice must also stay within the level: no cycle of ww and wr alone; at snapshot
//          isolation none without two rw in a row. Directions are fixed one after the other and given up early; when
//          the limit of steps runs out it counts as possible and says so.
// Cost:    by moments some microseconds; by the paper's rule up to the limit, but mostly a step a pair.
// Source:  IsoDiff, sections 3.4 and 3.6 (correlation).
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "audit/cycles/cycle.h"
#include "audit/cycles/moments.h"
#include "audit/facts/same_rows.h"

namespace isolde::audit {

enum class Possible : std::uint8_t { kYes, kNo, kLimit };

struct CorrelationResult {
  Possible possible = Possible::kYes;
  std::vector<CycleEdge> implied;  // with the directions that work; kYes only
};

struct CorrelationOptions {
  WeakLevel level = WeakLevel::kReadCommitted;
  TimingRule timing = TimingRule::kMoments;
  std::uint64_t most_steps = 20'000;  // instead of the paper's 15 s: the same on every machine
};

// What can be known before any cycle is. Made once; all threads may read it. Requires: the classes outlive it.
class CorrelationFacts {
 public:
  CorrelationFacts(const Classes& classes, WeakLevel level);

  // An operation that locks a single row: one of those that do the same to the row in the same statement.
  struct Use {
    std::uint32_t rows;  // the representative (RowFacts)
    std::uint32_t op;
  };
  [[nodiscard]] const std::vector<Use>& uses(ClassId id) const { return uses_[raw(id)]; }
  // A single row that a class inserts, and that is inserted by nobody else: no class deletes such rows, or its key has
  // a number that is given only once (Numbering).
  struct Made {
    std::uint32_t rows, op;
  };
  [[nodiscard]] const std::vector<Made>& made(ClassId id) const { return made_[raw(id)]; }
  // A row that a class takes from those that its SELECT finds, and what the SELECT reads of them.
  struct Taken {
    const Choice* choice;
    std::uint32_t op;
  };
  [[nodiscard]] const std::vector<Taken>& taken(ClassId id) const { return taken_[raw(id)]; }
  // A read of a value, and the class's own UPDATE that changes it, if it is still what was read.
  struct Recheck {
    std::uint32_t read, write;
  };
  [[nodiscard]] const std::vector<Recheck>& rechecks(ClassId id) const { return rechecks_[raw(id)]; }
  [[nodiscard]] const Classes& classes() const { return classes_; }
  [[nodiscard]] const RowFacts& rows() const { return rows_; }

 private:
  void find_made_and_taken();
  void find_rechecks();

  const Classes& classes_;
  RowFacts rows_;
  std::vector<std::vector<Use>> uses_;  // by class
  std::vector<std::vector<Made>> made_;
  std::vector<std::vector<Taken>> taken_;
  std::vector<std::vector<Recheck>> rechecks_;
};

// Looks at one cycle after the other; one object a thread. Requires: facts and graph outlive it.
class Correlation {
 public:
  Correlation(const CorrelationFacts& facts, const DependencyGraph& graph, const CorrelationOptions& options)
      : facts_(facts), graph_(graph), options_(options), rows_(facts.classes(), facts.rows()) {
    rows_.use_vocabularies(graph.options().assumptions && !graph.options().as_paper);
  }

  [[nodiscard]] CorrelationResult check(const Cycle& cycle) { return check(cycle, {}); }
  // The same when these rows, too, are known to be the same.
  struct SameRow {
    std::uint32_t member_a, rows_a, member_b, rows_b;
  };
  [[nodiscard]] CorrelationResult check(const Cycle& cycle, std::span<const SameRow> same);

 private:
  // Either all of the one or all of the other: ranges of alternatives_.
  struct Choice {
    std::uint32_t first, middle, end;
  };
  struct Held {
    std::uint32_t row, member, op;
  };
  [[nodiscard]] const Operation& operation(std::uint32_t member, std::uint32_t op) const {
    return facts_.classes().classes[raw(members_[member])].operations[op];
  }
  [[nodiscard]] std::uint32_t row_of(std::uint32_t member, std::uint32_t op) {
    return rows_.row(member, operation(member, op).access.row_set);
  }
  [[nodiscard]] WeakLevel level_of(std::uint32_t member) const {
    return facts_.classes().classes[raw(members_[member])].level_or(options_.level);
  }
  void take_cycle(const Cycle& cycle, std::span<const SameRow> same);
  void read_own_rows();
  [[nodiscard]] bool misses_row_that_it_took();
  void find_rows_that_were_taken();
  [[nodiscard]] bool is_taken(std::uint32_t taker, const audit::Choice& choice, std::uint32_t maker,
                              std::uint32_t made_rows);
  void order_numberings();
  void order_rechecks();
  void choose_lock_orders();
  void order_locks(std::span<const Held> uses);
  void add_choice();
  [[nodiscard]] Possible enumerate();
  // By the paper's rule (correlation_paper.cc).
  void choose_directions(bool together);
  void keep_the_tightest(std::uint32_t first);
  [[nodiscard]] bool within_level() const;
  [[nodiscard]] bool closes_a_cycle(const CycleEdge& edge);
  bool add(std::uint32_t first, std::uint32_t end);
  [[nodiscard]] bool propagate();
  [[nodiscard]] Possible enumerate_directions();

  const CorrelationFacts& facts_;
  const DependencyGraph& graph_;
  CorrelationOptions options_;
  SameRows rows_;
  std::vector<ClassId> members_;
  std::vector<CycleEdge> edges_;  // of the cycle, then those that were chosen
  std::size_t own_edges_ = 0;
  std::vector<Held> held_;
  std::vector<std::pair<CycleEdge, CycleEdge>> ordered_;  // by row and two members: the one way and the other
  std::vector<CycleEdge> alternatives_, forward_, backward_;
  std::vector<Choice> choices_;
  std::vector<bool> fixed_;             // by choice
  std::vector<std::uint32_t> follows_;  // by member
  bool impossible_ = false;             // whatever the directions
  std::uint64_t steps_ = 0;
};

// For one cycle. Correlated pairs of hints are looked at by the search (pair_hints.h).
[[nodiscard]] CorrelationResult check_correlation(const Classes& classes, const DependencyGraph& graph,
                                                  const Cycle& cycle, const CorrelationOptions& options);

}  // namespace isolde::audit
