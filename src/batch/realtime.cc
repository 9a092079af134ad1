// Real time: who began after another had ended must not stand before its commit. In the order of the clock that is one
// running maximum (check/timeline/order.h). Here the clock is cut into ranges, one per rank and pass, of about equally
// many readings; what all earlier ranges ended with goes into the next.
#include <algorithm>
#include <utility>

#include "base/radix_sort.h"
#include "batch/orders.h"

namespace isolde::batch {
namespace {

// One reading of the clock: a begin with the place of the start, or an end with the place of the commit.
struct ClockReading {
  std::uint64_t clock;
  std::uint64_t txn;
  EventPlace event;
  // An end counts for those that begin later, not at the same reading.
  std::uint64_t is_end;
};

bool comes_before(const ClockReading& a, const ClockReading& b) {
  if (a.clock != b.clock) return a.clock < b.clock;
  if (a.is_end != b.is_end) return a.is_end < b.is_end;
  return a.txn < b.txn;
}

struct LatestEnded {
  EventPlace event;
  std::uint64_t txn = UINT64_MAX;
};
// The two latest commits: a clock that runs backwards can put a transaction's end before its own begin, and then the
// other one counts.
struct TwoEnded {
  LatestEnded first, second;
  void add(const LatestEnded& next) {
    if (!next.event.exists()) return;
    if (next.event > first.event) {
      second = first;
      first = next;
    } else if (next.event > second.event) {
      second = next;
    }
  }
  void add(const TwoEnded& other) {
    add(other.first);
    add(other.second);
  }
  [[nodiscard]] const LatestEnded& but(std::uint64_t txn) const { return first.txn == txn ? second : first; }
};

constexpr std::size_t kSamplesPerRank = 4096;

class RealtimeChecker {
 public:
  RealtimeChecker(Ranks& ranks, Parts& parts, const TimeForm& form, const CountedUnknown& counted, unsigned passes)
      : ranks_(ranks), parts_(parts), form_(form), counted_(counted), passes_(passes) {}

  Result<PairsFound> run(std::size_t most, bool split_same_time) {
    if (auto chosen = choose_bounds(); !chosen) return std::move(chosen).error();
    PairsFound all;
    TwoEnded before;
    for (unsigned pass = 0; pass < passes_; ++pass) {
      auto readings = readings_of(pass);
      if (!readings) return std::move(readings).error();
      std::sort(readings->begin(), readings->end(), comes_before);
      TwoEnded own;
      for (const ClockReading& r : *readings) {
        if (r.is_end != 0) own.add(LatestEnded{r.event, r.txn});
      }
      TwoEnded earlier = before;
      const std::vector<TwoEnded> of_ranks = gathered(ranks_, std::vector{own});
      for (unsigned r = 0; r < ranks_.size(); ++r) {
        if (r < ranks_.rank()) earlier.add(of_ranks[r]);
        before.add(of_ranks[r]);
      }
      PairsFound found = sweep(*readings, earlier, most, split_same_time);
      all.count += ranks_.sum(found.count);
      all.same_time += ranks_.sum(found.same_time);
      for (const PlacePair& pair : gathered(ranks_, found.first)) {
        if (all.first.size() < most) all.first.push_back(pair);
      }
    }
    return all;
  }

 private:
  template <typename F>
  Result<void> for_each_reading(F&& f) {
    for (std::size_t i = 0; i < parts_.count(); ++i) {
      auto part = parts_.load(i);
      if (!part) return std::move(part).error();
      const History& h = **part;
      for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
        const TxnId txn{t};
        const std::uint64_t place = parts_.first_place(i) + t;
        if (!counts(h, txn, place, counted_)) continue;
        if (h.begin(txn) != kNoTime) f(h, txn, place, h.begin(txn), false);
        // A transaction of unknown outcome has no end: when it took effect nobody knows.
        if (h.end(txn) != kNoTime && h.status(txn) == Status::kCommitted) f(h, txn, place, h.end(txn), true);
      }
    }
    return {};
  }

