#include "check/cycles/look_edges.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "check/cycles/match.h"

namespace isolde::graph {
namespace {

constexpr std::uint64_t kMostEdgeLooks = 2'000'000'000;  // at versions
constexpr std::uint64_t kLooksPerStep = 4;
constexpr std::size_t kMostLookEdges = 50'000'000;
constexpr std::ptrdiff_t kAround = 128;  // so many changes before and after a transaction are looked at
constexpr int kNearVersions = 32;        // so many versions to both sides a run is followed at first
constexpr std::size_t kMostMaybes = 24;

// The versions of all keys by the clock, to find the keys that changed about when a transaction ran.
class Changes {
 public:
  Changes(const History& h, const Slots& slots) : h_(h), slots_(slots), asked_(h.key_count(), kNoTxn) {
    if (h.columns().begin.empty()) return;
    for (std::uint32_t k = 0; k < h.key_count(); ++k) {
      if (slots.kind(KeyId{k}) != KeyKind::kOrdered) continue;
      for (Slot s = slots.begin(KeyId{k}) + 1; s < slots.end(KeyId{k}); ++s)
        all_.push_back({middle(committed(h, slots.writer(s))), KeyId{k}});
    }
    std::sort(all_.begin(), all_.end(), [](const Change& a, const Change& b) { return a.time < b.time; });
  }

  // All keys where there are no clocks.
  void near(TxnId t, std::vector<KeyId>& keys) {
    keys.clear();
    if (all_.empty() || h_.begin(t) == kNoTime) return every(keys);
    const auto by_time = [](const Change& c, std::int64_t time) { return c.time < time; };
    const auto from = std::lower_bound(all_.begin(), all_.end(), h_.begin(t), by_time) - all_.begin();
    const auto to = std::lower_bound(all_.begin(), all_.end(), committed(h_, t).to, by_time) - all_.begin();
    const auto end = std::min<std::ptrdiff_t>(to + kAround, static_cast<std::ptrdiff_t>(all_.size()));
    for (auto i = std::max<std::ptrdiff_t>(from - kAround, 0); i < end; ++i) {
      if (std::exchange(asked_[raw(all_[i].key)], t) != t) keys.push_back(all_[i].key);
    }
  }
  void every(std::vector<KeyId>& keys) const {
    keys.clear();
    for (std::uint32_t k = 0; k < h_.key_count(); ++k) {
      if (slots_.kind(KeyId{k}) == KeyKind::kOrdered) keys.push_back(KeyId{k});
    }
  }

 private:
  struct Change {
    std::int64_t time;
    KeyId key;
  };
  const History& h_;
  const Slots& slots_;
  std::vector<Change> all_;
  std::vector<TxnId> asked_;  // by key
};

// The edges that follow from looks.
class Edges : public LookEdges {
 public:
  Edges(const History& h, const PredicateSet& predicates, const Trace& trace, Slots& slots, LookBy by,
        const Limits& limits)
      : h_(h),
        set_(predicates),
        trace_(trace),
        slots_(slots),
        looks_(h, trace, slots, by),
        changes_(h, slots),
        limits_(limits),
        edge_from_(h.txn_count(), kNoTxn),
        edge_to_(h.txn_count(), kNoTxn),
        mine_(h.key_count(), kNoOp),
        attempts_(h.txn_count(), 0) {}

  bool run(std::vector<PredicateEdge>& edges) override {
    edges_ = &edges;
    for (std::uint32_t t = 0; t < h_.txn_count(); ++t) {
      if (!trace_.is_counted(TxnId{t}) || !looks_.knows(TxnId{t})) continue;
      changes_.near(TxnId{t}, keys_);
      all_keys_ = keys_.size() == h_.key_count();
      enter(TxnId{t});
      for (std::uint32_t op = h_.first_op(TxnId{t}); op < h_.end_op(TxnId{t}); ++op) {
        if (is_predicate(h_.op(op).kind())) look(TxnId{t}, op, kNearVersions);
      }
      spend();
      if (looked_ > kMostEdgeLooks || edges.size() > kMostLookEdges || limits_.exhausted()) return false;
    }
    return true;
  }

  void look_again(TxnId t, std::vector<PredicateEdge>& edges) override {
    if (!looks_.knows(t)) return;
    edges_ = &edges;
    changes_.every(keys_);
    all_keys_ = true;
    enter(t, attempts_[raw(t)]++);
    std::fill(edge_from_.begin(), edge_from_.end(), kNoTxn);
    std::fill(edge_to_.begin(), edge_to_.end(), kNoTxn);
    for (std::uint32_t op = h_.first_op(t); op < h_.end_op(t); ++op) {
      if (is_predicate(h_.op(op).kind())) look(t, op, std::numeric_limits<int>::max());
    }
    spend();
  }

