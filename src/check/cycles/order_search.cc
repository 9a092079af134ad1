#include "check/cycles/order_search.h"

#include <algorithm>
#include <limits>
#include <queue>

#include "check/cycles/views.h"

namespace isolde::graph {
namespace {

constexpr std::uint64_t kOrderSearchBudget = 100'000'000;  // versions asked

// What a transaction's predicates need of the state, beside what the edges say.
class Needs {
 public:
  Needs(const History& h, const PredicateSet& predicates, const Trace& trace, Slots& slots, const PredicateFacts& facts,
        const Limits& limits)
      : h_(h), set_(predicates), trace_(trace), slots_(slots), facts_(facts), limits_(limits), state_(h.key_count()) {
    for (std::uint32_t k = 0; k < h.key_count(); ++k) state_[k] = slots.begin(KeyId{k});
  }

  [[nodiscard]] std::span<const OpenRequirement> requirements(TxnId t) const { return of(facts_.open, t); }
  [[nodiscard]] bool has_any(TxnId t) const {
    return !requirements(t).empty() || !of(facts_.open_aggregates, t).empty();
  }

  // The key for whose sake they do not hold; kNoKey: they hold. `any`: any key may help.
  KeyId missing(TxnId t, bool& any) {
    any = false;
    for (const OpenRequirement& r : requirements(t)) {
      if (!holds(r, state_[raw(r.key)])) return r.key;
    }
    for (const OpenAggregate& a : of(facts_.open_aggregates, t)) {
      if (adds_up(a)) continue;
      any = true;
      return KeyId{0};
    }
    return kNoKey;
  }

  bool holds(const OpenRequirement& r, Slot slot) {
    ++asked_;
    return Matcher(h_, slots_, set_.condition(h_.op(raw(r.op)).predicate())).of(slot) == r.match;
  }
  void commit(TxnId t) {
    for_each_version(t, [&](KeyId key, Slot slot) { state_[raw(key)] = slot; });
  }
  template <typename F>
  void for_each_version(TxnId t, F&& f) const {
    for (Version v = trace_.first_version[raw(t)]; v < trace_.first_version[raw(t) + 1]; ++v) {
      const Slot slot = slots_.of(v, trace_.versions[v].key);
      if (slot != kNoSlot) f(trace_.versions[v].key, slot);  // else it does not count
    }
  }
  // Asked once for each node.
  [[nodiscard]] bool is_spent() {
    limits_.spend(asked_ - spent_ + 1);
    spent_ = asked_;
    return asked_ > kOrderSearchBudget || ((++nodes_ & 0xff) == 0 && limits_.exhausted());
  }
  [[nodiscard]] bool writes(TxnId t) const { return trace_.first_version[raw(t)] < trace_.first_version[raw(t) + 1]; }

 private:
  template <typename T>
  static std::span<const T> of(const std::vector<T>& all, TxnId t) {
    const auto from = std::lower_bound(all.begin(), all.end(), t, [](const T& a, TxnId b) { return a.txn < b; });
    const auto to = std::upper_bound(from, all.end(), t, [](TxnId a, const T& b) { return a < b.txn; });
    return {from, to};
  }

  bool adds_up(const OpenAggregate& a) {
    const OpHead op = h_.op(raw(a.op));
    const Matcher matcher(h_, slots_, set_.condition(op.predicate()));
    AggregateState sum(set_.aggregate(op.predicate()), h_.values());
    own_.clear();
    for (std::uint32_t i = h_.first_op(a.txn); i < raw(a.op); ++i) {
      if (h_.op(i).kind() == OpKind::kWrite) own_.push_back({h_.op(i).key(), h_.op_value(i)});
      if (h_.op(i).kind() != OpKind::kUpdate) continue;
      const auto items = h_.items(h_.predicate(h_.op(i).predicate()));
      own_.insert(own_.end(), items.begin(), items.end());
    }
    asked_ += state_.size();
    for (std::uint32_t k = 0; k < state_.size(); ++k) {
      const auto own = std::find_if(own_.rbegin(), own_.rend(), [&](const Item& item) { return raw(item.key) == k; });
      const Match match = own == own_.rend() ? matcher.of(state_[k]) : matcher.of_value(KeyId{k}, own->value);
      if (match != Match::kYes) continue;
      sum.add(h_.columns().key_name[k], own == own_.rend() ? slots_.value(state_[k]) : own->value);
    }
    return sum.agrees(h_.op_value(raw(a.op)));
  }

  const History& h_;
  const PredicateSet& set_;
  const Trace& trace_;
  Slots& slots_;
  const PredicateFacts& facts_;
  const Limits& limits_;
  std::vector<Slot> state_;  // by key
  std::vector<Item> own_;
  std::uint64_t asked_ = 0, spent_ = 0, nodes_ = 0;
};

template <typename View>
class OrderSearch {
 public:
  // `strict`: by the hint alone, nobody waits and nobody is let in first.
  OrderSearch(const View& view, std::vector<std::int64_t> rank, std::uint32_t keys, Needs& needs, bool strict)
      : strict_(strict),
        view_(view),
        rank_(std::move(rank)),
        needs_(needs),
        waits_(view.size(), 0),
        done_(view.size(), false),
        ready_(Later{&rank_}),
        blocked_(keys),
        interested_(keys) {}

