#include "check/weak/predicate_axioms.h"

#include <algorithm>
#include <optional>

#include "base/count_progress.h"
#include "check/predicates/state_matches.h"
#include "check/weak/choose_writers.h"
#include "check/weak/look_aggregates.h"
#include "check/weak/needed_seen.h"
#include "check/weak/order.h"

namespace isolde::weak {

using namespace graph;

namespace {

constexpr std::uint64_t kSteps = 400'000'000;  // of a walk

// Every key's versions in the order of their transactions' places; nothing if that contradicts what is known of them.
std::optional<VersionOrders> orders_by_place(const History& h, const Trace& trace, const VersionOrders& known,
                                             std::span<const std::uint32_t> place) {
  const auto place_of = [&](Version v) { return place[raw(trace.versions[v].txn)]; };
  for (Version v = 0; v < known.next.size(); ++v) {
    if (known.next[v] != kNoVersion && place_of(v) >= place_of(known.next[v])) return std::nullopt;
  }
  for (const VersionOrders::Pair& pair : known.known) {
    if (place_of(pair.before) >= place_of(pair.after)) return std::nullopt;
  }
  VersionOrders out;
  out.next.assign(trace.versions.size(), kNoVersion);
  out.first.assign(h.key_count(), kNoVersion);
  std::vector<Version> sorted;
  for (Version v = 0; v < trace.versions.size(); ++v) {
    if (trace.is_counted(trace.versions[v].txn)) sorted.push_back(v);
  }
  std::sort(sorted.begin(), sorted.end(), [&](Version a, Version b) {
    return std::pair(trace.versions[a].key, place_of(a)) < std::pair(trace.versions[b].key, place_of(b));
  });
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const KeyId key = trace.versions[sorted[i]].key;
    if (i > 0 && trace.versions[sorted[i - 1]].key == key) {
      out.next[sorted[i - 1]] = sorted[i];
    } else {
      out.first[raw(key)] = sorted[i];
    }
  }
  for (std::size_t k = 0; k < known.first.size(); ++k) {
    if (known.first[k] != kNoVersion && known.first[k] != out.first[k]) return std::nullopt;
  }
  return out;
}

class LookWalk {
 public:
  LookWalk(const LookOrder& order, const LevelRow& row, const Limits& limits)
      : o_(order),
        h_(order.history),
        slots_(order.slots),
        rule_(row.seen),
        cursors_(row.level == Level::kCursorStability),
        limits_(limits),
        floors_(order.history, order.trace, order.slots, row.seen),
        aggregates_(order),
        initial_(order.history, order.predicates),
        own_(order.history.key_count()),
        result_(order.history.key_count()),
        looked_(order.history.key_count(), 0) {
    if (cursors_) forced_.assign(h_.key_count(), kNoSlot);
  }

  bool run() {
    if (!floors_.has_room()) return false;
    CountProgress explained_so_far(limits_, "predicates of transactions", o_.turns.size(), 1U << 10);
    for (std::size_t p = 0; p < o_.turns.size(); ++p) {
      explained_so_far.add();
      if ((p & 0x3ff) == 0 && limits_.exhausted()) return false;
      if (all_steps() > kSteps) return false;
      const bool explained = explain(o_.turns[p]);
      limits_.spend(all_steps() - spent_);
      spent_ = all_steps();
      if (!explained) return false;
    }
    return true;
  }

 private:
  [[nodiscard]] std::uint64_t all_steps() const { return steps_ + floors_.steps() + aggregates_.steps(); }

  struct Held {
    std::uint64_t stamp = 0;
    ValueId value = kNullValue;
  };
  struct Own {
    std::uint64_t stamp = 0;
    std::size_t row = 0;
  };

  // At the time of each operation; else, and where one view is asked for, from a snapshot.
  bool explain(TxnId t) {
    force_slots(t, true);
    const bool one_view = rule_ == SeenRule::kAny || rule_ == SeenRule::kPast;
    bool explained = false;
    for (const bool snapshot : {false, true}) {
      if (explained || (one_view && !snapshot)) continue;
      aggregates_.set_snapshot(snapshot);
      floors_.enter(t);
      explained = one_view ? walk_until_stable(t) : walk(t);
    }
    force_slots(t, false);
    floors_.leave();
    return explained && steps_ <= kSteps;
  }

