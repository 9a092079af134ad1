// batch/cycles.h: the engine `graph` over several ranks, for histories that satisfy the level.
//
// In, out: the parts of all ranks, a level -> satisfied, or the reason why it takes the whole history to judge.
//
// Which transaction depends on which is found key by key: each rank traces the reads of its keys (check/cycles). Then
// cycles. A history stands in some order in its file, and most dependencies lead forward in it. A cycle has to come
// back: at every place between its first and its last transaction, some dependency of it leads backward across that
// place. So a cycle lies within what the backward dependencies span together. These spans are exchanged; all
// transactions outside of them are done with, without a search. What is inside, the core, is brought to rank 0, as
// edges, and searched there.
//
// Always:  satisfied only if check/graph would say so: each read has its one version, each key its order of versions,
//          and there is no cycle of the level. Everything else is open here: a wrong read, a cycle, an order of
//          versions that is not known, predicates, unknown outcomes, given version orders, snapshots.
// Cost:    of a rank: its share of the keys and of the edges. Rank 0: the core, which is small if the file is about in
//          the order in which things happened.
// Source:  the trim step of parallel searches for components (McLendon et al.; Slota et al.), with a given order.
#pragma once

#include <string>

#include "anomaly/verdict.h"
#include "batch/facts.h"
#include "batch/parts.h"
#include "batch/ranks.h"

namespace isolde::batch {

struct CyclesJob {
  Level level = Level::kSerializable;
  unsigned passes = 1;
  std::uint64_t most_at_first = 0;  // bytes that the core may take at rank 0
};

struct CyclesAnswer {
  std::string open;                                // empty: satisfied; the same on all ranks
  std::uint64_t keys = 0, sessions = 0, core = 0;  // transactions of the core
  OrderEvidence orders = {};
  Witness::Kind witness = Witness::Kind::kNone;
};

// Why the level is not judged here on any history like this; empty if it may be.
[[nodiscard]] std::string not_by_cycles(const Facts& facts, Level level);

// Requires: not_by_cycles() is empty, and the engine `graph` is the one to take.
[[nodiscard]] Result<CyclesAnswer> judge_by_cycles(Ranks& ranks, Parts& parts, const Facts& facts,
                                                   const CyclesJob& job);

}  // namespace isolde::batch