  std::vector<std::uint32_t> run() {
    const std::uint32_t n = view_.size();
    for (std::uint32_t v = 0; v < n; ++v) view_.for_each_out(v, [&](std::uint32_t to) { ++waits_[to]; });
    for (std::uint32_t v = 0; v < n; ++v) {
      if (waits_[v] == 0) admit(v);
    }
    while (!ready_.empty() && !needs_.is_spent()) {
      const std::uint32_t v = ready_.top();
      ready_.pop();
      if (done_[v]) continue;
      if (!is_possible(v)) {
        if (strict_) break;
        continue;
      }
      if (const std::uint32_t first = would_break(v); first != kNone32) {
        ready_.push(v);
        emit(first);
      } else {
        emit(v);
      }
    }
    if (order_.size() != n) order_.clear();
    return std::move(order_);
  }

 private:
  struct Later {
    const std::vector<std::int64_t>* rank;
    bool operator()(std::uint32_t a, std::uint32_t b) const {
      return std::pair((*rank)[a], a) > std::pair((*rank)[b], b);
    }
  };

  // It waits for no edge any more.
  void admit(std::uint32_t v) {
    const TxnId t = view_.reader(v);
    if (!strict_ && t != kNoTxn && needs_.has_any(t)) {
      // What changes no state may come as soon as it can.
      if (view_.writer(v) == kNoTxn || !needs_.writes(t)) rank_[v] = std::numeric_limits<std::int64_t>::min();
      for (const OpenRequirement& r : needs_.requirements(t)) interested_[raw(r.key)].push_back(v);
    }
    ready_.push(v);
  }

  bool is_possible(std::uint32_t v) {
    const TxnId t = view_.reader(v);
    if (t == kNoTxn || !needs_.has_any(t)) return true;
    bool any = false;
    const KeyId key = needs_.missing(t, any);
    if (key == kNoKey) return true;
    (any ? blocked_by_any_ : blocked_[raw(key)]).push_back(v);
    return false;
  }

  // One that could come now, and no more after this one.
  std::uint32_t would_break(std::uint32_t v) {
    const TxnId t = view_.writer(v);
    if (strict_ || t == kNoTxn) return kNone32;
    std::uint32_t found = kNone32;
    needs_.for_each_version(t, [&](KeyId key, Slot slot) {
      auto& all = interested_[raw(key)];
      std::erase_if(all, [&](std::uint32_t other) { return done_[other]; });
      for (const std::uint32_t other : all) {
        if (found != kNone32 || other == v) return;
        const TxnId reader = view_.reader(other);
        bool breaks = false;
        for (const OpenRequirement& r : needs_.requirements(reader)) breaks |= r.key == key && !needs_.holds(r, slot);
        bool any = false;
        if (breaks && needs_.missing(reader, any) == kNoKey) found = other;
      }
    });
    return found;
  }

  void emit(std::uint32_t v) {
    done_[v] = true;
    order_.push_back(v);
    if (const TxnId t = view_.writer(v); t != kNoTxn) {
      needs_.commit(t);
      needs_.for_each_version(t, [&](KeyId key, Slot) { retry(blocked_[raw(key)]); });
      if (needs_.writes(t)) retry(blocked_by_any_);
    }
    view_.for_each_out(v, [&](std::uint32_t to) {
      if (--waits_[to] == 0) admit(to);
    });
  }
  void retry(std::vector<std::uint32_t>& waiting) {
    for (const std::uint32_t v : waiting) ready_.push(v);
    waiting.clear();
  }

  const bool strict_;
  const View& view_;
  std::vector<std::int64_t> rank_;
  Needs& needs_;
  std::vector<std::uint32_t> waits_;
  std::vector<bool> done_;
  std::vector<std::uint32_t> order_;
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, Later> ready_;
  std::vector<std::vector<std::uint32_t>> blocked_;  // by key: until it changes
  std::vector<std::uint32_t> blocked_by_any_;
  std::vector<std::vector<std::uint32_t>> interested_;  // by key: who waits for no edge and needs something of it
};

}  // namespace

std::vector<std::uint32_t> search_order(const History& history, const PredicateSet& predicates, const Trace& trace,
                                        Slots& slots, const PredicateFacts& facts, const Dependencies& graph,
                                        Nodes nodes, const Limits& limits) {
  const auto search = [&](const auto& view) {
    std::vector<std::uint32_t> order;
    for (const Hint hint : {Hint::kClocks, Hint::kFile}) {
      for (const bool strict : {true, false}) {
        Needs needs(history, predicates, trace, slots, facts, limits);
        order = OrderSearch(view, ranks(history, view, hint), history.key_count(), needs, strict).run();
        if (!order.empty()) return order;
      }
    }
    return order;
  };
  if (nodes == Nodes::kTransactions) return search(TransactionView{graph});
  return search(PointView{graph, nodes == Nodes::kPrefixPoints});
}

}  // namespace isolde::graph
