// hunt/reduce/reduce.h: makes a finding small: fewer transactions, statements, clauses, rows, columns, tables.
//
// In, out: a finding that try_again() sees -> a smaller one that it sees too, with the same Wrong (and anomaly); its
//          cause is filled in if it has none (hunt/finding/cause.h).
// Always:  every step was run; a step that changes what is wrong is taken back. Ends: each step makes the case smaller.
//          When the runs are used up, or it is stopped, the smallest so far is the answer.
// Source:  Zeller and Hildebrandt, delta debugging (2002); Regehr and others, C-Reduce (2012), for the passes.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>

#include "hunt/finding/finding.h"
#include "hunt/trial/trial.h"

namespace isolde::hunt {

struct ReduceOptions {
  std::uint64_t most_runs = 4000;
  std::function<void(std::uint64_t runs, std::size_t statements, std::size_t rows)> progress;
  const std::atomic<bool>* stop = nullptr;  // ctrl-C: the smallest so far is the answer
};

// Ensures: the arena has the schema of `finding` again. The error is the arena's: nothing could be run at all.
[[nodiscard]] Result<Finding> reduce(Arena& arena, const Finding& finding, const TrialOptions& trial,
                                     const ReduceOptions& options);

// Runs a finding, makes its schema before if it is another than last time, and answers what was seen. None: not that.
using TryAgain = std::function<Result<std::optional<Finding>>(const Finding&)>;
[[nodiscard]] Result<Finding> reduce(const Finding& finding, const TryAgain& again, const ReduceOptions& options);

}  // namespace isolde::hunt
