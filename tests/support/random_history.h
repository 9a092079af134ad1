// tests/support/random_history.h: tiny random histories with every mix of evidence, for the oracle and the engines.
//
// In, out: chance and options -> a History, and the Draft behind it.
// Always:  the same seed gives the same history on every machine. Most come from a simulated store at some level and
//          are then changed a little, so that about half satisfy a level and half break it, narrowly; some are pure
//          chance.
// What may occur: registers, lists, counters, rows with scans, aggregates, predicate updates and version sets; unique
//          and repeated values; initial values; aborted and unknown transactions; sessions, also overlapping ones;
//          begin/end, start_ts/commit_ts, order, snapshots and version orders, whole and in parts, for all, some or no
//          transactions, with ties, start = commit, start > commit.
#pragma once

#include <optional>

#include "base/rng.h"
#include "history/history.h"
#include "tests/support/draft.h"

namespace isolde {

struct RandomOptions {
  int max_txns = 5;
  int max_keys = 3;
  int max_ops = 4;
  double change = 0.5;  // share of the histories that are changed after the simulation; of these, changed again
  double aborted = 0.08, unknown = 0.08;
  bool registers_only = false;  // no lists, counters, predicates
  bool rows_only = false;       // rows, and predicates in about half of the operations
  // Keys that are harder to trace: counters; lists that are also written; registers that are also deleted.
  enum class Data : std::uint8_t { kUsual, kCounters, kWrittenLists, kDeletes } data = Data::kUsual;
  bool repeat = false;       // values are written again and again
  double overwrites = 0.08;  // share of histories that mostly write, each key's versions in an order of its own
  bool blind = false;        // a transaction only reads or only writes: values alone leave the order of versions open
  std::optional<double> snapshots = std::nullopt;  // share of histories with PostgreSQL's snapshots, if not the usual
  // How much has timestamps: a mix of all, some and none; or all committed ones, without ties.
  // Or of each, about two thirds.
  enum class Timestamps : std::uint8_t { kMixed, kCompleteAndDistinct, kSomeMissing } timestamps = Timestamps::kMixed;
};

[[nodiscard]] Draft random_draft(Rng& rng, const RandomOptions& options);
[[nodiscard]] History random_history(Rng& rng, const RandomOptions& options);

}  // namespace isolde
