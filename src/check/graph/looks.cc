#include "check/graph/looks.h"

#include <algorithm>
#include <limits>
#include <queue>

#include "check/graph/match.h"
#include "check/graph/slots.h"
#include "check/graph/views.h"
#include "check/predicates/predicate_replay.h"

namespace isolde::graph {
namespace {

constexpr std::uint64_t kMostLooks = 2'000'000'000;  // at versions: a few seconds
constexpr std::size_t kMostEdges = 50'000'000;
constexpr int kNear = 32;  // so many versions to both sides a run is followed at first
constexpr std::size_t kMostMaybes = 24;
constexpr int kRounds = 24;  // of replays
constexpr std::int64_t kFirstMoment = std::numeric_limits<std::int64_t>::min();

// What tells the versions that were looked at.
enum class LookBy : std::uint8_t {
  kSnapshot,        // PostgreSQL's
  kFirstStatement,  // the clock: the state when the transaction's first statement was answered
  kLastStatement,   // the clock: the state when its last one was: with locks held until then
};

// Of an edge: whether it may be another one by the clocks.
constexpr Ground kSure = Ground::kSnapshot, kUnsure = Ground::kAssumed;

struct Span {
  std::int64_t from, to;
};

// When, by the client's clock, a statement was evaluated.
Span evaluated(const History& h, TxnId t, std::uint32_t op) {
  const History::Interval at = h.at(t, OpId{op});
  if (at.before != kNoTime) return {at.before, at.after};
  return {h.begin(t), h.end(t)};
}

// When, by the client's clock, it committed.
Span committed(const History& h, TxnId t) {
  std::int64_t from = h.begin(t);
  if (h.first_op(t) != h.end_op(t)) {
    const History::Interval last = h.at(t, OpId{h.end_op(t) - 1});
    if (last.before != kNoTime) from = last.after;
  }
  const std::int64_t to = h.end(t);
  return {from, to == kNoTime ? std::numeric_limits<std::int64_t>::max() : to};
}

std::int64_t middle(Span s) { return s.from + (s.to - s.from) / 2; }

std::uint32_t statement(const History& h, TxnId t, LookBy by) {
  return by == LookBy::kLastStatement ? h.end_op(t) - 1 : h.first_op(t);
}

// Which version of each key a transaction seems to have looked at: all of one state.
class Looks {
 public:
  Looks(const History& h, const Trace& trace, const Slots& slots, LookBy by)
      : h_(h), trace_(trace), slots_(slots), by_(by) {
    const std::size_t n = slots.size();
    over_.resize(n);
    begun_.resize(n);
    top_xid_.resize(by == LookBy::kSnapshot ? n : 0);
    for (std::uint32_t k = 0; k < h.key_count(); ++k) index(KeyId{k});
  }

  // Whether there is anything to go by.
  [[nodiscard]] bool knows(TxnId t) const {
    if (h_.first_op(t) == h_.end_op(t)) return false;
    return by_ == LookBy::kSnapshot ? h_.snapshot(t) != nullptr : h_.begin(t) != kNoTime;
  }

  // Requires: knows(t). The transaction that is asked about from here on.
  void enter(TxnId t) {
    txn_ = t;
    settled_.clear();
    if (by_ == LookBy::kSnapshot) return;
    when_ = evaluated(h_, t, statement(h_, t, by_));
    moment_ = middle(when_);
    // What it read tells whose commits it saw.
    for (const TracedRead& read : trace_.reads_of(t)) {
      if (read.version == kNoVersion || slots_.kind(read.key) != KeyKind::kOrdered) continue;
      settle(read.key, slots_.of(read.version, read.key));
    }
  }

