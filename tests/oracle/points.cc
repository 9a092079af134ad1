// tests/oracle/points.cc: prefix and the snapshot family: is there a line of start and commit points?

#include <array>
#include <optional>

#include "tests/oracle/tiny.h"

namespace isolde::tiny {
namespace {

constexpr std::size_t start_of(std::size_t t) { return 2 * t; }
constexpr std::size_t commit_of(std::size_t t) { return 2 * t + 1; }

// Where the timestamps put a point: at a time, and within it before or after others.
struct Rank {
  std::int64_t time;
  int place;
  friend auto operator<=>(const Rank&, const Rank&) = default;
};

class PointSearch {
 public:
  PointSearch(Tiny& tiny, TxnSet counted, bool conflicts) : tiny_(tiny), counted_(counted), conflicts_(conflicts) {
    for (std::size_t t = 0; t < tiny.size(); ++t) {
      if (!contains(counted, t)) continue;
      all_ |= 1U << start_of(t) | 1U << commit_of(t);
      before(start_of(t), commit_of(t));
    }
  }

  void before(std::size_t p, std::size_t q) { earlier_[q] |= 1U << p; }

  // False if a transaction commits before it starts.
  bool respect_timestamps() {
    std::array<std::optional<Rank>, 2 * kOracleMaxTxns> rank;
    for (std::size_t t = 0; t < tiny_.size(); ++t) {
      if (!contains(counted_, t)) continue;
      const Txn& txn = tiny_.txns[t];
      const std::int64_t start = txn.start_ts;
      const std::int64_t commit = txn.commit_ts == kNoTime && txn.writes == 0 ? start : txn.commit_ts;
      if (start != kNoTime && commit != kNoTime && start > commit) return false;
      const bool instant = start != kNoTime && start == commit;
      if (instant && txn.writes != 0) instant_writer_at_[t] = commit;
      const int instant_place = txn.writes != 0 ? 1 : 2;
      if (start != kNoTime) rank[start_of(t)] = Rank{start, instant ? instant_place : 2};
      if (commit != kNoTime) rank[commit_of(t)] = Rank{commit, instant ? instant_place : 0};
    }
    for (std::size_t p = 0; p < rank.size(); ++p) {
      for (std::size_t q = 0; q < rank.size(); ++q) {
        if (rank[p] && rank[q] && *rank[p] < *rank[q]) before(p, q);
      }
    }
    return true;
  }

  bool run() {
    for (std::size_t k = 0; k < tiny_.keys; ++k) versions_[k].push_back({tiny_.initial[k], std::nullopt});
    return extend(0, tiny_.initial);
  }

 private:
  // Places the next point in every way that the order allows. The depth is the number of points.
  bool extend(std::uint32_t placed, const States& states) {
    if (placed == all_) return vsets_fit();
    for (std::size_t p = 0; p < 2 * tiny_.size(); ++p) {
      const std::uint32_t bit = 1U << p;
      if ((all_ & bit) == 0 || (placed & bit) != 0 || (earlier_[p] & ~placed) != 0) continue;
      const std::size_t t = p / 2;
      if (p == start_of(t)) {
        for (std::size_t k = 0; k < tiny_.keys; ++k) at_[t][k] = versions_[k].size() - 1;
        if (may_start(placed, t) && tiny_.explains(states, t) && extend(placed | bit, states)) return true;
      } else if (tiny_.txns[t].writes == 0) {
        if (extend(placed | bit, states)) return true;
      } else {
        States after = states;
        tiny_.commit(after, t);
        for (std::size_t k = 0; k < tiny_.keys; ++k) {
          if (contains(tiny_.txns[t].writes, k)) versions_[k].push_back({after[k], t});
        }
        if (extend(placed | bit, after)) return true;
        for (std::size_t k = 0; k < tiny_.keys; ++k) {
          if (contains(tiny_.txns[t].writes, k)) versions_[k].pop_back();
        }
      }
    }
    return false;
  }

  bool vsets_fit() {
    for (std::size_t t = 0; (tiny_.has_vsets || tiny_.by_snapshot_sets) && t < tiny_.size(); ++t) {
      if (!contains(counted_, t)) continue;
      if (!tiny_.vsets_fit(t, versions_, at_[t]) || !tiny_.snapshot_sets_fit(t, versions_, at_[t])) return false;
    }
    return true;
  }

  bool may_start(std::uint32_t placed, std::size_t t) const {
    for (std::size_t other = 0; other < tiny_.size(); ++other) {
      const bool under_way = (placed >> start_of(other) & 1U) != 0 && (placed >> commit_of(other) & 1U) == 0;
      if (!under_way) continue;
      if (conflicts_ && (tiny_.txns[other].writes & tiny_.txns[t].writes) != 0) return false;
      if (instant_writer_at_[t] && instant_writer_at_[other] == instant_writer_at_[t]) return false;
    }
    return true;
  }

  Tiny& tiny_;
  TxnSet counted_;
  bool conflicts_;  // two that write one key do not overlap
  std::uint32_t all_ = 0;
  std::array<std::uint32_t, 2 * kOracleMaxTxns> earlier_{};
  std::array<std::optional<std::int64_t>, kOracleMaxTxns> instant_writer_at_;
  Versions versions_;
  std::array<Places, kOracleMaxTxns> at_{};
};

}  // namespace

bool points_exist(Tiny& tiny, TxnSet counted, Level level, OracleEvidence use, const Pairs& versions) {
  PointSearch search(tiny, counted, level != Level::kPrefix);
  const bool real_time = level == Level::kStrongSnapshotIsolation;
  const bool sessions = real_time || level == Level::kStrongSessionSnapshotIsolation || level == Level::kPrefix;
  if (sessions) {
    for (const auto& [a, b] : tiny.session_pairs(counted)) search.before(commit_of(a), start_of(b));
  }
  if (real_time) {
    for (const auto& [a, b] : tiny.realtime_pairs(counted)) search.before(commit_of(a), start_of(b));
  }
  for (const auto& [a, b] : versions) search.before(commit_of(a), commit_of(b));
  if (has(use, OracleEvidence::kTimestamps) && !search.respect_timestamps()) return false;
  return search.run();
}

}  // namespace isolde::tiny
