// check/timeline/online/online.h: Aion's checker: snapshot isolation, or serializability in commit order, by the
// database's timestamps, while transactions arrive in any order between sessions.
//
// In, out: transactions with start_ts and commit_ts as they arrive -> violations; those of EXT when their deadline is
//          over, since what is late may still explain them.
// Always:  at finish() the same verdict as the engine `timeline` gives on the same transactions, however they arrived,
//          as long as nothing came later than its deadline and memory_limit was not reached. Beyond that the keys and
//          transactions that are oldest go: nothing false is told of them. docs/timestamps.md.
// Cost:    an operation looks at the versions and reads of its key around its own timestamp.
// Source:  Aion (algorithm 3), with an index by key instead of copies by timestamp.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "anomaly/level.h"
#include "check/online.h"

namespace isolde::timeline {

// Told of every change of a read's verdict, for those who study them.
class FlipObserver {
 public:
  virtual ~FlipObserver() = default;
  // `arrived`, `now`: of StreamTime::now.
  virtual void flipped(Fingerprint txn, Fingerprint key, bool wrong, std::int64_t arrived, std::int64_t now) = 0;
};

// Told of every transaction that was put into an order with others of its time, because the timestamps leave it open
// and it may matter. Those who see other operations of the same transactions may choose another order.
class TieObserver {
 public:
  virtual ~TieObserver() = default;
  virtual void tied(Fingerprint txn) = 0;
};

struct OnlineOptions {
  Level level = Level::kSnapshotIsolation;  // the snapshot family, or the serializable family by commit_ts
  std::int64_t deadline = 10'000'000'000;   // nanoseconds of StreamTime::now that a transaction's verdict may flip
  std::size_t memory_limit = std::size_t{1} << 30;
  std::string spill_folder;  // empty: what is beyond the deadline is dropped, and keys that do not fit are forgotten;
                             // else kept there
  std::uint32_t batch = 16384;  // so many arrivals are gathered at most, then put into the index in the order of their
                                // times; 1: each by itself
  std::uint32_t threads = 1;    // that put them there, each its share of the keys; with spill_folder or flips one does
  std::uint32_t worth_sharing = 256;  // fewer are put there by one thread
  FlipObserver* flips = nullptr;
  TieObserver* ties = nullptr;
};
inline constexpr std::uint32_t kMostThreads = 16;

// Requires: the level is of the snapshot or serializable family. `sink` outlives the engine.
[[nodiscard]] std::unique_ptr<OnlineEngine> make_online(const OnlineOptions& options, OnlineSink& sink);

}  // namespace isolde::timeline
