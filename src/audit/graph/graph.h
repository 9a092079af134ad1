// audit/graph/graph.h: the static dependency graph: which operations of which classes may depend on each other.
//
// In, out: Classes, hints, level -> DependencyGraph.
// Always:  replicas of a class are alike, so conflicts are kept once a pair of classes; the paper's counts (vertices
//          and edges with replicas: 2 for read committed, 3 for snapshot isolation) are computed from that. A conflict
//          goes both ways, except where a rule says that one of them cannot be (graph/rules.h).
// Cost:    near the number of conflicts; 16 bytes for each.
// Source:  IsoDiff, section 3.3, Algorithm 2; vulnerable edges: section 3.4.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "audit/classes/classes.h"
#include "audit/hints/hints.h"
#include "audit/schema/ids.h"

namespace isolde::audit {

// Seen from the first to the second.
enum class EdgeKind : std::uint8_t {
  kWw,
  kWr,
  kRw,
  kLockedRw,  // the reader holds a lock that the writer has to wait for
  kLock,      // no data flows, but the second waits for the first: SELECT FOR UPDATE of both. Never part of a cycle
};
[[nodiscard]] std::string_view name(EdgeKind kind);
// With or without a lock.
[[nodiscard]] constexpr bool is_rw(EdgeKind kind) { return kind == EdgeKind::kRw || kind == EdgeKind::kLockedRw; }

struct Conflict {  // from an operation of class `a` to one of class `b`
  std::uint32_t from_op, to_op;
  ColumnId column;
  EdgeKind kind;
  bool vulnerable = false;  // kRw, kLockedRw without a ww between the same rows (section 3.4)
  bool operator==(const Conflict&) const = default;
};

struct GraphStats {  // as Table 1 counts them: with replicas
  std::uint64_t transactions = 0, transaction_edges = 0;
  std::uint64_t operations = 0, operation_edges = 0;  // the paper's #E of G_op: conflicts, both ways
  std::uint64_t rw_edges = 0, vulnerable_rw_edges = 0;
  std::uint64_t dangerous_paths = 0;
  bool operator==(const GraphStats&) const = default;
};

struct GraphOptions {
  WeakLevel level = WeakLevel::kReadCommitted;
  bool use_inferred_unique = false;
  bool commutative_updates = true;    // two x = x + n do not conflict with each other
  bool count_against_updates = true;  // count(*) does not read what UPDATE of columns outside of its WHERE writes
  // An INSERT makes a row that nobody had written; an UPDATE and the check of a foreign key find rows that are there.
  bool inserts_are_new = true;
  // A row that two delete, or that one changes and the other deletes, is gone whoever comes first.
  bool deletes_commute = true;
  // Nobody names a row by an id that the database makes before the INSERT that makes it has committed.
  bool made_ids_are_new = true;
  // What a transaction does to rows that it made itself depends on nobody.
  bool own_rows = true;
  // What was read cannot have changed before an UPDATE or DELETE that asks for it in its WHERE and finds the row.
  bool rechecks = true;
  // What rests on an assumption that the trace supports (Fact::assumption) is no dependency either.
  bool assumptions = true;
  // As the paper has it: FOR UPDATE and everything else as plain reads or writes, none of the two rules above.
  bool as_paper = false;
};

class DependencyGraph {
 public:
  [[nodiscard]] std::uint32_t classes() const { return count_; }
  [[nodiscard]] std::uint32_t replicas(ClassId id) const { return replicas_[raw(id)]; }
  // Dependencies from a to b (a may be b: two replicas), by (from_op, to_op); those of removed columns left out.
  [[nodiscard]] std::span<const Conflict> conflicts(ClassId a, ClassId b) const;
  // Those of EdgeKind::kLock, in the same order. An order of locks is no dependency, but both must hold together.
  [[nodiscard]] std::span<const Conflict> locks(ClassId a, ClassId b) const;
  // nullptr: these do not depend on each other in this direction.
  [[nodiscard]] const Conflict* find(ClassId a, ClassId b, std::uint32_t from_op, std::uint32_t to_op) const;
  [[nodiscard]] bool connected(ClassId a, ClassId b) const { return !conflicts(a, b).empty(); }
  [[nodiscard]] const GraphStats& stats() const { return stats_; }
  // Of classes that have none of their own.
  [[nodiscard]] WeakLevel level() const { return options_.level; }
  // All of them take snapshots: every cycle that can happen has two rw in a row.
  [[nodiscard]] bool snapshots() const { return snapshots_; }
  [[nodiscard]] const GraphOptions& options() const { return options_; }
  // Simulates a fix: everything that depends through these columns is gone.
  [[nodiscard]] DependencyGraph without(std::span<const ColumnId> columns) const;
  // What each rule and hint took away, for the report: conflicts between classes, replicas not counted.
  struct Removed {
    std::string rule;
    std::uint64_t edges = 0;
  };
  [[nodiscard]] const std::vector<Removed>& removed() const { return removed_; }

  friend DependencyGraph build_graph(const Classes&, const Hints&, const GraphOptions&);

 private:
  void count(const Classes& classes);  // stats_ of what does not change with edges
  void count_edges();

  std::uint32_t count_ = 0;
  bool snapshots_ = false;
  GraphOptions options_;
  std::vector<std::uint32_t> replicas_;
  std::vector<std::uint32_t> begin_, lock_begin_;  // classes^2 + 1, into conflicts_ and locks_
  std::vector<Conflict> conflicts_, locks_;
  std::vector<Removed> removed_;
  GraphStats stats_;
};

[[nodiscard]] DependencyGraph build_graph(const Classes& classes, const Hints& hints, const GraphOptions& options);

}  // namespace isolde::audit
