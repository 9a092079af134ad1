// gen/options.h: what a generated history is to look like; the defaults are those of Chronos (section 4.1, table 1).
//
// Always: two equal GenOptions give equal histories on every machine. `evidence` only decides what is written down: the
//         transactions, their operations and the values stay the same whatever of it is on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "anomaly/level.h"
#include "base/result.h"

namespace isolde {

enum class Distribution : std::uint8_t {
  kUniform,
  kZipf,     // the key of rank i is drawn in proportion to 1 / (i+1)^exponent; key 0 is the hottest
  kHotspot,  // 80 % of the operations on the first 20 % of the keys
};

enum class DataType : std::uint8_t { kRegister, kList, kRow };

// What can be planted; each is a row of the table in gen/plants.h.
enum class PlantKind : std::uint8_t {
  kLostUpdate,
  kWriteSkew,
  kLongFork,
  kFracturedRead,
  kStaleRead,
  kG1a,
  kG1b,
  kG1c,
  kNonMonotonicSession,
  kResultSetMismatch,
  kPhantom,
};
inline constexpr int kPlantCount = 11;

struct Plant {
  PlantKind kind;
  double rate;  // share of the history's transactions that belong to such groups; above 0: at least one group
  std::uint64_t groups = 0;  // above 0: exactly so many, whatever the rate
};

struct GenEvidence {
  bool timestamps = true;     // start_ts, commit_ts
  bool intervals = true;      // begin, end
  bool op_intervals = false;  // `at` of every operation, `commit` of every transaction; needs `intervals`
  bool versions = false;      // version orders: by value, or by transaction for lists and repeated values
  bool order = false;         // place in the serialization order; only at serializable levels, else left out
  bool vsets = false;         // rows: the version set of every predicate operation, which is the whole table
  // Share of the versions that stay in their orders; below 1 the orders say that they are not complete.
  double versions_share = 1;
};

struct GenOptions {
  std::uint64_t transactions = 10'000;  // in the history, with all that is aborted, unknown or planted
  std::uint32_t sessions = 50;
  std::uint32_t ops = 15;  // operations in each transaction
  std::uint32_t keys = 1'000;
  Distribution distribution = Distribution::kZipf;
  double zipf_exponent = 0.99;
  // Shares of the operations; what is neither is a write. A read-modify-write is a read of a key and then a write of
  // it; it counts as one operation here and in `ops`, though the history has two for it.
  double read_share = 0.5;
  double rmw_share = 0;
  // Serializable and its session and strict forms are generated as such; everything else as snapshot isolation. What is
  // generated always keeps session order and real time too.
  Level level = Level::kSnapshotIsolation;
  DataType type = DataType::kRegister;
  double predicate_share = 0.5;  // rows: share of scans, aggregates and predicate updates among the operations
  double selectivity = 0.1;      // rows: share of the rows that a predicate matches, about
  bool repeated_values = false;  // registers only: values 1 … 10 instead of each value once
  GenEvidence evidence;
  double abort_share = 0;       // share of aborted transactions
  double unknown_share = 0;     // share of transactions whose commit was not answered; about half of them took effect
  std::uint32_t max_list = 32;  // a list that has this many elements is retired, and a fresh key takes its place
  double overlap = 3;           // how many transactions run at once, on average
  bool shuffled = false;        // lines in an order that tells nothing but the order within each session
  std::vector<Plant> plants;
  double spread = 0;  // a planted group's steps are spread over about this share of the history; 0: right one by one
  std::uint64_t seed = 1;
};

// Nothing if a history can be made of these options, else what is wrong with them.
[[nodiscard]] std::optional<Error> defect_of(const GenOptions& options);

// Names as in `isolde gen`: uniform, zipf, hotspot; register, list, row.
[[nodiscard]] std::string_view name(Distribution distribution);
[[nodiscard]] std::string_view name(DataType type);
[[nodiscard]] std::optional<Distribution> distribution_named(std::string_view name);
[[nodiscard]] std::optional<DataType> data_type_named(std::string_view name);
// "timestamps,intervals", "none", …: any of timestamps, intervals, op-intervals, versions, order, vsets;
// "versions:0.9": with that share of the versions.
[[nodiscard]] Result<GenEvidence> parse_evidence(std::string_view list);
// "lost-update" (then one transaction in a thousand), "lost-update:0.01", or "lost-update=1": that many groups.
[[nodiscard]] Result<Plant> parse_plant(std::string_view text);

// Whether histories of this level are made with one serialization order.
constexpr bool generated_serializable(Level level) {
  return level == Level::kSerializable || level == Level::kStrongSessionSerializable ||
         level == Level::kStrictSerializable;
}

}  // namespace isolde
