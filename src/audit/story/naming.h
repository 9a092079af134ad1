// audit/story/naming.h: what kind of anomaly a cycle is, in the words that people use.
//
// In, out: a cycle -> AnomalyName.
// Always:  two transactions:
//            lost update   one reads a column, the other writes it, the first overwrites that; or each reads what the
//                          other writes, on one row, and one of them does not just add to it
//            stale read    one reads something, the other changes it, the first then writes beside or on top of it
//            phantom       one looks for rows, the other makes or removes such rows
//            write skew    each reads what the other changes
//            read skew     one reads something before and something after the other's changes
//          A read under a lock that the writer waits for is an order of the two, not something that is missed.
//          Three and more: a read-only anomaly if one only reads and it happens under snapshots too; else by the same
//          patterns.
// Source:  Berenson et al. 1995; Fekete et al. 2004 (read-only anomaly).
#pragma once

#include <optional>
#include <string>

#include "audit/facts/same_rows.h"
#include "audit/story/story.h"

namespace isolde::audit {

[[nodiscard]] AnomalyName name_of(const Classes& classes, SameRows& rows, const Cycle& cycle);

// The edge that people should look at first: the one whose reader has, or acts on, what is out of date.
[[nodiscard]] std::size_t main_edge(const Classes& classes, const Cycle& cycle);

// The first does not see what the second writes.
[[nodiscard]] bool misses(const CycleEdge& edge);
// Of a lost update in which each misses the other's write: who overwrites whom.
[[nodiscard]] std::optional<CycleEdge> lost_update(const Classes& classes, const Cycle& cycle);
[[nodiscard]] const Operation& from_operation(const Classes& classes, const Cycle& cycle, const CycleEdge& edge);
[[nodiscard]] const Operation& to_operation(const Classes& classes, const Cycle& cycle, const CycleEdge& edge);
[[nodiscard]] const ClassRows& from_rows(const Classes& classes, const Cycle& cycle, const CycleEdge& edge);
[[nodiscard]] const ClassRows& to_rows(const Classes& classes, const Cycle& cycle, const CycleEdge& edge);
// "stock.quantity", "wp_postmeta[_stock].meta_value".
[[nodiscard]] std::string column_name(const Classes& classes, const Cycle& cycle, const CycleEdge& edge);
// The name under which a table of names and values keeps it; empty: it is no such table, or the name is not known.
[[nodiscard]] const std::string& entry_name(const Classes& classes, const Cycle& cycle, const CycleEdge& edge);
// An rw to rows that come or go, so that whoever looks for them does not see the same again.
[[nodiscard]] bool is_phantom(const Classes& classes, const Cycle& cycle, const CycleEdge& edge);

}  // namespace isolde::audit
