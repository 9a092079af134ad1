// gen/generate.h: synthetic histories of any size, valid at a level, with named anomalies planted on request.
//
// In, out: GenOptions -> a History, which transactions were planted, and what a person should know.
// Always:  the same options give the same history on every machine. Without plants the history is valid at the level
//          asked for by every kind of evidence it carries; planted groups break what gen/plants.h says and no more.
// Cost:    linear in the operations; about 0.1 microseconds each.  Source: Chronos (algorithm 1, section 4.1).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/limits.h"
#include "base/result.h"
#include "gen/options.h"
#include "history/history.h"

namespace isolde {

struct PlantedGroup {
  PlantKind kind;
  std::vector<TxnId> transactions;  // in the order of the roles of its script
};

struct GenStats {
  std::uint64_t attempts = 0;   // transactions that were run, planted ones not counted
  std::uint64_t conflicts = 0;  // of these, the ones that had to abort
  double overlap = 0;           // how many ran at once, on average over time
};

struct Generated {
  History history;
  std::vector<PlantedGroup> planted;
  std::vector<std::string> notes;
  GenStats stats;
};

[[nodiscard]] Result<Generated> generate(const GenOptions& options, Progress* progress = nullptr);

}  // namespace isolde
