// format/carry.h: what a history can hold, and which of it each written format carries: one table for all writers.
//
// In, out: a History -> how many of each kind of content it has; (format, content) -> carried wholly, partly, not.
// Always:  a row that `decides` names content on which a verdict can depend. A writer that would leave such content out
//          refuses (format.h, write_history()), unless losses are accepted. The other rows are names and remarks: what
//          is lost of them changes no verdict at any level.
//          docs/formats.md shows this table; a test compares the two.
// Cost:    linear; a format that carries everything is never surveyed.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "history/history.h"

namespace isolde {

enum class HistoryContent : std::uint8_t {
  kRepeatedValues,
  kInitialValues,
  kDeletes,
  kAppends,
  kIncrements,
  kScans,
  kAggregates,
  kUpdates,
  kVersionSets,
  kAbortedReads,
  kUnknown,
  kClientTimes,
  kOpIntervals,
  kCommitIntervals,
  kTimestamps,
  kSerialOrder,
  kSerialByCommitTs,
  kSessionGaps,
  kSnapshots,
  kVersionOrders,
  kLocks,
  kAbout,
  kFaults,
};
inline constexpr int kContentCount = 23;

enum class Carry : std::uint8_t { kAll, kSome, kNone };

// The formats that can be written; the columns of the table.
enum class Writer : std::uint8_t { kNative, kIsl, kJepsenEdn, kText, kCobra, kTimekiller };
inline constexpr int kWriterCount = 6;

struct ContentInfo {
  HistoryContent content;
  std::string_view one, many;  // "append", "appends"
  bool decides;                // a verdict can depend on it
  std::array<Carry, kWriterCount> carried;
  std::string_view some;  // where a format carries some: which
};

[[nodiscard]] std::span<const ContentInfo> all_contents();
[[nodiscard]] const ContentInfo& info(HistoryContent content);
[[nodiscard]] inline Carry carry_of(Writer writer, HistoryContent content) {
  return info(content).carried[static_cast<std::size_t>(writer)];
}
// Whether it carries whatever a history has.
[[nodiscard]] bool carries_everything(Writer writer);

// How many of it the history has.
[[nodiscard]] std::uint64_t count(const History& history, HistoryContent content);

}  // namespace isolde