  // Slots from `first` to `last` may have been looked at; `likely` is the best guess.
  struct Range {
    Slot first, likely, last;
    bool unsure;  // by the clocks alone it may have been another
  };
  [[nodiscard]] Range at(KeyId key) const {
    if (by_ == LookBy::kSnapshot) return shown(key);
    Range range = possible(key);
    for (Slot s = range.last; s > range.first; --s) {
      if (seen(slots_.writer(s)) == Seen::kYes) range.first = s;
    }
    for (Slot s = range.last; s > range.first; --s) {
      if (seen(slots_.writer(s)) == Seen::kNo) range.last = s - 1;
    }
    range.likely = range.first;
    while (range.likely < range.last && is_likely_seen(slots_.writer(range.likely + 1))) ++range.likely;
    return range;
  }
  [[nodiscard]] bool is_likely_seen(TxnId writer) const { return middle(committed(h_, writer)) <= moment_; }
  // The moment whose state it saw, and other moments that it may have been: when somebody may have committed.
  [[nodiscard]] std::int64_t moment() const { return moment_; }
  void set_moment(std::int64_t moment) { moment_ = moment; }
  [[nodiscard]] std::vector<std::int64_t> other_moments() const {
    std::vector<std::int64_t> moments;
    if (by_ == LookBy::kSnapshot) return moments;
    moments.push_back(when_.from);
    for (std::uint32_t k = 0; k < h_.key_count(); ++k) {
      if (slots_.kind(KeyId{k}) != KeyKind::kOrdered) continue;
      const Range range = possible(KeyId{k});
      for (Slot s = range.first + 1; s <= range.last; ++s) moments.push_back(middle(committed(h_, slots_.writer(s))));
    }
    std::sort(moments.begin(), moments.end());
    moments.erase(std::unique(moments.begin(), moments.end()), moments.end());
    return moments;
  }

  // It was this one: its writer and those before it were seen, those after it were not.
  void settle(KeyId key, Slot slot) {
    if (by_ == LookBy::kSnapshot) return;
    const Range range = possible(key);
    for (Slot s = range.first + 1; s <= range.last; ++s) {
      const TxnId writer = slots_.writer(s);
      if (writer != txn_ && seen(writer) == Seen::kMaybe)
        settled_.push_back({writer, s <= slot ? Seen::kYes : Seen::kNo});
    }
  }

  // Those of which it is not settled whether they were seen.
  void add_maybes(KeyId key, std::vector<TxnId>& writers) const {
    const Range range = at(key);
    for (Slot s = range.first + 1; s <= range.last; ++s) {
      const TxnId writer = slots_.writer(s);
      if (seen(writer) == Seen::kMaybe && std::find(writers.begin(), writers.end(), writer) == writers.end())
        writers.push_back(writer);
    }
  }
  // For a try: the other way round than is likely. undo() takes the last one back.
  void flip(TxnId writer) { settled_.push_back({writer, is_likely_seen(writer) ? Seen::kNo : Seen::kYes}); }
  void undo() { settled_.pop_back(); }

 private:
  enum class Seen : std::uint8_t { kMaybe, kYes, kNo };
  struct Settled {
    TxnId writer;
    Seen seen;
  };

  [[nodiscard]] Seen seen(TxnId writer) const {
    if (writer == txn_) return Seen::kNo;
    for (const Settled& s : settled_) {
      if (s.writer == writer) return s.seen;
    }
    return Seen::kMaybe;
  }

  void index(KeyId key) {
    const Slot begin = slots_.begin(key);
    const Slot end = slots_.end(key);
    begun_[begin] = over_[begin] = kFirstMoment;
    for (Slot s = begin + 1; s < end; ++s) {
      const Span span = committed(h_, slots_.writer(s));
      begun_[s] = std::max(begun_[s - 1], span.from);
      over_[s] = span.to;
    }
    // Who overwrote it committed later: when that is over, so is this.
    for (Slot s = end - 1; s > begin + 1; --s) over_[s - 1] = std::min(over_[s - 1], over_[s]);
    if (top_xid_.empty()) return;
    top_xid_[begin] = kFirstMoment;
    for (Slot s = begin + 1; s < end; ++s) {
      const Snapshot* const of = h_.snapshot(slots_.writer(s));
      top_xid_[s] = std::max(top_xid_[s - 1],
                             of == nullptr || of->has_xid == 0 ? std::numeric_limits<std::int64_t>::max() : of->xid);
    }
  }