  // What is seen by a later look may be too new for an earlier one.
  bool walk_until_stable(TxnId t) {
    for (const TracedRead& read : o_.trace.reads_of(t)) {
      if (read.version < o_.trace.versions.size()) floors_.see(o_.trace.versions[read.version].txn);
    }
    std::uint64_t rises = 0;
    do {
      rises = floors_.rises();
      if (steps_ > kSteps || !walk(t)) return false;
    } while (rises != floors_.rises());
    return true;
  }

  // Who reads a key and writes it writes the very next version.
  void force_slots(TxnId t, bool on) {
    if (!cursors_) return;
    for (Version v = o_.trace.first_version[raw(t)]; v < o_.trace.first_version[raw(t) + 1]; ++v) {
      const KeyId key = o_.trace.versions[v].key;
      forced_[raw(key)] = on ? slots_.of(v, key) - 1 : kNoSlot;
    }
  }
  [[nodiscard]] Slot forced(KeyId key) const { return cursors_ ? forced_[raw(key)] : kNoSlot; }

  bool walk(TxnId t) {
    walk_ = ++stamp_;
    own_rows_.clear();
    txn_ = t;
    const auto reads = o_.trace.reads_of(t);
    auto read = reads.begin();
    for (std::uint32_t i = h_.first_op(t); i < h_.end_op(t); ++i) {
      const OpHead op = h_.op(i);
      if (is_predicate(op.kind()) && !ask(i, op)) return false;
      for (; read != reads.end() && raw(read->op) == i; ++read) {
        if (!is_above(*read)) return false;
      }
      if (op.kind() == OpKind::kWrite) write(op.key(), h_.op_value(i));
      if (op.kind() != OpKind::kUpdate) continue;
      for (const Item& item : h_.items(h_.predicate(op.predicate()))) write(item.key, item.value);
    }
    return read == reads.end();
  }

  void write(KeyId key, ValueId value) {
    Own& own = own_[raw(key)];
    if (own.stamp != walk_) {
      own = {walk_, own_rows_.size()};
      own_rows_.push_back({key, value});
    } else {
      own_rows_[own.row].value = value;
    }
  }
  [[nodiscard]] bool is_own(KeyId key) const { return own_[raw(key)].stamp == walk_; }
  [[nodiscard]] bool in_result(KeyId key) const { return result_[raw(key)].stamp == stamp_; }
  [[nodiscard]] bool is_before(Slot s) const {
    return slots_.writer(s) == kNoTxn || o_.place[raw(slots_.writer(s))] < o_.place[raw(txn_)];
  }

  bool is_above(const TracedRead& read) {
    if (read.version == kNoVersion) return false;
    const Slot slot = slots_.of(read.version, read.key);
    if (slot == kNoSlot || !is_before(slot) || slot < floors_.of(read.key)) return false;
    if (forced(read.key) != kNoSlot && forced(read.key) != slot) return false;
    floors_.see(slots_.writer(slot));
    ++steps_;
    return true;
  }

  // Chooses the versions that the operation was evaluated on. In one operation the older ones were looked at first, so
  // that none of them is too old for another; and then its rows were read.
  bool ask(std::uint32_t i, OpHead op) {
    const Predicate& p = h_.predicate(op.predicate());
    const Matcher matcher(h_, slots_, o_.predicates.condition(op.predicate()));
    ++stamp_;
    writers_.clear();
    for (const Item& item : h_.items(p)) {
      if (in_result(item.key)) return false;
      result_[raw(item.key)] = {stamp_, item.value};
      if (op.kind() == OpKind::kScan && matcher.of_value(item.key, item.value) != Match::kYes) return false;
    }
    if (op.kind() != OpKind::kAggregate) {
      for (const OwnRow& row : own_rows_) {
        if (matcher.of_value(row.key, row.value) != match_of(in_result(row.key))) return false;
      }
    }
    steps_ += p.item_count + own_rows_.size() + 1;
    const bool chosen = p.has_vset != 0 ? look_at_set(i, op, p, matcher) : look(i, op, p, matcher);
    if (!chosen) return false;
    for (const TxnId writer : writers_) floors_.see(writer);
    return true;
  }

