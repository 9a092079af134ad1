#include "check/sums/order.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/count_progress.h"
#include "base/hash.h"

namespace isolde::sums {
namespace {

constexpr std::uint64_t kMostOrderSteps = 50'000'000;
constexpr std::int64_t kEarliest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kLatestTime = std::numeric_limits<std::int64_t>::max();

// When a transaction may be placed: not before whoever ends before `begin`.
struct LedgerSpan {
  std::int64_t begin, end;
};

class LedgerOrderSearch {
 public:
  LedgerOrderSearch(const History& h, const Ledger& ledger, std::vector<LedgerSpan> spans, bool sessions,
                    const Limits& limits)
      : ledger_(ledger),
        spans_(std::move(spans)),
        limits_(limits),
        tried_(limits, "orders tried"),
        count_(static_cast<std::uint32_t>(ledger.txns.size())) {
    for (const Balance& first : ledger.initial) number_.push_back(first.number);
    adders_.assign(number_.size(), 0);
    placed_.assign(count_, false);
    wrong_.assign(count_, 0);
    for (std::uint32_t t = 0; t < count_; ++t) {
      by_begin_.push_back(t);
      if (ledger.txns[t].sure) by_end_.push_back(t);
      for (const BalanceRead& read : ledger.txns[t].reads) wait_for(t, read);
    }
    left_ = by_end_.size();
    const auto by = [&](auto&& key) {
      return [key](std::uint32_t a, std::uint32_t b) { return key(a) != key(b) ? key(a) < key(b) : a < b; };
    };
    std::sort(by_begin_.begin(), by_begin_.end(), by([&](std::uint32_t t) { return spans_[t].begin; }));
    std::sort(by_end_.begin(), by_end_.end(), by([&](std::uint32_t t) { return spans_[t].end; }));
    rank_.assign(count_, 0);
    begin_rank_.assign(count_, 0);
    for (std::uint32_t i = 0; i < by_end_.size(); ++i) rank_[by_end_[i]] = i;
    for (std::uint32_t i = 0; i < count_; ++i) begin_rank_[by_begin_[i]] = i;
    if (sessions) follow_sessions(h);
  }

  bool run() {
    enter();
    while (!frames_.empty()) {
      if (left_ == 0) return true;
      limits_.spend(8);
      tried_.add();
      if (limits_.exhausted()) return false;
      Frame& frame = frames_.back();
      if (frame.next > 0) take_back(frame.candidates[frame.next - 1]);
      if (frame.next == frame.candidates.size()) {
        failed_.insert(set_);
        frames_.pop_back();
        continue;
      }
      place(frame.candidates[frame.next++]);
      if (failed_.contains(set_)) continue;
      enter();
    }
    return left_ == 0;
  }

  [[nodiscard]] std::vector<TxnId> order() const {
    std::vector<TxnId> out;
    for (const Frame& frame : frames_) {
      if (frame.next > 0) out.push_back(ledger_.txns[frame.candidates[frame.next - 1]].id);
    }
    return out;
  }

 private:
  struct Frame {
    std::vector<std::uint32_t> candidates;
    std::size_t next = 0;  // those before were tried; the last of them is placed
  };
  struct Place {
    std::uint32_t key;
    Balance balance;
    friend bool operator==(const Place&, const Place&) = default;
  };
  struct HashPlace {
    std::size_t operator()(const Place& p) const {
      return mix64(mix64(static_cast<std::uint64_t>(p.balance.number) + (p.balance.present ? 1 : 0)) + p.key);
    }
  };

  void wait_for(std::uint32_t t, const BalanceRead& read) {
    const auto add = [&](Balance balance) {
      waiting_[{read.key, balance}].push_back(t);
      if (ledger_.initial[read.key] == balance) --wrong_[t];
    };
    ++wrong_[t];
    add(read.seen);
    if (read.may_be_absent && read.seen.number == 0) add({0, !read.seen.present});
  }

  void follow_sessions(const History& h) {
    earlier_.assign(count_, kNone32);
    std::unordered_map<std::uint32_t, std::uint32_t> last;
    for (std::uint32_t t = 0; t < count_; ++t) {
      const auto [at, fresh] = last.emplace(raw(h.session(ledger_.txns[t].id)), t);
      if (!fresh) earlier_[t] = std::exchange(at->second, t);
    }
    later_.assign(count_, kNone32);
    for (std::uint32_t t = 0; t < count_; ++t) {
      if (earlier_[t] != kNone32) later_[earlier_[t]] = t;
    }
  }
  // Those of its session that must come before it are placed, and none that comes after it is.
  [[nodiscard]] bool session_allows(std::uint32_t t, bool& passes) const {
    if (earlier_.empty()) return true;
    for (std::uint32_t e = earlier_[t]; e != kNone32 && !placed_[e]; e = earlier_[e]) {
      if (ledger_.txns[e].sure) return false;
      passes = true;  // one of unknown outcome can then come no more
    }
    if (ledger_.txns[t].sure) return true;
    for (std::uint32_t l = later_[t]; l != kNone32; l = later_[l]) {
      if (placed_[l]) return false;
      if (ledger_.txns[l].sure) break;
    }
    return true;
  }