  // The last slot of the key whose entry in an ascending column is at most `most`.
  [[nodiscard]] Slot last_at_most(const std::vector<std::int64_t>& column, KeyId key, std::int64_t most) const {
    const auto begin = column.begin() + slots_.begin(key);
    const auto end = column.begin() + slots_.end(key);
    return static_cast<Slot>(std::upper_bound(begin + 1, end, most) - column.begin()) - 1;
  }

  [[nodiscard]] Range possible(KeyId key) const {
    const Slot first = last_at_most(over_, key, when_.from);
    const Slot last = std::max(first, last_at_most(begun_, key, when_.to));
    return {first, first, last, first != last};
  }

  [[nodiscard]] Range shown(KeyId key) const {
    const Snapshot& s = *h_.snapshot(txn_);
    Slot slot = last_at_most(top_xid_, key, s.xmin - 1);
    while (slot + 1 < slots_.end(key) && is_visible(slots_.writer(slot + 1), s)) ++slot;
    return {slot, slot, slot, false};
  }
  [[nodiscard]] bool is_visible(TxnId writer, const Snapshot& in) const {
    const Snapshot* const of = h_.snapshot(writer);
    if (of == nullptr || of->has_xid == 0) return false;
    if (of->xid < in.xmin) return true;
    if (of->xid >= in.xmax) return false;
    const auto active = h_.columns().active_xids.subspan(in.active, in.active_count);
    return std::find(active.begin(), active.end(), of->xid) == active.end();
  }

  const History& h_;
  const Trace& trace_;
  const Slots& slots_;
  LookBy by_;
  // By slot, ascending within a key: when its commit was over, the latest that it can have begun, the highest xid.
  std::vector<std::int64_t> over_, begun_, top_xid_;
  TxnId txn_ = kNoTxn;
  Span when_{};
  std::int64_t moment_ = 0;
  std::vector<Settled> settled_;  // of the writers that may or may not have been seen: few
};

// The edges that follow from looks.
class LookEdges {
 public:
  LookEdges(const History& h, const PredicateSet& predicates, const Trace& trace, Slots& slots, LookBy by,
            const Limits& limits)
      : h_(h),
        set_(predicates),
        trace_(trace),
        slots_(slots),
        looks_(h, trace, slots, by),
        limits_(limits),
        edge_from_(h.txn_count(), kNoTxn),
        edge_to_(h.txn_count(), kNoTxn),
        mine_(h.key_count(), kNoOp),
        attempts_(h.txn_count(), 0) {}

  // False: too many.
  [[nodiscard]] bool run(std::vector<PredicateEdge>& edges) {
    edges_ = &edges;
    for (std::uint32_t t = 0; t < h_.txn_count(); ++t) {
      if (!trace_.is_counted(TxnId{t}) || !looks_.knows(TxnId{t})) continue;
      enter(TxnId{t});
      for (std::uint32_t op = h_.first_op(TxnId{t}); op < h_.end_op(TxnId{t}); ++op) {
        if (is_predicate(h_.op(op).kind())) look(TxnId{t}, op, kNear);
      }
      if (looked_ > kMostLooks || edges.size() > kMostEdges || limits_.out_of_time()) return false;
    }
    return true;
  }