  bool look(std::uint32_t i, OpHead op, const Predicate& p, const Matcher& matcher) {
    if (op.kind() == OpKind::kAggregate && !look_at_matching(i, op, matcher)) return false;
    if (op.kind() == OpKind::kUpdate) {
      for (const Item& item : h_.items(p)) {
        if (!is_own(item.key) && !take_lowest(item.key, Match::kYes, matcher)) return false;
      }
    }
    const auto none = [&](KeyId key) {
      if (is_own(key) || in_result(key) || looked_[raw(key)] == stamp_) return true;
      looked_[raw(key)] = stamp_;
      return take_lowest(key, Match::kNo, matcher);
    };
    steps_ += floors_.raised().size() + h_.key_count() / 16;
    for (const KeyId key : floors_.raised()) {
      if (!none(key)) return false;
    }
    initial_.find(o_.predicates.text_of(op.predicate()), matches_);
    for (const KeyId key : matches_.keys) {
      if (!none(key)) return false;
    }
    for (std::uint32_t k = 0; matches_.faulty && k < h_.key_count(); ++k) {
      if (!none(KeyId{k})) return false;
    }
    if (!cursors_) return true;
    for (Version v = o_.trace.first_version[raw(txn_)]; v < o_.trace.first_version[raw(txn_) + 1]; ++v) {
      if (!none(o_.trace.versions[v].key)) return false;
    }
    return true;
  }

  // The lowest version that matches so; what is older than the floor is not looked at any more.
  bool take_lowest(KeyId key, Match wanted, const Matcher& matcher) {
    Slot s = floors_.of(key);
    Slot end = slots_.end(key);
    if (const Slot one = forced(key); one != kNoSlot) {
      if (one < s) return false;
      s = one;
      end = one + 1;
    }
    for (; s < end && is_before(s); ++s) {
      if (++steps_ > kSteps) return false;
      if (matcher.of(s) != wanted) continue;
      if (slots_.writer(s) != kNoTxn) writers_.push_back(slots_.writer(s));
      return true;
    }
    return false;
  }

  bool look_at_matching(std::uint32_t i, OpHead op, const Matcher& matcher) {
    const auto found = aggregates_.explain(txn_, OpId{i}, floors_, own_rows_, forced_);
    if (!found) return false;
    const bool counts = o_.predicates.aggregate(op.predicate()).kind() == AggregateKind::kCountAll;
    for (const Slot s : *found) {
      const KeyId key = slots_.key_of(s);
      result_[raw(key)] = {stamp_, slots_.value(s)};
      if (counts) {
        if (!take_lowest(key, Match::kYes, matcher)) return false;
      } else if (slots_.writer(s) != kNoTxn) {
        writers_.push_back(slots_.writer(s));
      }
    }
    return true;
  }

  bool look_at_set(std::uint32_t i, OpHead op, const Predicate& p, const Matcher& matcher) {
    std::vector<ValueId> set(h_.key_count(), kNullValue);
    for (const Item& item : h_.vset(p)) set[raw(item.key)] = item.value;
    std::optional<AggregateState> all;
    if (op.kind() == OpKind::kAggregate) all.emplace(o_.predicates.aggregate(op.predicate()), h_.values());
    steps_ += h_.key_count();
    for (std::uint32_t k = 0; k < h_.key_count(); ++k) {
      const KeyId key{k};
      if (is_own(key) && own_rows_[own_[k].row].value != set[k]) return false;
      const Match match = matcher.of_value(key, set[k]);
      if (match == Match::kFault) return false;
      if (all && match == Match::kYes) all->add(h_.columns().key_name[k], set[k]);
      if (!all && (match == Match::kYes) != in_result(key)) return false;
      if (is_own(key)) continue;
      if (op.kind() == OpKind::kScan && match == Match::kYes) {
        if (result_[k].value != set[k]) return false;
      } else if (!take_like(key, set[k], match, matcher)) {
        return false;
      }
    }
    return !all || (all->faults() == kNoFault && all->agrees(h_.op_value(i)));
  }

