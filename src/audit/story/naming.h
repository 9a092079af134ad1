// audit/story/naming.h: what kind of anomaly a cycle is, in the words that people use.
//
// In, out: a cycle -> AnomalyName.
// Always:  two transactions:
//            lost update   one reads a column, the other writes it, the first overwrites that
//            stale read    one reads something, the other changes it, the first then writes beside or on top of it
//            phantom       one looks for rows, the other makes or removes such rows
//            write skew    each reads what the other changes
//            read skew     one reads something before and something after the other's changes
//          Three and more: a read-only anomaly if one only reads and it happens under snapshots too; else by the same
//          patterns.
// Source:  Berenson et al. 1995; Fekete et al. 2004 (read-only anomaly).
#pragma once

#include "audit/cycles/same_rows.h"
#include "audit/story/story.h"

namespace isolde::audit {

[[nodiscard]] AnomalyName name_of(const Classes& classes, SameRows& rows, const Cycle& cycle);

// The edge that people should look at first: the one whose reader has, or acts on, what is out of date.
[[nodiscard]] std::size_t main_edge(const Classes& classes, const Cycle& cycle);

[[nodiscard]] bool is_rw(const CycleEdge& edge);
[[nodiscard]] const Operation& from_operation(const Classes& classes, const Cycle& cycle, const CycleEdge& edge);
[[nodiscard]] const Operation& to_operation(const Classes& classes, const Cycle& cycle, const CycleEdge& edge);
[[nodiscard]] const ClassRows& from_rows(const Classes& classes, const Cycle& cycle, const CycleEdge& edge);
[[nodiscard]] const ClassRows& to_rows(const Classes& classes, const Cycle& cycle, const CycleEdge& edge);
// An rw to rows that come or go, so that whoever looks for them does not see the same again.
[[nodiscard]] bool is_phantom(const Classes& classes, const Cycle& cycle, const CycleEdge& edge);

}  // namespace isolde::audit
