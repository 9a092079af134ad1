// anomaly/level.h: the isolation levels as one table: names, definitions, lattice, and the smallest history that breaks
// each.
//
// Always: `weaker` holds by definition (docs/levels.md): a history that satisfies a level satisfies the weaker ones.
// The
//         session and real-time forms are a base level plus an added order, not levels with code of their own.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace isolde {

enum class Level : std::uint8_t {
  kReadUncommitted,
  kReadCommitted,
  kCursorStability,
  kMonotonicAtomicView,
  kStrongSessionMonotonicAtomicView,
  kReadAtomic,
  kCausal,
  kPrefix,
  kRepeatableRead,
  kSnapshotIsolation,
  kStrongSessionSnapshotIsolation,
  kStrongSnapshotIsolation,
  kSerializable,
  kStrongSessionSerializable,
  kStrictSerializable,
};
inline constexpr int kLevelCount = 15;

// The base of a level, whatever order is added.
enum class LevelFamily : std::uint8_t { kGraph, kAxiomatic, kPrefix, kSnapshot, kSerializable };

// The order between transactions that a level adds to its base.
enum class AddedOrder : std::uint8_t { kNone, kSession, kRealTime };  // real time includes session

struct LevelInfo {
  Level level;
  std::string_view name;
  std::span<const std::string_view> aliases;
  LevelFamily family;
  AddedOrder order;
  std::span<const Level> weaker;  // directly weaker levels
  std::string_view summary;       // one line
  std::string_view definition;    // a paragraph
  std::string_view example;       // the smallest history that breaks it, native JSON Lines
  std::string_view example_says;  // what happens in the example, one or two sentences
};

[[nodiscard]] std::span<const LevelInfo> all_levels();
[[nodiscard]] const LevelInfo& info(Level level);
// By name or alias; case, '-', '_' and ' ' are ignored.
[[nodiscard]] std::optional<Level> level_named(std::string_view name);
// Whether every history that satisfies `strong` satisfies `weak`, by the lattice (a level implies itself).
[[nodiscard]] bool implies(Level strong, Level weak);
// Whether the level asks for one order of all transactions, or of their start and commit points, that explains them.
[[nodiscard]] bool asks_for_one_order(Level level);

}  // namespace isolde
