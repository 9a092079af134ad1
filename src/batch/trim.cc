#include "batch/trim.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "base/ids.h"

namespace isolde::batch {
namespace {

constexpr int kMostTrimRounds = 64;

// An end of an edge of which the other end is gone.
struct LostEnd {
  std::uint64_t place;
  std::uint64_t is_from;  // it has an edge less that leads on; else one that leads to it
};

class Trimmer {
 public:
  Trimmer(Ranks& ranks, const Homes& homes, const std::vector<Span>& spans, const std::vector<SpanTxn>& txns,
          const std::vector<PlacedEdge>& edges, bool sessions)
      : ranks_(ranks), homes_(homes), txns_(txns), edges_(edges), lost_(ranks.size()) {
    const std::size_t n = txns.size();
    alive_.assign(n, 1);
    count_[0].assign(n, 0);
    count_[1].assign(n, 0);
    for (int side = 0; side < 2; ++side) begin_[side].assign(n + 1, 0);
    for (const PlacedEdge& edge : edges) {
      for (int side = 0; side < 2; ++side) {
        if (const std::uint32_t at = local(side_of(edge, side)); at != kNone32) ++begin_[side][at + 1];
      }
    }
    for (int side = 0; side < 2; ++side) {
      for (std::size_t i = 0; i < n; ++i) count_[side][i] = begin_[side][i + 1];
      std::partial_sum(begin_[side].begin(), begin_[side].end(), begin_[side].begin());
      edge_of_[side].resize(begin_[side].back());
      std::vector<std::uint64_t> at(begin_[side].begin(), begin_[side].end() - 1);
      for (std::size_t e = 0; e < edges.size(); ++e) {
        if (const std::uint32_t i = local(side_of(edges[e], side)); i != kNone32) edge_of_[side][at[i]++] = e;
      }
    }
    if (sessions) link_sessions(spans);
  }

  std::vector<std::uint8_t> run() {
    for (std::uint32_t i = 0; i < alive_.size(); ++i) look_at(i);
    for (int round = 0; round < kMostTrimRounds; ++round) {
      settle();
      if (!ranks_.any(std::any_of(lost_.begin(), lost_.end(), [](const auto& some) { return !some.empty(); }))) break;
      const auto told = exchanged(ranks_, lost_);
      lost_.assign(ranks_.size(), {});
      for (const std::vector<LostEnd>& some : told) {
        for (const LostEnd& end : some) lose(local(end.place), end.is_from != 0 ? 0 : 1);
      }
    }
    settle();  // what it finds now need not be told
    return std::move(alive_);
  }

 private:
  static std::uint64_t side_of(const PlacedEdge& edge, int side) { return side == 0 ? edge.from() : edge.to(); }

  [[nodiscard]] std::uint32_t local(std::uint64_t place) const {
    const auto at = std::lower_bound(txns_.begin(), txns_.end(), place,
                                     [](const SpanTxn& txn, std::uint64_t p) { return txn.place < p; });
    return at != txns_.end() && at->place == place ? static_cast<std::uint32_t>(at - txns_.begin()) : kNone32;
  }

  // The one before and the one after in the session and the span. Where the span goes on at another rank, there may be
  // one there: that is an edge that stays.
  void link_sessions(const std::vector<Span>& spans) {
    const std::size_t n = txns_.size();
    neighbour_[0].assign(n, kNone32);
    neighbour_[1].assign(n, kNone32);
    std::unordered_map<std::uint64_t, std::uint32_t> last;
    std::size_t now = SIZE_MAX;
    const auto close = [&] {
      if (now == SIZE_MAX || spans[now].last < homes_.end(ranks_.rank())) return;
      for (const auto& [session, i] : last) ++count_[0][i];
    };
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::size_t span = span_of(spans, txns_[i].place);
      if (span != now) {
        close();
        last.clear();
        now = span;
      }
      const auto [at, fresh] = last.try_emplace(txns_[i].session, i);
      if (!fresh) {
        neighbour_[0][at->second] = i;
        neighbour_[1][i] = at->second;
        at->second = i;
      } else if (spans[span].first < homes_.first(ranks_.rank())) {
        ++count_[1][i];
      }
    }
    close();
  }

  [[nodiscard]] bool has(int side, std::uint32_t i) const {
    return count_[side][i] > 0 || (!neighbour_[side].empty() && neighbour_[side][i] != kNone32);
  }
  void look_at(std::uint32_t i) {
    if (alive_[i] == 0 || (has(0, i) && has(1, i))) return;
    alive_[i] = 0;
    gone_.push_back(i);
  }
  void lose(std::uint32_t i, int side) {
    if (i == kNone32) return;
    --count_[side][i];
    look_at(i);
  }

  void settle() {
    while (!gone_.empty()) {
      const std::uint32_t i = gone_.back();
      gone_.pop_back();
      for (int side = 0; side < 2; ++side) {
        for (std::uint64_t e = begin_[side][i]; e < begin_[side][i + 1]; ++e) {
          const std::uint64_t other = side_of(edges_[edge_of_[side][e]], 1 - side);
          if (const std::uint32_t here = local(other); here != kNone32) {
            lose(here, 1 - side);
          } else {
            lost_[homes_.of(other)].push_back({other, side == 1 ? 1U : 0U});
          }
        }
      }
      if (neighbour_[0].empty()) continue;
      // It was at one end of what is left of its session.
      const std::uint32_t after = neighbour_[0][i], before = neighbour_[1][i];
      if (before != kNone32) neighbour_[0][before] = after;
      if (after != kNone32) neighbour_[1][after] = before;
      if (before != kNone32) look_at(before);
      if (after != kNone32) look_at(after);
    }
  }

  Ranks& ranks_;
  const Homes& homes_;
  const std::vector<SpanTxn>& txns_;
  const std::vector<PlacedEdge>& edges_;
  // Of a transaction: [0] the edges that lead on, [1] those that lead to it.
  std::vector<std::uint64_t> count_[2], begin_[2], edge_of_[2];
  std::vector<std::uint32_t> neighbour_[2];  // in the session
  std::vector<std::uint8_t> alive_;
  std::vector<std::uint32_t> gone_;
  std::vector<std::vector<LostEnd>> lost_;  // by rank
};

}  // namespace

Homes::Homes(Ranks& ranks, const Parts& parts) {
  const std::uint64_t own = parts.count() == 0 ? 0 : parts.end_place(parts.count() - 1);
  ends_ = gathered(ranks, std::vector{own});
  for (std::size_t r = 1; r < ends_.size(); ++r) ends_[r] = std::max(ends_[r], ends_[r - 1]);
}

std::size_t Homes::of(std::uint64_t place) const {
  return static_cast<std::size_t>(std::upper_bound(ends_.begin(), ends_.end(), place) - ends_.begin());
}

std::vector<std::uint8_t> trim(Ranks& ranks, const Homes& homes, const std::vector<Span>& spans,
                               const std::vector<SpanTxn>& txns, const std::vector<PlacedEdge>& edges, bool sessions) {
  return Trimmer(ranks, homes, spans, txns, edges, sessions).run();
}

}  // namespace isolde::batch
