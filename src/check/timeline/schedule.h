// check/timeline/schedule.h: which transactions count and in which order their starts and commits happened.
//
// In, out: a History and a level -> one list of events by database timestamps, and the transactions that have no sure
//          place in it.
// Always:  commit_ts(a) <= start_ts(b) puts a's commit before b's start. At one and the same time: first commits, then
//          transactions that may have started at that time too and write (one after the other), then the other starts.
// Cost:    linear (radix sort).
// Source:  Chronos, section 3.2; what equal and missing timestamps mean is ours: docs/timestamps.md.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "anomaly/level.h"
#include "history/history.h"

namespace isolde::timeline {

// One event: a transaction's start, its commit, or (serializable levels) both at once.
class Event {
 public:
  Event() = default;
  static Event start(TxnId t) { return Event(raw(t) << 1); }
  static Event commit(TxnId t) { return Event((raw(t) << 1) | 1); }
  [[nodiscard]] TxnId txn() const { return TxnId{word_ >> 1}; }
  [[nodiscard]] bool is_commit() const { return (word_ & 1) != 0; }
  [[nodiscard]] std::uint32_t word() const { return word_; }

 private:
  explicit Event(std::uint32_t word) : word_(word) {}
  std::uint32_t word_ = 0;
};

// What says where a transaction stands: the database's timestamps or, for serial orders only, the field `order`.
enum class Clock : std::uint8_t { kTimestamps, kOrder };

enum class Counts : std::uint8_t {
  kNo,     // aborted, or unknown and nobody saw its writes
  kYes,    // committed, or unknown and somebody saw a write that only it made
  kMaybe,  // unknown, and what was seen may be another's write: taken as not counted until that fails
};

// Transactions of one time whose order the timestamps leave open, where it may matter: their operations touch each
// other, or a session or real-time order is asked for.
struct TieGroup {
  std::uint32_t first_event, event_count;
};

struct Schedule {
  std::vector<Event> events;
  std::vector<Counts> counts;             // one a transaction
  std::vector<TxnId> floating_writers;    // they count and write, but when they committed is not known
  std::vector<TxnId> missing_snapshot;    // they count, but which state they read is not known
  std::vector<TxnId> start_after_commit;  // start_ts > commit_ts
  std::vector<TieGroup> ties;
  std::vector<TxnId> maybes;   // Counts::kMaybe
  bool equal_commits = false;  // two commits have one time: a state between them may have been seen
};

// `include_maybes`: transactions of Counts::kMaybe are taken as committed.
[[nodiscard]] Schedule make_schedule(const History& history, LevelFamily family, AddedOrder order, Clock clock,
                                     bool include_maybes);

// commit_ts, or start_ts for a transaction that wrote nothing and has no commit_ts.
[[nodiscard]] std::int64_t commit_time(const History& history, TxnId txn);
// The transaction's place in a serial order, by that clock.
[[nodiscard]] std::int64_t serial_time(const History& history, TxnId txn, Clock clock);

[[nodiscard]] bool writes_anything(const History& history, TxnId txn);
// Whether it reads a key, or asks a predicate.
[[nodiscard]] bool reads_others(const History& history, TxnId txn);
// Whether one of the transactions reads or writes a key that another one writes. A predicate looks at all keys.
[[nodiscard]] bool touch_each_other(const History& history, std::span<const TxnId> txns);

}  // namespace isolde::timeline