 private:
  void spend() {
    limits_.spend((looked_ - spent_) / kLooksPerStep + 1);
    spent_ = looked_;
  }

  // First whose commits it saw, by what its predicates found; the runs come after.
  void enter(TxnId t, std::uint32_t attempt = 0) {
    looks_.enter(t);
    std::uint64_t least = failures(t);
    if (least > 0 || attempt > 0) {
      std::vector<std::int64_t> best = {looks_.moment()};
      for (const std::int64_t moment : looks_.other_moments()) {
        looks_.set_moment(moment);
        const std::uint64_t now = failures(t);
        if (now < least) best.clear();
        least = std::min(least, now);
        if (now == least) best.push_back(moment);
      }
      looks_.set_moment(best[attempt % best.size()]);
    }
    if (least > 0) settle_by_results(t);
  }

  // How many keys of its predicates' results, and aggregates, do not fit the versions that it seems to have looked at.
  [[nodiscard]] std::uint64_t failures(TxnId t) {
    std::uint64_t count = 0;
    for (std::uint32_t op = h_.first_op(t); op < h_.end_op(t); ++op) {
      const OpHead head = h_.op(op);
      if (!is_predicate(head.kind()) || h_.predicate(head.predicate()).has_vset != 0) continue;
      mark_known(t, op, h_.predicate(head.predicate()), head.kind());
      const Matcher matcher(h_, slots_, set_.condition(head.predicate()));
      if (head.kind() == OpKind::kAggregate && !all_keys_) continue;  // it takes all rows: the replay tells
      if (head.kind() != OpKind::kAggregate) {
        for_each_key(OpId{op}, [&](KeyId key) { count += matcher.of(looks_.at(key).likely) == Match::kYes; });
        continue;
      }
      std::vector<Item> rows;
      for_each_key(OpId{op}, [&](KeyId key) {
        const Slot slot = looks_.at(key).likely;
        if (matcher.of(slot) == Match::kYes) rows.push_back({key, slots_.value(slot)});
      });
      add_own(t, op, matcher, rows);
      AggregateState state(set_.aggregate(head.predicate()), h_.values());
      for (const Item& row : rows) state.add(h_.columns().key_name[raw(row.key)], row.value);
      count += state.agrees(h_.op_value(op)) ? 0 : 1;
    }
    return count;
  }

  void settle_by_results(TxnId t) {
    for (std::uint32_t op = h_.first_op(t); op < h_.end_op(t); ++op) {
      const OpHead head = h_.op(op);
      if (!is_predicate(head.kind()) || head.kind() == OpKind::kAggregate) continue;
      if (h_.predicate(head.predicate()).has_vset != 0) continue;
      mark_known(t, op, h_.predicate(head.predicate()), head.kind());
      const Matcher matcher(h_, slots_, set_.condition(head.predicate()));
      for_each_key(OpId{op}, [&](KeyId key) {
        const Looks::Range range = looks_.at(key);
        if (range.first == range.last || matcher.of(range.likely) == Match::kNo) return;
        if (const Slot slot = nearest(range, matcher); slot != kNoSlot) looks_.settle(key, slot);
      });
    }
    for (std::uint32_t op = h_.first_op(t); op < h_.end_op(t); ++op) {
      if (all_keys_ && h_.op(op).kind() == OpKind::kAggregate) settle_aggregate(t, op);
    }
  }