  // What the transaction looked at once more, with its runs however far they reach. The n-th time: by the n-th of the
  // moments that it may have been.
  void look_again(TxnId t, std::vector<PredicateEdge>& edges) {
    if (!looks_.knows(t)) return;
    edges_ = &edges;
    enter(t, attempts_[raw(t)]++);
    std::fill(edge_from_.begin(), edge_from_.end(), kNoTxn);
    std::fill(edge_to_.begin(), edge_to_.end(), kNoTxn);
    for (std::uint32_t op = h_.first_op(t); op < h_.end_op(t); ++op) {
      if (is_predicate(h_.op(op).kind())) look(t, op, std::numeric_limits<int>::max());
    }
  }

 private:
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
      if (head.kind() != OpKind::kAggregate) {
        for_each_that_may_match(OpId{op}, matcher,
                                [&](KeyId key) { count += matcher.of(looks_.at(key).likely) == Match::kYes; });
        continue;
      }
      std::vector<Item> rows;
      for_each_that_may_match(OpId{op}, matcher, [&](KeyId key) {
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
      for_each_that_may_match(OpId{op}, matcher, [&](KeyId key) {
        const Looks::Range range = looks_.at(key);
        if (range.first == range.last || matcher.of(range.likely) == Match::kNo) return;
        if (const Slot slot = nearest(range, matcher); slot != kNoSlot) looks_.settle(key, slot);
      });
    }
    for (std::uint32_t op = h_.first_op(t); op < h_.end_op(t); ++op) {
      if (h_.op(op).kind() == OpKind::kAggregate) settle_aggregate(t, op);
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
    for_each_that_may_match(OpId{op}, matcher, [&](KeyId key) {
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
    for (std::uint32_t k = 0; k < h_.key_count(); ++k) visit(KeyId{k}, op, f);
  }
  // Those of which some version matches, if an index tells them: the others come in one run from the first version to
  // the last, and ask nothing.
  template <typename F>
  void for_each_that_may_match(OpId op, const Matcher& matcher, F&& f) {
    const auto matching = matcher.matching();
    if (!matching) return for_each_key(op, f);
    KeyId last = kNoKey;
    for (const Slot s : *matching) {
      if (slots_.key_of(s) != last) visit(slots_.key_of(s), op, f);
      last = slots_.key_of(s);
    }
  }
  template <typename F>
  void visit(KeyId key, OpId op, F&& f) {
    if (mine_[raw(key)] == op || slots_.kind(key) != KeyKind::kOrdered) return;
    ++looked_;
    f(key);
  }

  [[nodiscard]] bool is_extreme(PredicateId predicate) const {
    const AggregateKind kind = set_.aggregate(predicate).kind();
    return kind == AggregateKind::kMin || kind == AggregateKind::kMax;
  }

  // A minimum needs one row that has it, and no row below it; the rest may be as it likes.
  void look_for_extreme(TxnId t, OpId op, const Matcher& matcher, int far) {
    const ValueId result = h_.op_value(raw(op));
    const auto agrees = [&](KeyId key, Slot slot, KeyId also, ValueId row) {
      AggregateState state(set_.aggregate(h_.op(raw(op)).predicate()), h_.values());
      state.add(h_.columns().key_name[raw(key)], slots_.value(slot));
      if (also != kNoKey) state.add(h_.columns().key_name[raw(also)], row);
      return state.agrees(result);
    };
    Slot has_it = kNoSlot;
    KeyId whose = kNoKey;
    for_each_key(op, [&](KeyId key) {
      if (has_it != kNoSlot) return;
      const Looks::Range range = looks_.at(key);
      if (matcher.of(range.likely) != Match::kYes || !agrees(key, range.likely, kNoKey, kNullValue)) return;
      has_it = range.likely;
      whose = key;
      unsure_ = range.unsure;
    });
    if (has_it == kNoSlot) return;  // its own row, or not what was looked at
    follow(t, op, whose, has_it, far,
           [&](Slot s) { return matcher.of(s) == Match::kYes && agrees(whose, s, kNoKey, kNullValue); });
    const ValueId row = slots_.value(has_it);
    for_each_key(op, [&](KeyId key) {
      if (key == whose) return;
      const auto leaves_it = [&](Slot s) {
        const Match match = matcher.of(s);
        return match == Match::kNo || (match == Match::kYes && agrees(key, s, whose, row));
      };
      const Looks::Range range = looks_.at(key);
      const Slot slot = range.likely;
      unsure_ = range.unsure;
      if (leaves_it(slot)) follow(t, op, key, slot, far, leaves_it);
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
  const Limits& limits_;
  std::vector<PredicateEdge>* edges_ = nullptr;
  std::vector<TxnId> edge_from_, edge_to_;  // by transaction: the reader that has an edge already
  std::vector<OpId> mine_;                  // by key: the operation that needs no look at it
  std::vector<std::uint8_t> attempts_;      // by transaction: how often it was looked at again
  std::uint64_t looked_ = 0;
  bool unsure_ = false;  // the edges that follow are of a look that may have been at another version
};

// Kahn's order; of those that may come next the one that comes first by the clocks. Empty: there is a cycle.
template <typename View>
std::vector<std::uint32_t> order_by(const View& view, const std::vector<std::int64_t>& rank) {
  const std::uint32_t n = view.size();
  std::vector<std::uint32_t> waits(n, 0), order;
  for (std::uint32_t v = 0; v < n; ++v) view.for_each_out(v, [&](std::uint32_t to) { ++waits[to]; });
  const auto later = [&](std::uint32_t a, std::uint32_t b) { return std::pair(rank[a], a) > std::pair(rank[b], b); };
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, decltype(later)> ready(later);
  for (std::uint32_t v = 0; v < n; ++v) {
    if (waits[v] == 0) ready.push(v);
  }
  while (!ready.empty()) {
    const std::uint32_t v = ready.top();
    ready.pop();
    order.push_back(v);
    view.for_each_out(v, [&](std::uint32_t to) {
      if (--waits[to] == 0) ready.push(to);
    });
  }
  if (order.size() != n) order.clear();
  return order;
}

class Explanation {
 public:
  Explanation(const History& h, const PredicateSet& predicates, const Trace& trace, const VersionOrders& orders,
              const LevelRow& row, const Limits& limits)
      : h_(h), set_(predicates), trace_(trace), orders_(orders), row_(row), limits_(limits), slots_(h, trace, orders) {}

  Witness by(LookBy by) {
    LookEdges looks(h_, set_, trace_, slots_, by, limits_);
    std::vector<PredicateEdge> edges;
    if (!looks.run(edges)) return {};
    Limits wide = limits_;
    wide.max_anomalies = 100'000;
    for (int round = 0; round < kRounds && !limits_.out_of_time(); ++round) {
      std::stable_sort(edges.begin(), edges.end(),
                       [](const PredicateEdge& a, const PredicateEdge& b) { return a.reader < b.reader; });
      Witness witness = ordered(edges, by);
      if (witness.events.empty()) {
        if (!drop_unsure(edges)) return {};
        continue;
      }
      const EventForm form = witness.kind == Witness::Kind::kPoints ? EventForm::kPoints : EventForm::kSerial;
      const PredicateReplay replay = replay_predicates(h_, set_, witness.events, form, wide);
      if (replay.explained()) return witness;
      std::vector<TxnId> again;
      for (const PredicateFinding& f : replay.findings) again.push_back(f.txn);
      std::sort(again.begin(), again.end());
      again.erase(std::unique(again.begin(), again.end()), again.end());
      if (again.empty()) return {};
      std::erase_if(edges,
                    [&](const PredicateEdge& e) { return std::binary_search(again.begin(), again.end(), e.reader); });
      for (const TxnId t : again) looks.look_again(t, edges);
    }
    return {};
  }

 private:
  // Of the edges that are part of a circle, those that may be others by the clocks. False: there are none.
  bool drop_unsure(std::vector<PredicateEdge>& edges) const {
    const Dependencies graph = find_dependencies(h_, trace_, orders_, {}, edges, row_.edges);
    const bool points = row_.nodes != Nodes::kTransactions;
    std::vector<std::uint32_t> component(h_.txn_count(), 0);
    std::uint32_t number = 0;
    for (const auto& nodes : sort_nodes(graph, row_.nodes).components) {
      ++number;
      for (const std::uint32_t v : nodes) {
        const std::uint32_t t = points ? v / 2 : v;
        if (t < h_.txn_count()) component[t] = number;
      }
    }
    const std::size_t before = edges.size();
    std::erase_if(edges, [&](const PredicateEdge& e) {
      const std::uint32_t of = component[raw(e.reader)];
      return e.ground == kUnsure && of != 0 && of == component[raw(e.other)];
    });
    return edges.size() != before;
  }

  Witness ordered(std::span<const PredicateEdge> edges, LookBy by) const {
    const Dependencies graph = find_dependencies(h_, trace_, orders_, {}, edges, row_.edges);
    std::vector<std::uint32_t> order;
    if (row_.nodes == Nodes::kTransactions) {
      const TransactionView view{graph};
      std::vector<std::int64_t> rank = ranks(h_, view, Hint::kClocks);
      for (std::uint32_t t = 0; t < graph.txns; ++t) {
        const bool reads_only = trace_.first_version[t] == trace_.first_version[t + 1];
        if (h_.begin(TxnId{t}) != kNoTime) rank[t] = middle(reads_only ? read(TxnId{t}, by) : committed(h_, TxnId{t}));
      }
      order = order_by(view, rank);
    } else {
      const PointView view{graph, row_.nodes == Nodes::kPrefixPoints};
      std::vector<std::int64_t> rank = ranks(h_, view, Hint::kClocks);
      for (std::uint32_t t = 0; t < graph.txns; ++t) {
        if (h_.begin(TxnId{t}) == kNoTime) continue;
        rank[2 * t] = middle(read(TxnId{t}, by));
        rank[2 * t + 1] = middle(committed(h_, TxnId{t}));
      }
      order = order_by(view, rank);
    }
    return order.empty() ? Witness{} : witness_of(std::move(order), trace_, graph.txns, row_.nodes);
  }
  // When a transaction saw the state that it read.
  [[nodiscard]] Span read(TxnId t, LookBy by) const {
    if (h_.first_op(t) == h_.end_op(t)) return committed(h_, t);
    return evaluated(h_, t, statement(h_, t, by));
  }

  const History& h_;
  const PredicateSet& set_;
  const Trace& trace_;
  const VersionOrders& orders_;
  const LevelRow& row_;
  const Limits& limits_;
  Slots slots_;
};

}  // namespace

std::vector<std::uint32_t> places_by_clock(const History& history) {
  std::vector<std::uint32_t> order(history.txn_count());
  std::vector<std::int64_t> asked(history.txn_count());
  for (std::uint32_t t = 0; t < history.txn_count(); ++t) {
    order[t] = t;
    asked[t] = committed(history, TxnId{t}).from;
  }
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return asked[a] < asked[b]; });
  std::vector<std::uint32_t> place(history.txn_count());
  for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  return place;
}

Witness explain_by_looks(const History& history, const PredicateSet& predicates, const Trace& trace,
                         const VersionOrders& orders, const LevelRow& row, const Limits& limits) {
  Explanation explanation(history, predicates, trace, orders, row, limits);
  if (!history.columns().snapshots.empty()) {
    if (Witness w = explanation.by(LookBy::kSnapshot); !w.events.empty()) return w;
  }
  if (history.columns().begin.empty()) return {};
  for (const LookBy by : {LookBy::kFirstStatement, LookBy::kLastStatement}) {
    if (Witness w = explanation.by(by); !w.events.empty()) return w;
  }
  return {};
}

}  // namespace isolde::graph
