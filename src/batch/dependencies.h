// batch/dependencies.h: the engines `graph`, `weak` and `solver` over several ranks.
//
// In, out: the parts of all ranks, a level and its engine -> the verdict that the engine gives on the whole history; or
//          the reason why it takes the whole history to judge.
//
// Each rank finds the dependencies of its keys (edges.h), for levels about what a transaction saw together with an
// exchange (seen.h), and all search for cycles among them (cycles.h). If there is none, and no key breaks the level by
// itself, it is satisfied. Else what breaks it goes to rank 0, where the engine judges it and nothing else (core.h).
// Causality is shown by the order of the file, if that shows it (past.h). For `solver`, open versions are taken in the
// order of the file, which is one guess; what that does not decide, it searches in the whole history.
//
// Always:  satisfied and violated only if the engine would say so, with the anomalies that it finds in the whole.
// Cost:    of a rank: its share of the keys and of the edges, and its spans. Rank 0: what breaks the level.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "anomaly/verdict.h"
#include "batch/facts.h"
#include "batch/parts.h"
#include "batch/ranks.h"
#include "check/engine.h"

namespace isolde::batch {

struct DependenciesJob {
  Level level = Level::kSerializable;
  const Engine* engine = nullptr;
  EngineOptions options;
  unsigned passes = 1;
  std::uint64_t most = 0;  // bytes that a core or a span may take at one rank
};

struct DependenciesAnswer {
  std::string open;                       // the same on all ranks, as what follows
  Outcome outcome = Outcome::kUndecided;  // if nothing is open: satisfied or violated
  std::uint64_t keys = 0, sessions = 0;
  OrderEvidence orders = {};
  Witness::Kind witness = Witness::Kind::kNone;  // satisfied
  std::optional<SearchStats> search;             // satisfied
  // Violated, on rank 0:
  Verdict verdict;
  std::optional<History> history;
};

// Whether it is one of these engines.
[[nodiscard]] bool judges_by_dependencies(const Engine& engine);

// Why the level is not judged here on any history like this; empty if it may be.
[[nodiscard]] std::string not_by_dependencies(const Facts& facts, Level level);

// Requires: not_by_dependencies() is empty.
[[nodiscard]] Result<DependenciesAnswer> judge_by_dependencies(Ranks& ranks, Parts& parts, const Facts& facts,
                                                               const DependenciesJob& job, const Limits& limits);

}  // namespace isolde::batch
