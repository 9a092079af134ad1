// batch/core.h: the verdict of an engine on what breaks a level, without the rest of the history.
//
// Nearly all of a large history has no part in a violation. What an engine by dependencies finds, it finds in keys that
// break the level by themselves and among transactions that stand on a cycle. So rank 0 gets the operations on these
// keys and on all keys of these transactions: on a key, everybody's. Reads of these keys, the orders of their versions
// and the dependencies between those transactions are then what they are in the whole history, and so are its
// anomalies. Whoever an anomaly names is shown with all of its operations: their keys are added too, until nothing is
// new.
//
// In, out: keys and places of all ranks, an engine -> its verdict and that history, on rank 0.
// Always:  only a violation is an answer. Everything else, and what rests on the database's own word, is open.
// Cost:    the operations on those keys, at rank 0.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "anomaly/verdict.h"
#include "batch/parts.h"
#include "batch/ranks.h"
#include "batch/spans.h"
#include "check/engine.h"

namespace isolde::batch {

struct CoreJob {
  Level level = Level::kSerializable;
  const Engine* engine = nullptr;
  EngineOptions options;
  std::uint64_t most = 0;  // bytes that may be brought to rank 0
};

struct CoreVerdict {
  std::string open;  // why there is no verdict; the same on all ranks
  // On rank 0:
  Verdict verdict;
  std::optional<History> history;
};

// `keys`: prints of names, of this rank. `places`: the same on all ranks.
[[nodiscard]] Result<CoreVerdict> judge_core(Ranks& ranks, Parts& parts, const std::vector<std::uint64_t>& keys,
                                             const std::vector<Span>& places, const CoreJob& job, const Limits& limits);

}  // namespace isolde::batch