  // What may come next.
  void enter() {
    Frame frame;
    const std::int64_t until = front_ < by_end_.size() ? spans_[by_end_[front_]].end : kLatestTime;
    std::uint64_t looked = 0;
    for (std::uint32_t i = first_; i < count_; ++i, ++looked) {
      const std::uint32_t t = by_begin_[i];
      if (spans_[t].begin > until) break;
      if (placed_[t] || wrong_[t] != 0) continue;
      const LedgerTxn& txn = ledger_.txns[t];
      if (!txn.sure && txn.adds.empty()) continue;  // whether it took place nobody can tell
      bool passes = false;
      if (!session_allows(t, passes)) continue;
      if (txn.adds.empty() && !passes) {
        frame.candidates.assign(1, t);
        break;
      }
      frame.candidates.push_back(t);
    }
    limits_.spend(looked);
    std::stable_sort(frame.candidates.begin(), frame.candidates.end(), [&](std::uint32_t a, std::uint32_t b) {
      if (ledger_.txns[a].sure != ledger_.txns[b].sure) return ledger_.txns[a].sure;
      return spans_[a].end < spans_[b].end;
    });
    frames_.push_back(std::move(frame));
  }

  void place(std::uint32_t t) {
    placed_[t] = true;
    set_ ^= mix64(t + 1);
    if (ledger_.txns[t].sure) --left_;
    add_amounts(t, 1);
    while (front_ < by_end_.size() && placed_[by_end_[front_]]) ++front_;
    while (first_ < count_ && placed_[by_begin_[first_]]) ++first_;
  }
  void take_back(std::uint32_t t) {
    placed_[t] = false;
    set_ ^= mix64(t + 1);
    if (ledger_.txns[t].sure) {
      ++left_;
      front_ = std::min(front_, rank_[t]);
    }
    first_ = std::min(first_, begin_rank_[t]);
    add_amounts(t, -1);
  }

  [[nodiscard]] Balance balance(std::uint32_t key) const {
    return {number_[key], adders_[key] > 0 || ledger_.initial[key].present};
  }
  // `sign`: 1, or -1 to take it back. Who waits for a balance is told of it.
  void add_amounts(std::uint32_t t, int sign) {
    for (const Amount& a : ledger_.txns[t].adds) {
      for_waiting(a.key, 1);
      number_[a.key] += sign * a.amount;
      adders_[a.key] += sign;
      for_waiting(a.key, -1);
    }
  }
  void for_waiting(std::uint32_t key, int change) {
    const auto at = waiting_.find({key, balance(key)});
    if (at == waiting_.end()) return;
    limits_.spend(at->second.size());
    for (const std::uint32_t t : at->second) wrong_[t] += change;
  }

  const Ledger& ledger_;
  const std::vector<LedgerSpan> spans_;
  const Limits& limits_;
  CountProgress tried_;
  const std::uint32_t count_;
  std::vector<std::int64_t> number_;  // by key
  std::vector<int> adders_;           // by key: who is placed and adds to it
  std::unordered_map<Place, std::vector<std::uint32_t>, HashPlace> waiting_;
  std::vector<int> wrong_;  // by transaction: reads whose balance is not there
  std::vector<bool> placed_;
  std::uint64_t set_ = 0;                         // what is placed, as one number
  std::unordered_set<std::uint64_t> failed_;      // sets that lead nowhere
  std::vector<std::uint32_t> by_begin_, by_end_;  // the latter: those that must come
  std::vector<std::uint32_t> rank_, begin_rank_;  // by transaction: its place there
  std::uint32_t front_ = 0, first_ = 0;           // the first of each that is not placed
  std::vector<std::uint32_t> earlier_, later_;    // by transaction: its neighbours in the session, if these count
  std::size_t left_ = 0;
  std::vector<Frame> frames_;
};

// The clients' clocks; nothing if they leave somebody out.
std::optional<std::vector<LedgerSpan>> by_clock(const History& h, const Ledger& ledger) {
  std::vector<LedgerSpan> spans;
  for (const LedgerTxn& txn : ledger.txns) {
    const std::int64_t begin = h.begin(txn.id), end = h.end(txn.id);
    if (txn.sure && (begin == kNoTime || end == kNoTime)) return std::nullopt;
    spans.push_back({begin == kNoTime ? kEarliest : begin, txn.sure ? end : kLatestTime});
  }
  return spans;
}

// By place: in the order of the clock's ends where there is one, else of the history.
std::vector<LedgerSpan> by_place(const std::optional<std::vector<LedgerSpan>>& clock, const Ledger& ledger,
                                 std::int64_t room) {
  std::vector<std::uint32_t> order(ledger.txns.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  if (clock) {
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return (*clock)[a].end < (*clock)[b].end; });
  }
  std::vector<LedgerSpan> spans(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    const bool sure = ledger.txns[order[i]].sure;
    spans[order[i]] = {sure ? std::int64_t{i} : kEarliest, sure ? i + room : kLatestTime};
  }
  return spans;
}

}  // namespace

std::optional<std::vector<TxnId>> find_order(const History& history, const Ledger& ledger, AddedOrder added,
                                             const Limits& limits) {
  const bool sessions = added != AddedOrder::kNone;
  const auto attempt = [&](std::vector<LedgerSpan> spans) -> std::optional<std::vector<TxnId>> {
    WorkBudget budget(kMostOrderSteps, "the search for an order", {}, limits.work);
    Limits within = limits;
    within.work = &budget;
    LedgerOrderSearch search(history, ledger, std::move(spans), sessions, within);
    if (!search.run()) return std::nullopt;
    return search.order();
  };
  const auto clock = by_clock(history, ledger);
  if (clock) {
    if (auto found = attempt(*clock)) return found;
  }
  if (added == AddedOrder::kRealTime) return std::nullopt;
  for (const std::int64_t room : {4, 64}) {
    if (limits.exhausted()) break;
    if (auto found = attempt(by_place(clock, ledger, room))) return found;
  }
  return std::nullopt;
}

}  // namespace isolde::sums
