// check/timeline/online/online_testing.h: what the tests of the online engine share: a sink that remembers, a stream
// that is fed by hand, and random delays of a history's transactions.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/rng.h"
#include "base/scratch_folder.h"
#include "check/accesses.h"
#include "check/timeline/online/online.h"
#include "check/timeline/timeline.h"
#include "tests/support/history_text.h"

namespace isolde::online_testing {

struct Told : OnlineSink {
  std::vector<OnlineViolation> violations, suspicions;
  void violated(const OnlineViolation& v) override { violations.push_back(v); }
  void suspected(const OnlineViolation& v, std::string_view) override { suspicions.push_back(v); }
  [[nodiscard]] std::vector<std::uint64_t> identities() const {
    std::vector<std::uint64_t> all;
    for (const OnlineViolation& v : violations) all.push_back(v.identity);
    return all;
  }
  [[nodiscard]] std::string names() const {
    std::string all;
    for (const OnlineViolation& v : violations) {
      all +=
          fmt::format("{}{} {}", all.empty() ? "" : ", ", full_name(v.kind, v.variant), fmt::join(v.transactions, " "));
    }
    return all;
  }
};

// A stream made of the one-line histories of tests/support/history_text.h.
class Stream {
 public:
  explicit Stream(timeline::OnlineOptions options = {}) : engine(timeline::make_online(options, told)) {}

  void take(std::string_view text) {
    const auto chunk = std::make_shared<const Chunk>(hist(text));
    for (std::uint32_t t = 0; t < chunk->history.txn_count(); ++t) engine->take({chunk, TxnId{t}});
  }
  void advance(std::int64_t now) { engine->advance({now, kNoTime, true}); }

  Told told;
  std::unique_ptr<OnlineEngine> engine;
};

// Arrivals do not wait for others unless asked.
inline timeline::OnlineOptions with_deadline(std::int64_t deadline, Level level = Level::kSnapshotIsolation,
                                             std::uint32_t batch = 1) {
  timeline::OnlineOptions options;
  options.level = level;
  options.deadline = deadline;
  options.batch = batch;
  return options;
}

inline std::uint32_t batch_of(Rng& rng) { return rng.chance(0.3) ? 1 : static_cast<std::uint32_t>(rng.between(2, 40)); }

// Arrival within `most` of the commit, session order kept. A writer without commit_ts or of unknown outcome comes as it
// starts, before anybody can have seen it; if its session does not let it there is no such arrival. A reader that may
// have read at any time comes last.
struct Timed {
  std::int64_t at;
  TxnId txn;
};
inline bool comes_early(const History& h, TxnId t) {
  return timeline::writes_anything(h, t) && (h.status(t) == Status::kUnknown || h.commit_ts(t) == kNoTime);
}
inline std::int64_t time_of(const History& h, TxnId t) {
  if (comes_early(h, t)) {
    const std::int64_t start = std::max<std::int64_t>(0, h.start_ts(t));
    return h.commit_ts(t) != kNoTime ? std::min(start, h.commit_ts(t)) : start;
  }
  if (h.commit_ts(t) != kNoTime) return h.commit_ts(t);
  return h.start_ts(t) != kNoTime ? h.start_ts(t) : 1'000'000;
}
inline std::vector<Timed> delayed(const History& h, Rng& rng, std::int64_t most, bool serial) {
  std::vector<Timed> arrivals;
  std::vector<std::int64_t> session(h.session_count(), 0);
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    const TxnId id{t};
    const std::int64_t time = time_of(h, id) * 10;
    std::int64_t& last = session[raw(h.session(id))];
    if (comes_early(h, id)) {
      bool reads = false;
      for_each_access(h, id, [&](const Access& a) { reads = reads || a.kind == OpKind::kRead; });
      // In a serial order it may stand before its start.
      if (last > time || (reads && h.start_ts(id) == kNoTime) || (serial && time > 0)) return {};
      last = time;
    } else {
      last = std::max(last, time + rng.between(0, most));
    }
    arrivals.push_back({last, id});
  }
  std::stable_sort(arrivals.begin(), arrivals.end(), [](const Timed& a, const Timed& b) { return a.at < b.at; });
  return arrivals;
}

inline timeline::OnlineOptions spilling(std::int64_t deadline, const std::string& folder) {
  timeline::OnlineOptions options = with_deadline(deadline);
  options.spill_folder = folder;
  return options;
}

struct SpillFolder {
  SpillFolder() : path(make_scratch_folder("late-test")) {}
  ~SpillFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  SpillFolder(const SpillFolder&) = delete;
  SpillFolder& operator=(const SpillFolder&) = delete;
  std::string path;
};

}  // namespace isolde::online_testing
