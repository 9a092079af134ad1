#include "audit/story/naming.h"

#include <algorithm>

namespace isolde::audit {
namespace {

const TransactionClass& class_of_member(const Classes& classes, const Cycle& cycle, std::uint32_t member) {
  return classes.classes[raw(cycle.members[member])];
}

// With a value that has nothing to do with what is there.
bool overwrites(const Access& write) { return !write.increments && !write.inserts && !write.deletes; }

bool any_phantom(const Classes& classes, const Cycle& cycle) {
  return std::ranges::any_of(cycle.edges, [&](const CycleEdge& edge) { return is_phantom(classes, cycle, edge); });
}

// Both read and write one column of one row.
bool crosses_on_one_row(const Classes& classes, SameRows& rows, const Cycle& cycle) {
  const CycleEdge &there = cycle.edges[0], &back = cycle.edges[1];
  if (there.conflict.column != back.conflict.column) return false;
  rows.reset(cycle.members);
  for (const CycleEdge& edge : cycle.edges) {
    rows.meet(edge.from, from_operation(classes, cycle, edge).access.row_set, edge.to,
              to_operation(classes, cycle, edge).access.row_set);
  }
  return rows.same(there.from, from_operation(classes, cycle, there).access.row_set, back.to,
                   to_operation(classes, cycle, back).access.row_set);
}

AnomalyName name_of_two(const Classes& classes, SameRows& rows, const Cycle& cycle) {
  const bool first_rw = misses(cycle.edges[0]), second_rw = misses(cycle.edges[1]);
  if (first_rw && second_rw) {
    if (any_phantom(classes, cycle)) return AnomalyName::kPhantom;
    if (!crosses_on_one_row(classes, rows, cycle)) return AnomalyName::kWriteSkew;
    const CycleEdge& last = cycle.edges[1 - main_edge(classes, cycle)];
    const bool lost = overwrites(to_operation(classes, cycle, last).access) &&
                      std::ranges::none_of(cycle.edges, [&](const CycleEdge& edge) {
                        return to_operation(classes, cycle, edge).access.deletes;
                      });
    return lost ? AnomalyName::kLostUpdate : AnomalyName::kStaleRead;
  }
  if (!first_rw && !second_rw) return AnomalyName::kOther;
  const CycleEdge &there = cycle.edges[first_rw ? 0 : 1], &back = cycle.edges[first_rw ? 1 : 0];
  const bool phantom = is_phantom(classes, cycle, there);
  if (back.conflict.kind == EdgeKind::kWr) return phantom ? AnomalyName::kPhantom : AnomalyName::kReadSkew;
  const bool lost = back.conflict.kind == EdgeKind::kWw && back.conflict.column == there.conflict.column &&
                    overwrites(to_operation(classes, cycle, back).access) &&
                    !from_operation(classes, cycle, back).access.deletes;
  if (lost && !phantom) return AnomalyName::kLostUpdate;
  return phantom ? AnomalyName::kPhantom : AnomalyName::kStaleRead;
}

AnomalyName name_of_more(const Classes& classes, const Cycle& cycle) {
  const std::size_t n = cycle.edges.size();
  const bool under_snapshots =
      can_happen(classes, cycle.members, cycle.edges, WeakLevel::kSnapshotIsolation, TimingRule::kMoments);
  if (under_snapshots) {
    for (std::uint32_t member = 0; member < n; ++member) {
      if (class_of_member(classes, cycle, member).reads_only) return AnomalyName::kReadOnlyAnomaly;
    }
  }
  if (any_phantom(classes, cycle)) return AnomalyName::kPhantom;
  if (under_snapshots) return AnomalyName::kWriteSkew;
  const CycleEdge& out = cycle.edges[main_edge(classes, cycle)];
  if (!misses(out)) return AnomalyName::kOther;
  const CycleEdge& in = cycle.edges[(out.from + n - 1) % n];
  return in.conflict.kind == EdgeKind::kWr ? AnomalyName::kReadSkew : AnomalyName::kStaleRead;
}

}  // namespace

std::string_view name(AnomalyName name) {
  switch (name) {
    case AnomalyName::kLostUpdate:
      return "lost update";
    case AnomalyName::kStaleRead:
      return "stale read";
    case AnomalyName::kWriteSkew:
      return "write skew";
    case AnomalyName::kReadSkew:
      return "read skew";
    case AnomalyName::kReadOnlyAnomaly:
      return "read-only anomaly";
    case AnomalyName::kPhantom:
      return "phantom";
    case AnomalyName::kOther:
      break;
  }
  return "cycle of dependencies";
}

std::string_view meaning(AnomalyName name) {
  switch (name) {
    case AnomalyName::kLostUpdate:
      return "A transaction overwrites what another has just written, because it works with the value from before.";
    case AnomalyName::kStaleRead:
      return "A transaction acts on a value that another has changed in the meantime.";
    case AnomalyName::kWriteSkew:
      return "Each transaction reads what another changes, and none sees the other's change.";
    case AnomalyName::kReadSkew:
      return "A transaction sees a part of what another has done, but not all of it.";
    case AnomalyName::kReadOnlyAnomaly:
      return "A transaction that only reads sees a state that no order of the transactions has.";
    case AnomalyName::kPhantom:
      return "A transaction looks for rows, and another makes or removes such rows before the first has ended.";
    case AnomalyName::kOther:
      break;
  }
  return "The transactions see and overwrite each other's work in a way that no order of them explains.";
}

AnomalyName name_of(const Classes& classes, SameRows& rows, const Cycle& cycle) {
  return cycle.edges.size() == 2 ? name_of_two(classes, rows, cycle) : name_of_more(classes, cycle);
}

bool misses(const CycleEdge& edge) { return edge.conflict.kind == EdgeKind::kRw; }

std::optional<CycleEdge> lost_update(const Classes& classes, const Cycle& cycle) {
  if (cycle.edges.size() != 2 || !misses(cycle.edges[0]) || !misses(cycle.edges[1])) return std::nullopt;
  const std::size_t main = main_edge(classes, cycle);
  const CycleEdge &out = cycle.edges[main], &in = cycle.edges[1 - main];
  return CycleEdge{
      out.to, out.from, {out.conflict.to_op, in.conflict.to_op, out.conflict.column, EdgeKind::kWw, false}};
}

const Operation& from_operation(const Classes& classes, const Cycle& cycle, const CycleEdge& edge) {
  return class_of_member(classes, cycle, edge.from).operations[edge.conflict.from_op];
}

const Operation& to_operation(const Classes& classes, const Cycle& cycle, const CycleEdge& edge) {
  return class_of_member(classes, cycle, edge.to).operations[edge.conflict.to_op];
}

const ClassRows& from_rows(const Classes& classes, const Cycle& cycle, const CycleEdge& edge) {
  return class_of_member(classes, cycle, edge.from).rows[from_operation(classes, cycle, edge).access.row_set];
}

const ClassRows& to_rows(const Classes& classes, const Cycle& cycle, const CycleEdge& edge) {
  return class_of_member(classes, cycle, edge.to).rows[to_operation(classes, cycle, edge).access.row_set];
}

bool is_phantom(const Classes& classes, const Cycle& cycle, const CycleEdge& edge) {
  if (!misses(edge)) return false;
  const Access& write = to_operation(classes, cycle, edge).access;
  const Access& read = from_operation(classes, cycle, edge).access;
  if (write.inserts) return true;
  const bool looks_for_more = !from_rows(classes, cycle, edge).single;
  return looks_for_more && (write.deletes || read.in_where || read.counts_only);
}

std::size_t main_edge(const Classes& classes, const Cycle& cycle) {
  const std::size_t n = cycle.edges.size();
  std::size_t best = 0;
  int best_weight = -1;
  for (std::size_t i = 0; i < n; ++i) {
    const CycleEdge& edge = cycle.edges[i];
    if (!misses(edge)) continue;
    // Who reads the old and then sees or overwrites something new.
    const CycleEdge& in = cycle.edges[(i + n - 1) % n];
    const bool sees_new = !misses(in);
    const bool writes = !class_of_member(classes, cycle, edge.from).reads_only;
    const bool destroys = !sees_new && overwrites(to_operation(classes, cycle, in).access);
    const int weight = (sees_new ? 4 : 0) + (writes ? 2 : 0) + (destroys ? 1 : 0);
    if (weight > best_weight) {
      best = i;
      best_weight = weight;
    }
  }
  return best;
}

const std::string& entry_name(const Classes& classes, const Cycle& cycle, const CycleEdge& edge) {
  const ClassRows &from = from_rows(classes, cycle, edge), &to = to_rows(classes, cycle, edge);
  return from.entry.empty() ? to.entry : from.entry;
}

std::string column_name(const Classes& classes, const Cycle& cycle, const CycleEdge& edge) {
  const std::string& entry = entry_name(classes, cycle, edge);
  if (entry.empty()) return classes.schema.full_name(edge.conflict.column);
  const Column& column = classes.schema.column(edge.conflict.column);
  return classes.schema.table(column.table).name + "[" + entry + "]." + column.name;
}

}  // namespace isolde::audit
