// gen/plants.h: the anomalies that can be planted, as one table: who does what in which order, and what it breaks.
//
// Always: a group works on keys of its own, so nothing but its own anomaly arises and nothing else is disturbed.
//         `breaks` and `keeps` together are the levels of kPlantLevels.
// Used by: the generator, the tests, and `isolde gen --help`.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "anomaly/level.h"
#include "gen/options.h"

namespace isolde {

struct ScriptOp {
  enum class What : std::uint8_t {
    kRead,
    kWrite,
    kScan,  // rows only: over all of the group's rows; the kFound that follow are its result
    kFound,
  };
  What what;
  std::uint8_t key;    // which of the group's keys
  std::uint8_t value;  // which of the group's values, from 1. On lists a read of value v returns every element
                       // that the script appends to the key, in the order of the roles, up to v.
};

struct ScriptRole {
  std::uint8_t session;  // which of the group's sessions
  bool aborts;
  std::span<const ScriptOp> ops;
};

struct ScriptEvent {
  enum class What : std::uint8_t {
    kSnapshot,  // takes its start timestamp long before it begins
    kStart,
    kCommit,
  };
  What what;
  std::uint8_t role;
};

struct PlantInfo {
  PlantKind kind;
  std::string_view name;
  std::string_view summary;  // one line
  std::uint8_t sessions, keys, values;
  std::span<const ScriptRole> roles;
  std::span<const ScriptEvent> events;
  // Judged with timestamps: snapshots and commits stand where start_ts and commit_ts say (prefix, snapshot family), the
  // serialization order is that of commit_ts (serializable family). Read committed, monotonic
  // atomic view, read-atomic and causal are judged by values and sessions, as always.
  std::span<const Level> breaks, keeps;
  // What breaks without timestamps and version orders: by values, sessions and, for the strong and strict forms, client
  // intervals.
  std::span<const Level> breaks_by_values;
  bool rows_only = false;  // it is about predicates
};

// The levels that the table speaks about.
inline constexpr Level kPlantLevels[] = {Level::kReadCommitted,
                                         Level::kStrongSessionMonotonicAtomicView,
                                         Level::kReadAtomic,
                                         Level::kCausal,
                                         Level::kPrefix,
                                         Level::kSnapshotIsolation,
                                         Level::kStrongSessionSnapshotIsolation,
                                         Level::kStrongSnapshotIsolation,
                                         Level::kSerializable,
                                         Level::kStrongSessionSerializable,
                                         Level::kStrictSerializable};

inline constexpr std::size_t kMaxPlantRoles = 5;
inline constexpr std::size_t kMaxPlantSessions = 2;

[[nodiscard]] std::span<const PlantInfo> all_plants();
[[nodiscard]] const PlantInfo& info(PlantKind kind);
// Case, '-', '_' and ' ' do not matter.
[[nodiscard]] std::optional<PlantKind> plant_named(std::string_view name);

// How many groups `plant` asks for in a history of so many transactions.
[[nodiscard]] std::uint64_t planted_groups(const Plant& plant, std::uint64_t transactions);

}  // namespace isolde