  // Where the ranges of the clock begin, from samples of all ranks.
  Result<void> choose_bounds() {
    std::vector<std::uint64_t> samples;
    std::uint64_t seen = 0, step = 1;
    const Result<void> looked = for_each_reading([&](const History&, TxnId, std::uint64_t, std::int64_t time, bool) {
      if (seen++ % step != 0) return;
      samples.push_back(order_preserving(time));
      if (samples.size() < 2 * kSamplesPerRank) return;
      for (std::size_t i = 0; i < kSamplesPerRank; ++i) samples[i] = samples[2 * i];
      samples.resize(kSamplesPerRank);
      step *= 2;
    });
    if (auto agreed = ranks_.agree(looked); !agreed) return agreed;
    // Every sample stands for `step` readings; ranks differ in that, so the bounds are about right, no more.
    samples = gathered(ranks_, samples);
    std::sort(samples.begin(), samples.end());
    const std::uint64_t ranges = std::uint64_t{passes_} * ranks_.size();
    for (std::uint64_t range = 1; range < ranges && !samples.empty(); ++range) {
      bounds_.push_back(samples[samples.size() * range / ranges]);
    }
    count_of_pass_.assign(passes_, 0);
    return ranks_.agree(for_each_reading([&](const History&, TxnId, std::uint64_t, std::int64_t time, bool) {
      ++count_of_pass_[range_of(order_preserving(time)) / ranks_.size()];
    }));
  }

  [[nodiscard]] std::uint64_t range_of(std::uint64_t clock) const {
    return static_cast<std::uint64_t>(std::upper_bound(bounds_.begin(), bounds_.end(), clock) - bounds_.begin());
  }

  // In rounds, so that what is under way is little.
  Result<std::vector<ClockReading>> readings_of(unsigned pass) {
    constexpr std::size_t kReadingsPerRound = (std::size_t{32} << 20) / sizeof(ClockReading);
    std::vector<ClockReading> mine;
    std::vector<std::vector<ClockReading>> out(ranks_.size());
    std::size_t waiting = 0;
    std::uint64_t own_rounds = 0;
    const auto meet = [&] {
      for (const std::vector<ClockReading>& some : exchanged(ranks_, out))
        mine.insert(mine.end(), some.begin(), some.end());
      waiting = 0;
      ++own_rounds;
    };
    // All ranks meet as often as the one with the most needs.
    std::uint64_t rounds = 1;
    for (const std::uint64_t n : gathered(ranks_, std::vector{count_of_pass_[pass]}))
      rounds = std::max<std::uint64_t>(rounds, n / kReadingsPerRound + 1);
    Result<void> looked;
    if (count_of_pass_[pass] > 0) {
      looked = for_each_reading([&](const History& h, TxnId txn, std::uint64_t place, std::int64_t time, bool is_end) {
        const std::uint64_t clock = order_preserving(time);
        const std::uint64_t range = range_of(clock);
        if (range / ranks_.size() != pass) return;
        const TxnPlaces places = places_of(h, txn, place, form_);
        out[range % ranks_.size()].push_back({clock, place, is_end ? places.commit : places.start, is_end ? 1U : 0U});
        if (++waiting == kReadingsPerRound) meet();
      });
    }
    while (own_rounds < rounds) meet();
    if (auto agreed = ranks_.agree(looked); !agreed) return std::move(agreed).error();
    return mine;
  }

  static PairsFound sweep(const std::vector<ClockReading>& readings, TwoEnded latest, std::size_t most,
                          bool split_same_time) {
    PairsFound found;
    for (const ClockReading& r : readings) {
      if (r.is_end != 0) {
        latest.add(LatestEnded{r.event, r.txn});
        continue;
      }
      const LatestEnded& before = latest.but(r.txn);
      if (!r.event.exists() || !(before.event > r.event)) continue;
      if (split_same_time && before.event.time == r.event.time) {
        ++found.same_time;
        continue;
      }
      ++found.count;
      if (found.first.size() < most) found.first.push_back({before.txn, r.txn});
    }
    return found;
  }

  Ranks& ranks_;
  Parts& parts_;
  const TimeForm form_;
  const CountedUnknown& counted_;
  const unsigned passes_;
  std::vector<std::uint64_t> bounds_;
  std::vector<std::uint64_t> count_of_pass_;  // readings of this rank's parts
};

}  // namespace

Result<PairsFound> check_realtime(Ranks& ranks, Parts& parts, const TimeForm& form, const CountedUnknown& counted,
                                  std::size_t most, unsigned passes, bool split_same_time) {
  return RealtimeChecker(ranks, parts, form, counted, passes).run(most, split_same_time);
}

}  // namespace isolde::batch
