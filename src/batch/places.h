// batch/places.h: where a transaction stands among the events of the whole history, without a schedule of all of them.
//
// In, out: a whole transaction -> the places of its start and its commit; their order is that of
//          check/timeline/schedule.h.
// Always:  a transaction whose place the timestamps leave open has an `open` reason: then no verdict can be given from
//          places alone.
// Cost:    linear in its operations.
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>

#include "anomaly/level.h"
#include "check/timeline/schedule.h"
#include "history/history.h"

namespace isolde::batch {

// Default: there is no such event; then it comes before all.
struct EventPlace {
  std::uint64_t time = 0;      // order_preserving()
  std::uint64_t sequence = 0;  // among those of one time; 0: no event
  [[nodiscard]] bool exists() const { return sequence != 0; }
  friend auto operator<=>(const EventPlace&, const EventPlace&) = default;
};

// In which order the events of one time stand.
enum class Block : std::uint8_t { kCommit = 1, kUnknownStart, kInstantWriter, kInstantReader, kStart };

struct TxnPlaces {
  EventPlace start, commit;
  Block block = Block::kCommit;  // of its commit
  bool start_after_commit = false;
  std::string_view open = {};  // why its place is open; empty: it is not
};

// How a history is judged by time.
struct TimeForm {
  LevelFamily family = LevelFamily::kSnapshot;
  AddedOrder order = AddedOrder::kNone;
  timeline::Clock clock = timeline::Clock::kTimestamps;
  bool by_place = false;  // serial: the order is that of the file, whatever the timestamps say
  [[nodiscard]] bool is_serial() const { return family == LevelFamily::kSerializable; }
};

// Requires: the transaction counts as committed. `place`: in the whole history.
[[nodiscard]] TxnPlaces places_of(const History& history, TxnId txn, std::uint64_t place, const TimeForm& form);

}  // namespace isolde::batch
