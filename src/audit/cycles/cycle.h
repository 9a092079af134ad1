// audit/cycles/cycle.h: a cycle of dependencies between two or more transactions, each of some class.
#pragma once

#include <cstdint>
#include <vector>

#include "audit/graph/graph.h"
#include "audit/schema/ids.h"

namespace isolde::audit {

struct CycleEdge {
  std::uint32_t from, to;  // places in Cycle::members
  Conflict conflict;       // from_op of the class of `from`, to_op of the class of `to`
};

// members[i] -> members[i + 1] -> … -> members[0] by edges[i].
struct Cycle {
  std::vector<ClassId> members;  // the same class may come more than once: replicas
  std::vector<CycleEdge> edges;
};

// Begins at the member where it reads smallest, classes and operations one after the other: two cycles that differ only
// in where they begin and in which replica is which become the same.
void make_canonical(Cycle& cycle);

// The same for two cycles that differ only in where they begin and in which replica is which.
[[nodiscard]] std::uint64_t fingerprint(const Cycle& cycle);

}  // namespace isolde::audit