  // An aggregate that does not come out: one or two commits may have been seen, or not, against what the clocks say.
  void settle_aggregate(TxnId t, std::uint32_t op) {
    const OpHead head = h_.op(op);
    if (h_.predicate(head.predicate()).has_vset != 0) return;
    mark_known(t, op, h_.predicate(head.predicate()), head.kind());
    const Matcher matcher(h_, slots_, set_.condition(head.predicate()));
    std::vector<KeyId> open;
    std::vector<Item> sure;  // that match
    std::vector<TxnId> maybes;
    for_each_key(OpId{op}, [&](KeyId key) {
      const Looks::Range range = looks_.at(key);
      if (range.first != range.last) {
        open.push_back(key);
        looks_.add_maybes(key, maybes);
      } else if (matcher.of(range.likely) == Match::kYes) {
        sure.push_back({key, slots_.value(range.likely)});
      }
    });
    if (open.empty()) return;
    add_own(t, op, matcher, sure);
    const auto comes_out = [&] {
      AggregateState state(set_.aggregate(head.predicate()), h_.values());
      for (const Item& item : sure) state.add(h_.columns().key_name[raw(item.key)], item.value);
      for (const KeyId key : open) {
        const Slot s = looks_.at(key).likely;
        if (matcher.of(s) == Match::kYes) state.add(h_.columns().key_name[raw(key)], slots_.value(s));
      }
      looked_ += open.size();
      return state.agrees(h_.op_value(op));
    };
    if (comes_out()) return;
    if (maybes.size() > kMostMaybes) maybes.resize(kMostMaybes);
    for (std::size_t i = 0; i < maybes.size(); ++i) {
      looks_.flip(maybes[i]);
      if (comes_out()) return;
      for (std::size_t j = i + 1; j < maybes.size(); ++j) {
        looks_.flip(maybes[j]);
        if (comes_out()) return;
        looks_.undo();
      }
      looks_.undo();
    }
  }

  // What the transaction itself left before `op` in the keys that it wrote, of what matches.
  void add_own(TxnId t, std::uint32_t op, const Matcher& matcher, std::vector<Item>& rows) const {
    std::vector<Item> own;
    const auto wrote = [&](const Item& item) {
      std::erase_if(own, [&](const Item& i) { return i.key == item.key; });
      own.push_back(item);
    };
    for (std::uint32_t i = h_.first_op(t); i < op; ++i) {
      if (h_.op(i).kind() == OpKind::kWrite) wrote({h_.op(i).key(), h_.op_value(i)});
      if (h_.op(i).kind() != OpKind::kUpdate) continue;
      for (const Item& item : h_.items(h_.predicate(h_.op(i).predicate()))) wrote(item);
    }
    for (const Item& item : own) {
      if (matcher.of_value(item.key, item.value) == Match::kYes) rows.push_back(item);
    }
  }

  void look(TxnId t, std::uint32_t op, int far) {
    const OpHead head = h_.op(op);
    const Predicate& predicate = h_.predicate(head.predicate());
    if (predicate.has_vset != 0) return;
    mark_known(t, op, predicate, head.kind());
    const Matcher matcher(h_, slots_, set_.condition(head.predicate()));
    const ValueId result = h_.op_value(op);
    if (head.kind() == OpKind::kAggregate && is_extreme(head.predicate()) && result != kNullValue)
      return look_for_extreme(t, OpId{op}, matcher, far);
    const bool any = head.kind() == OpKind::kAggregate && !is_extreme(head.predicate());
    for_each_key(OpId{op}, [&](KeyId key) {
      const Looks::Range range = looks_.at(key);
      const Slot slot = any ? range.likely : nearest(range, matcher);
      if (slot == kNoSlot) return;
      unsure_ = range.unsure;
      const Match status = matcher.of(slot);
      if (status != Match::kFault) follow(t, OpId{op}, key, slot, far, [&](Slot s) { return matcher.of(s) == status; });
    });
  }

  template <typename F>
  void for_each_key(OpId op, F&& f) {
    for (const KeyId key : keys_) {
      if (mine_[raw(key)] == op) continue;
      ++looked_;
      f(key);
    }
  }

  [[nodiscard]] bool is_extreme(PredicateId predicate) const {
    const AggregateKind kind = set_.aggregate(predicate).kind();
    return kind == AggregateKind::kMin || kind == AggregateKind::kMax;
  }

