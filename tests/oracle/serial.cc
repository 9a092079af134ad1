// tests/oracle/serial.cc: the serializable family: is there one order that explains every read?

#include <array>

#include "tests/oracle/tiny.h"

namespace isolde::tiny {
namespace {

class SerialSearch {
 public:
  SerialSearch(Tiny& tiny, TxnSet counted) : tiny_(tiny), counted_(counted) {}

  void before(std::size_t a, std::size_t b) { earlier_[b] |= 1U << a; }

  // `place` gives a time, or kNoTime where it is open.
  template <typename Place>
  void respect(Place place) {
    for (std::size_t a = 0; a < tiny_.size(); ++a) {
      for (std::size_t b = 0; b < tiny_.size(); ++b) {
        if (!contains(counted_, a) || !contains(counted_, b)) continue;
        const std::int64_t first = place(tiny_.txns[a]);
        const std::int64_t second = place(tiny_.txns[b]);
        if (first != kNoTime && second != kNoTime && first < second) before(a, b);
      }
    }
  }

  bool run() {
    for (std::size_t k = 0; k < tiny_.keys; ++k) versions_[k].push_back({tiny_.initial[k], std::nullopt});
    return extend(0, tiny_.initial);
  }

 private:
  // The depth is the number of transactions.
  bool extend(TxnSet placed, const States& states) {
    if (placed == counted_) return vsets_fit();
    for (std::size_t t = 0; t < tiny_.size(); ++t) {
      if (!contains(counted_, t) || contains(placed, t) || (earlier_[t] & ~placed) != 0) continue;
      if (!tiny_.explains(states, t)) continue;
      States after = states;
      tiny_.commit(after, t);
      for (std::size_t k = 0; k < tiny_.keys; ++k) {
        at_[t][k] = versions_[k].size() - 1;
        if (contains(tiny_.txns[t].writes, k)) versions_[k].push_back({after[k], t});
      }
      if (extend(placed | 1U << t, after)) return true;
      for (std::size_t k = 0; k < tiny_.keys; ++k) {
        if (contains(tiny_.txns[t].writes, k)) versions_[k].pop_back();
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

  Tiny& tiny_;
  TxnSet counted_;
  std::array<TxnSet, kOracleMaxTxns> earlier_{};
  Versions versions_;
  std::array<Places, kOracleMaxTxns> at_{};
};

}  // namespace

bool serial_order_exists(Tiny& tiny, TxnSet counted, Level level, OracleEvidence use, const Pairs& versions) {
  SerialSearch search(tiny, counted);
  if (level != Level::kSerializable) {
    for (const auto& [a, b] : tiny.session_pairs(counted)) search.before(a, b);
  }
  if (level == Level::kStrictSerializable) {
    for (const auto& [a, b] : tiny.realtime_pairs(counted)) search.before(a, b);
  }
  for (const auto& [a, b] : versions) search.before(a, b);
  if (has(use, OracleEvidence::kTimestamps)) {
    search.respect(
        [](const Txn& txn) { return txn.commit_ts == kNoTime && txn.writes == 0 ? txn.start_ts : txn.commit_ts; });
  }
  if (has(use, OracleEvidence::kOrder)) {
    search.respect([](const Txn& txn) { return txn.order; });
  }
  return search.run();
}

}  // namespace isolde::tiny
