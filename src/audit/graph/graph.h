// audit/graph/graph.h: the static dependency graph: which operations of which classes may depend on each other.
//
// In, out: Classes, hints, level -> DependencyGraph.
// Always:  replicas of a class are alike, so conflicts are kept once a pair of classes; the paper's counts (vertices
// and
//          edges with replicas: 2 for read committed, 3 for snapshot isolation) are computed from that. An edge goes
//          both ways. Removing a column or an edge never needs the graph to be built again.
// Source:  IsoDiff, section 3.3, Algorithm 2; vulnerable edges: section 3.4.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "audit/classes/classes.h"
#include "audit/hints/hints.h"
#include "audit/ids.h"

namespace isolde::audit {

// Seen from the first to the second.
enum class EdgeKind : std::uint8_t {
  kWw,
  kWr,
  kRw,
  kLockedRw,  // the reader holds a lock that the writer has to wait for
  kLock,      // no data flows, but the second waits for the first: SELECT FOR UPDATE of both
};
[[nodiscard]] std::string_view name(EdgeKind kind);

struct Conflict {  // from an operation of class `a` to one of class `b`
  std::uint32_t from_op, to_op;
  ColumnId column;
  EdgeKind kind;
  bool vulnerable = false;  // kRw without a ww between the same rows (section 3.4)
};

struct GraphStats {  // as Table 1 counts them: with replicas
  std::uint64_t transactions = 0, transaction_edges = 0;
  std::uint64_t operations = 0, operation_edges = 0;  // the paper's #E of G_op: conflicts, both ways
  std::uint64_t rw_edges = 0, vulnerable_rw_edges = 0;
  std::uint64_t dangerous_paths = 0;
};

struct GraphOptions {
  WeakLevel level = WeakLevel::kReadCommitted;
  bool use_inferred_unique = false;
  bool commutative_updates = true;    // two x = x + n do not conflict with each other
  bool count_against_updates = true;  // count(*) does not read what UPDATE of columns outside of its WHERE writes
  // As the paper has it: FOR UPDATE and everything else as plain reads or writes, none of the two rules above.
  bool as_paper = false;
};

class DependencyGraph {
 public:
  [[nodiscard]] std::uint32_t classes() const { return count_; }
  [[nodiscard]] std::uint32_t replicas(ClassId id) const { return replicas_[raw(id)]; }
  // Conflicts from a to b (a may be b: two replicas), those of removed columns left out.
  [[nodiscard]] std::span<const Conflict> conflicts(ClassId a, ClassId b) const;
  [[nodiscard]] bool connected(ClassId a, ClassId b) const { return !conflicts(a, b).empty(); }
  [[nodiscard]] const GraphStats& stats() const { return stats_; }
  [[nodiscard]] WeakLevel level() const { return level_; }
  // Simulates a fix: everything that depends through these columns is gone.
  [[nodiscard]] DependencyGraph without(std::span<const ColumnId> columns) const;
  // What each rule and hint took away, for the report.
  struct Removed {
    std::string rule;
    std::uint64_t edges = 0;
  };
  [[nodiscard]] const std::vector<Removed>& removed() const { return removed_; }

  friend DependencyGraph build_graph(const Classes&, const Hints&, const GraphOptions&);

 private:
  std::uint32_t count_ = 0;
  WeakLevel level_ = WeakLevel::kReadCommitted;
  std::vector<std::uint32_t> replicas_;
  std::vector<std::uint32_t> begin_;  // classes^2 + 1, into conflicts_
  std::vector<Conflict> conflicts_;
  std::vector<Removed> removed_;
  GraphStats stats_;
};

[[nodiscard]] DependencyGraph build_graph(const Classes& classes, const Hints& hints, const GraphOptions& options);

}  // namespace isolde::audit