  // A minimum needs one row that has it, and no row below it; the rest may be as it likes.
  void look_for_extreme(TxnId t, OpId op, const Matcher& matcher, int far) {
    const CompiledAggregate& aggregate = set_.aggregate(h_.op(raw(op)).predicate());
    const Scalar result = scalar_of(h_.values(), h_.op_value(raw(op)));
    AggregateState state(aggregate, h_.values());
    const auto value_of = [&](KeyId key, ValueId row) {
      state.clear();
      state.add(h_.columns().key_name[raw(key)], row);
      return state.result();
    };
    const auto is_past = [&](const Scalar& value) {
      if (value.is_null()) return false;
      return aggregate.kind() == AggregateKind::kMin ? index_less(value, result) : index_less(result, value);
    };
    const auto has_it = [&](KeyId key, ValueId row) {
      const Scalar value = value_of(key, row);
      return !value.is_null() && !index_less(value, result) && !index_less(result, value);
    };
    std::vector<Item> own;
    add_own(t, raw(op), matcher, own);
    bool found = std::any_of(own.begin(), own.end(), [&](const Item& item) { return has_it(item.key, item.value); });
    for_each_key(op, [&](KeyId key) {
      const Looks::Range range = looks_.at(key);
      // The first row that has it is taken for the one that is needed; there may be another.
      const bool is_it = !found && matcher.of(range.likely) == Match::kYes && has_it(key, slots_.value(range.likely));
      found |= is_it;
      const auto leaves_it = [&](Slot s) {
        const Match match = matcher.of(s);
        if (is_it) return match == Match::kYes && has_it(key, slots_.value(s));
        return match == Match::kNo || (match == Match::kYes && !is_past(value_of(key, slots_.value(s))));
      };
      unsure_ = range.unsure || is_it;
      if (leaves_it(range.likely)) follow(t, op, key, range.likely, far, leaves_it);
    });
  }

  // Keys whose version the operation itself tells: its own earlier writes, the rows that it returned or wrote.
  void mark_known(TxnId t, std::uint32_t op, const Predicate& predicate, OpKind kind) {
    for (std::uint32_t i = h_.first_op(t); i < op; ++i) {
      if (h_.op(i).kind() == OpKind::kUpdate) {
        for (const Item& item : h_.items(h_.predicate(h_.op(i).predicate()))) mine_[raw(item.key)] = OpId{op};
      } else if (is_item_write(h_.op(i).kind())) {
        mine_[raw(h_.op(i).key())] = OpId{op};
      }
    }
    if (kind == OpKind::kAggregate) return;
    for (const Item& item : h_.items(predicate)) mine_[raw(item.key)] = OpId{op};
  }

  // The slot nearest to the likely one that does not match, as the result says.
  [[nodiscard]] Slot nearest(Looks::Range range, const Matcher& matcher) {
    if (matcher.of(range.likely) == Match::kNo) return range.likely;
    for (Slot d = 1; d <= range.last - range.first; ++d) {
      ++looked_;
      if (range.likely >= range.first + d && matcher.of(range.likely - d) == Match::kNo) return range.likely - d;
      if (range.likely + d <= range.last && matcher.of(range.likely + d) == Match::kNo) return range.likely + d;
    }
    return kNoSlot;
  }

  // After who began the run of versions that are alike, before who ended it.
  template <typename IsAlike>
  void follow(TxnId t, OpId op, KeyId key, Slot slot, int far, IsAlike&& is_alike) {
    Slot first = slot;
    int left = far;
    while (first != slots_.begin(key) && left > 0 && is_alike(first - 1)) --first, --left;
    if (first != slots_.begin(key) && left > 0) edge(t, op, key, first, false);
    Slot next = slot + 1;
    left = far;
    while (next < slots_.end(key) && left > 0 && is_alike(next)) ++next, --left;
    if (next < slots_.end(key) && left > 0) edge(t, op, key, next, true);
    looked_ += next - first;
  }

  void edge(TxnId t, OpId op, KeyId key, Slot slot, bool anti) {
    const TxnId other = slots_.writer(slot);
    TxnId& done = (anti ? edge_to_ : edge_from_)[raw(other)];
    if (other == t || done == t) return;
    done = t;
    edges_->push_back({t, other, key, op, anti, unsure_ ? kUnsure : kSure});
  }

  const History& h_;
  const PredicateSet& set_;
  const Trace& trace_;
  Slots& slots_;
  Looks looks_;
  Changes changes_;
  const Limits& limits_;
  std::vector<PredicateEdge>* edges_ = nullptr;
  std::vector<TxnId> edge_from_, edge_to_;  // by transaction: the reader that has an edge already
  std::vector<KeyId> keys_;                 // that are looked at
  bool all_keys_ = true;                    // … are all there are
  std::vector<OpId> mine_;                  // by key: the operation that needs no look at it
  std::vector<std::uint8_t> attempts_;      // by transaction: how often it was looked at again
  std::uint64_t looked_ = 0, spent_ = 0;
  bool unsure_ = false;  // the edges that follow are of a look that may have been at another version
};

}  // namespace

std::unique_ptr<LookEdges> look_edges(const History& history, const PredicateSet& predicates, const Trace& trace,
                                      Slots& slots, LookBy by, const Limits& limits) {
  return std::make_unique<Edges>(history, predicates, trace, slots, by, limits);
}

}  // namespace isolde::graph
