// stream/watcher.h: a stream, an engine, and what a person is told of them while it goes on.
//
// In, out: an Input -> violations, each once, as they are found; a summary at the end. With a CheckpointFolder the
//          next watcher goes on where this one ended, however it ended.
// Always:  the input has a thread of its own, everything else happens on the caller's. Memory: the queue between the
//          two, what the feed and the engine hold. Time is that of watching (stream/arrival_clock.h), counted in what
//          was read: no deadline runs out while input lies unread, nor while nobody watches, since it goes on from
//          where the last checkpoint left it. A violation is recorded before it is shown. A
//          stream that is stopped from outside is not taken for finished: what could only be said of the whole stream
//          is counted as open, never told or recorded as a violation.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "anomaly/verdict.h"
#include "base/result.h"
#include "check/online.h"
#include "stream/checkpoint.h"
#include "stream/feed.h"
#include "stream/input.h"

namespace isolde::stream {

// What checks the stream.
struct Checker {
  std::unique_ptr<Feed> feed;
  std::unique_ptr<OnlineEngine> engine;
  Settings settings;                              // what a restart must repeat
  std::size_t remembered = std::size_t{1} << 16;  // so many transactions are known again if they are sent once more
  bool certifies = false;  // nothing found means that the level was kept, as far as everything could be checked
  std::optional<Level> level = std::nullopt;  // that it certifies
};

struct WatchCounts {
  OnlineCounts engine;
  InputCounts input;
  std::uint64_t arrived = 0;  // transactions taken from the input, by earlier watchers of this folder too
  std::uint64_t arrived_before = 0, checked_before = 0;  // by earlier watchers alone
  std::uint64_t held = 0, held_bytes = 0;
  std::vector<std::string> missing;  // sessions that are waited for no longer
  std::uint64_t late = 0;            // transactions delivered after their time
  std::uint64_t violations = 0;      // recorded, by earlier watchers too
  std::uint64_t suspicions = 0;
  std::uint64_t duplicates = 0;                      // transactions that were sent again, with the same content
  std::uint64_t repeated = 0;                        // derived again after a restart, and known already
  std::map<std::string, std::uint64_t> by_name;      // violations
  double seconds = 0;                                // of watching, by this watcher
  double in_per_second = 0, checked_per_second = 0;  // lately; of a summary: on average
  double lag = 0;  // seconds that the oldest transaction that is not judged for good has waited since it came
  double most_lag = 0;
  double behind = 0;  // seconds that input has been lying unread; 0 where it is all there from the start
  std::uint64_t checkpoints = 0;
};

struct WatchSummary {
  WatchCounts counts;
  bool stopped = false;       // from outside, not at the stream's end
  std::uint64_t pending = 0;  // stopped: so many transactions were not judged for good
  std::uint64_t open = 0;     // stopped: so many violations there would be if nothing more came
  Outcome outcome = Outcome::kUndecided;
  std::string reason;                         // kUndecided: why
  std::optional<Level> holds = std::nullopt;  // kUndecided for want of clocks or sessions: what holds without them
};

// Told from the thread that watches.
class WatchView {
 public:
  virtual ~WatchView() = default;
  virtual void started(const Checker& checker) = 0;  // once it is known what checks
  virtual void violated(const OnlineViolation& violation) = 0;
  virtual void suspected(const OnlineViolation& violation, std::string_view why) = 0;
  virtual void late(const Arrival& arrival) = 0;
  virtual void notice(std::string_view text) = 0;
  virtual void progress(const WatchCounts& counts) = 0;  // about four times a second
};

struct WatchOptions {
  CheckpointFolder* checkpoint = nullptr;          // null: none
  double checkpoint_seconds = 3;                   // between two; longer where writing one takes long
  const std::atomic<bool>* interrupted = nullptr;  // set: take what has arrived, and end
  double seconds = 0;                              // as if interrupted after so long; 0: never
};

// `first`: the first piece that has transactions; null where the checkpoint's settings say what it was. `sink`
// outlives what is made.
using MakeChecker = std::function<Result<Checker>(const Chunk* first, OnlineSink& sink)>;

// Requires: `input` was opened with the position of the checkpoint's earlier state, if it has one.
[[nodiscard]] Result<WatchSummary> watch(Input& input, const MakeChecker& make, WatchView& view,
                                         const WatchOptions& options);

}  // namespace isolde::stream
