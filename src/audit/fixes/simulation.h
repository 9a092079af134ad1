// audit/fixes/simulation.h: a change to the application, tried on the cycles that it should end.
//
// In, out: a target column's cycles, a Fix -> how many of them can no longer happen, and whether a new search of their
//          classes finds any other through the column.
// Always:  only the classes of these cycles are looked at, with the conflicts that the graph has left. A cycle is gone
//          if a dependency of it is, or if with the fix its moments have a cycle (cycles/break_points.h), or its rows
//          forbid it (cycles/correlation.h).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "audit/cycles/search.h"
#include "audit/graph/graph.h"

namespace isolde::audit {

struct ClassStatement {
  ClassId of;
  std::uint32_t statement;
  auto operator<=>(const ClassStatement&) const = default;
};

// What is changed; one or more of these.
struct Fix {
  std::vector<ClassStatement> locked;  // their reads lock the rows (of `column`, if there is one)
  ColumnId column = kNoColumn;
  bool relative = false;  // instead: these no longer read `column`, and the classes' updates of it are x = x + n
  std::vector<ClassId> snapshot;      // all of its reads are of one moment
  std::vector<ClassId> serializable;  // nothing goes wrong between these
  ColumnId shared_row = kNoColumn;    // who has a value of this column takes it for itself before anything else
  std::vector<ColumnId> unique_key;   // two transactions cannot both insert the same values of these
};

class Simulation {
 public:
  // `gone`: columns that were removed from the graph already.
  Simulation(const Classes& classes, const DependencyGraph& graph, const Hints& hints, const SearchOptions& options,
             std::span<const Cycle* const> cycles, std::span<const ColumnId> gone, ColumnId target);

  struct Outcome {
    std::uint64_t removes = 0;
    bool leaves_none = false;
  };
  [[nodiscard]] Outcome try_fix(const Fix& fix);
  [[nodiscard]] std::size_t cycles() const { return cycles_.size(); }

 private:
  class Judge;
  [[nodiscard]] Classes changed(const Fix& fix) const;
  [[nodiscard]] Outcome judge_all(const Fix& fix, const Classes& classes, const DependencyGraph& graph) const;
  [[nodiscard]] ClassId local(ClassId id) const { return local_[raw(id)]; }

  const Hints& hints_;
  SearchOptions options_;
  GraphOptions graph_options_;
  std::vector<ColumnId> gone_;
  ColumnId target_;
  std::vector<ClassId> local_;            // by class of the application: its number here
  Classes classes_;                       // only those of the cycles
  std::vector<Cycle> cycles_;             // with local numbers
  std::optional<DependencyGraph> graph_;  // of classes_, when it was needed
};

}  // namespace isolde::audit