  // The version that holds the value, or one that no change of the matches parts from it.
  bool take_like(KeyId key, ValueId value, Match match, const Matcher& matcher) {
    const Slot floor = std::max(floors_.of(key), forced(key) == kNoSlot ? 0 : forced(key));
    Slot best = kNoSlot;
    slots_.for_each_holding(key, value, [&](Slot s) {
      if (!is_before(s) || (forced(key) != kNoSlot && forced(key) < std::max(s, floor))) return;
      for (Slot between = s; between < floor; ++between) {
        if (++steps_ > kSteps || matcher.of(between + 1) != match) return;
      }
      best = std::min(best, std::max(s, floor));
    });
    if (best == kNoSlot) return false;
    if (slots_.writer(best) != kNoTxn) writers_.push_back(slots_.writer(best));
    return true;
  }

  const LookOrder& o_;
  const History& h_;
  Slots& slots_;
  const SeenRule rule_;
  const bool cursors_;
  const Limits& limits_;
  LookFloors floors_;
  LookAggregates aggregates_;
  StateMatches initial_;  // as all keys are at first
  StateMatches::Matches matches_;
  TxnId txn_ = kNoTxn;
  std::uint64_t stamp_ = 0, walk_ = 0;
  std::vector<Own> own_;          // by key, stamped with the walk
  std::vector<OwnRow> own_rows_;  // what the transaction itself wrote last
  std::vector<Held> result_;      // by key, stamped with the operation
  std::vector<std::uint64_t> looked_;
  std::vector<Slot> forced_;    // cursor-stability, by key: what the transaction may read of a key that it writes
  std::vector<TxnId> writers_;  // of what the operation looked at
  std::uint64_t steps_ = 0, spent_ = 0;
};

bool is_whole(const Trace& trace) {
  return !trace.cut_short && trace.untraceable.empty() && !trace.breaks_a_rule && trace.bad_reads.empty();
}

// What the first order of all transactions is close to.
enum class Near : std::uint8_t { kDone, kHints, kFile };

bool holds_near(const History& h, const PredicateSet& predicates, const Trace& trace, const LevelRow& row, Near near,
                const Limits& limits) {
  const VersionOrders known = order_versions(h, trace, row.updates);
  if (!known.ambiguous.empty() || !known.lost_updates.empty()) return false;
  const SeenContext context{h, trace, known, {}, row};
  auto first = near == Near::kFile ? first_order(context)
                                   : order_near(context, near == Near::kDone ? done_places(h) : hinted_places(h));
  if (!first) return false;
  const auto turns = explained_order(context, *std::move(first), limits);
  if (!turns) return false;
  std::vector<std::uint32_t> place(h.txn_count(), kNone32);
  for (std::uint32_t i = 0; i < turns->size(); ++i) place[raw((*turns)[i])] = i;
  const auto orders = orders_by_place(h, trace, known, place);
  if (!orders) return false;
  Slots slots(h, trace, *orders);
  for (std::uint32_t k = 0; k < h.key_count(); ++k) {
    if (slots.kind(KeyId{k}) != KeyKind::kOrdered) return false;
  }
  const LookOrder order{h, predicates, trace, slots, *turns, place};
  return LookWalk(order, row, limits).run();
}

}  // namespace

bool holds_with_predicates(const History& history, const Trace& trace, Level level, const Limits& limits) {
  const LevelRow* const row = row_of(level);
  if (row == nullptr || history.has_flag(kVersionsByCommitTs)) return false;
  if (!is_whole(trace) && !(trace.only_open && !trace.breaks_a_rule && trace.bad_reads.empty())) return false;
  const PredicateSet predicates(history);
  if (!predicates.defect().empty()) return false;
  const HistoryColumns& c = history.columns();
  const bool by_client = c.order.empty() && c.commit_ts.empty() && !c.op_before.empty();
  for (const Near near : {Near::kDone, Near::kHints, Near::kFile}) {
    if (near == Near::kDone && !by_client) continue;
    if (limits.exhausted()) return false;
    std::optional<Trace> chosen;
    if (trace.only_open) {
      chosen = choose_writers(history, trace, near == Near::kDone ? done_places(history) : hinted_places(history));
      if (!chosen) return false;
    }
    if (holds_near(history, predicates, chosen ? *chosen : trace, *row, near, limits)) return true;
  }
  return false;
}

}  // namespace isolde::weak
