#include <algorithm>

#include "check/timeline/online/engine.h"
#include "check/timeline/schedule.h"

namespace isolde::timeline {
namespace {

bool has_reads(const History& h, TxnId t) {
  for (std::uint32_t i = h.first_op(t); i < h.end_op(t); ++i) {
    if (h.op(i).is_read() || is_predicate(h.op(i).kind())) return true;
  }
  return false;
}

bool ends_with_own(const Chunk& chunk, ValueId read, const OwnTop& own) {
  if (own.is_counter) return true;
  const auto elements = chunk.history.values().elements(read);
  if (!elements || elements->size() < own.appended.size()) return false;
  const auto tail = elements->subspan(elements->size() - own.appended.size());
  return std::equal(tail.begin(), tail.end(), own.appended.begin(),
                    [&](ValueId a, Print b) { return chunk.value(a) == b; });
}

}  // namespace

void Online::take(const Arrival& arrival) {
  const std::uint32_t txn = window_.next();
  bool fresh_chunk = false;
  TxnRecord& r = window_.take(arrival, fresh_chunk);
  held_ = &window_.held(r);
  if (fresh_chunk) names_.note(arrival.chunk);
  const History& h = arrival.history();
  r.id = arrival.chunk->id(arrival.txn);
  r.arrived = std::max(time_.now, time_.came);
  if (applied_ == txn) staged_since_ = time_.now;
  ++counts_.taken;
  counts_.operations += h.end_op(arrival.txn) - h.first_op(arrival.txn);
  if (!h.columns().predicates.empty()) {
    for (std::uint32_t i = h.first_op(r.txn); i < h.end_op(r.txn); ++i) {
      if (is_predicate(h.op(i).kind())) r.flags |= kPredicates;
    }
  }
  if (level_.order != AddedOrder::kNone) check_number(txn);
  if (h.status(arrival.txn) != Status::kCommitted) {
    note_uncommitted(txn);
  } else {
    place(r, h);
    if ((r.flags & kNoSnapshot) != 0) report_order(raw64(r.id), AnomalyKind::kTimestampOrder, 0);
    const bool open = (r.flags & kOpenPlace) != 0;
    if (r.commit != kNoTime || !open) stage(txn, !open && (r.flags & kNoSnapshot) == 0, r.commit != kNoTime);
    if (open) open_place(txn);
    if ((r.flags & kChained) != 0) look_for_ties(txn);
    if (level_.order != AddedOrder::kNone) {
      if (h.begin(r.txn) != kNoTime) ++counts_.began;
      if (h.end(r.txn) != kNoTime) ++counts_.ended;
      check_orders(txn);
    }
  }
  if ((r.flags & kPredicates) != 0) {
    lost_values_ = lost_values_ || (!asks_predicates_ && released_any_);
    asks_predicates_ = true;
  }
  if (!header_keys_.empty()) {
    for_each_access(h, arrival.txn, [&](const Access& a) { header_keys_.note_used(*arrival.chunk, a.key); });
  }
  if (window_.next() - applied_ >= options_.batch) apply_staged();
  if (counts_.taken % kTidy == 0) tidy();
}

// Where it reads and writes (docs/timestamps.md).
void Online::place(TxnRecord& r, const History& h) {
  const TxnId t = r.txn;
  const std::int64_t start = h.start_ts(t);
  r.commit = h.commit_ts(t);
  if (r.commit == kNoTime) r.commit = commit_time(h, t);
  r.start = r.commit;
  if (r.commit == kNoTime) {
    r.flags |= kOpenPlace;
    return;
  }
  if (serial_) {
    r.read_order = kSerialRead;
    r.write_order = kSerialWrite;
    r.flags |= kChained;
  } else if (start == kNoTime) {
    r.read_order = kUnknownStartRead;
    r.write_order = kUnknownStartWrite;
    r.flags |= kChained;
    if (has_reads(h, t)) r.flags |= kOpenPlace;
  } else if (start == r.commit) {
    const bool writes = writes_anything(h, t);
    r.read_order = writes ? kInstantRead : kStartRead;
    r.write_order = writes ? kInstantWrite : kStartRead;
    if (writes || level_.order == AddedOrder::kRealTime) r.flags |= kChained;
  } else if (start > r.commit) {
    r.flags |= kNoSnapshot;
    r.write_order = kCommitOrder;
  } else {
    r.start = start;
    r.read_order = kStartRead;
    r.write_order = kCommitOrder;
    r.flags |= kHasStart;
  }
}

std::uint32_t Online::number_of(Window::Held& held, KeyId key) {
  std::uint32_t& number = held.key[raw(key)];
  if (number == kNone32) number = key_number(held.chunk->key(key));
  return number;
}

void Online::next_stamp() {
  if (++stamp_ != 0) return;
  // After 2^32 of them old stamps would look like new ones.
  for (std::uint32_t k = 0; k < keys_.size(); ++k) keys_.at(k).stamp = 0;
  stamp_ = 1;
}

void Online::replay(std::uint32_t txn, bool reads, bool writes) {
  const TxnRecord& r = window_.at(txn);
  const History& h = held_->chunk->history;
  const std::uint32_t end = h.end_op(r.txn);
  const std::uint32_t first = h.first_op(r.txn);
  locals_.clear();
  extras_.clear();
  owns_used_ = 0;
  next_stamp();
  for (std::uint32_t i = first; i < end; ++i) {
    const OpHead op = h.op(i);
    if (op.is_read()) {
      if (reads) read(txn, op.key(), h.op_value(i));
    } else if (op.kind() == OpKind::kWrite) {
      if (writes) overwrite(txn, op.key(), h.op_value(i), i);
    } else if (op.kind() == OpKind::kScan) {
      if (!reads) continue;
      for (const Item& item : h.items(h.predicate(op.predicate()))) read(txn, item.key, item.value);
    } else if (op.kind() == OpKind::kUpdate) {
      if (!writes) continue;
      for (const Item& item : h.items(h.predicate(op.predicate()))) overwrite(txn, item.key, item.value, i);
    } else if (op.kind() != OpKind::kAggregate && writes) {
      accumulate(op.key(), op.kind(), h.op_value(i), i);
    }
  }
  if (writes) install(txn);
}

void Online::read(std::uint32_t txn, KeyId key, ValueId value) {
  const std::uint32_t number = number_of(*held_, key);
  KeyTimeline& k = keys_.at(number);
  const Chunk& chunk = *held_->chunk;
  const Print print = chunk.value(value);
  if (k.stamp != stamp_) {
    k.stamp = stamp_;
    k.local = static_cast<std::uint32_t>(locals_.size());
    locals_.push_back({.key = number});
    insert_read(txn, k, print, nullptr);
  } else {
    Local& mine = locals_[k.local];
    if (mine.own == kNone32) {
      if (mine.value.bits != raw64(print)) {
        report_internal(window_.at(txn), key, value, state_text(mine.value));
      }
    } else {
      OwnTop& own = owns_[mine.own];
      own.read = print;
      if (mine.from_snapshot) {
        own.ends_with_own = ends_with_own(chunk, value, own);
        insert_read(txn, k, print, &own);
      } else if (!shows(mine.value, own)) {
        report_internal(window_.at(txn), key, value, state_text(with_own(mine.value, own)));
      }
      mine.own = kNone32;
    }
  }
  locals_[k.local].value = state_of(chunk, value);
}

void Online::overwrite(std::uint32_t txn, KeyId key, ValueId value, std::uint32_t op) {
  const std::uint32_t number = number_of(*held_, key);
  KeyTimeline& k = keys_.at(number);
  if (k.stamp != stamp_) {
    k.stamp = stamp_;
    k.local = static_cast<std::uint32_t>(locals_.size());
    locals_.push_back({.key = number});
  }
  Local& mine = locals_[k.local];
  if (mine.written) note_shadow(k.key, Print{mine.last.bits}, {txn, mine.written_op, true});
  if (mine.extras > 0) {
    for (Extra& extra : extras_) {
      if (extra.local != k.local || extra.op == kNone32) continue;
      const Print print = extra.kind == EntryKind::kAppend ? Print{extra.value}
                                                           : print_of_number(static_cast<std::int64_t>(extra.value));
      note_shadow(k.key, print, {txn, extra.op, true});
      extra.op = kNone32;
    }
    mine.extras = 0;
  }
  mine.written = true;
  mine.written_op = op;
  mine.last = mine.value = state_of(*held_->chunk, value);
  mine.own = kNone32;
}

void Online::accumulate(KeyId key, OpKind kind, ValueId value, std::uint32_t op) {
  const std::uint32_t number = number_of(*held_, key);
  KeyTimeline& k = keys_.at(number);
  const bool first = k.stamp != stamp_;
  if (first) {
    k.stamp = stamp_;
    k.local = static_cast<std::uint32_t>(locals_.size());
    locals_.push_back({.key = number});
  }
  Local& mine = locals_[k.local];
  if (mine.own == kNone32) {
    mine.own = static_cast<std::uint32_t>(owns_used_);
    if (owns_used_ == owns_.size()) owns_.emplace_back();
    OwnTop& fresh = owns_[owns_used_++];
    fresh.is_counter = kind == OpKind::kIncrement;
    fresh.delta = 0;
    fresh.appended.clear();
    mine.from_snapshot = first;
  }
  OwnTop& own = owns_[mine.own];
  Extra extra{k.local, EntryKind::kAppend, 0, op};
  if (kind == OpKind::kAppend) {
    const Print element = held_->chunk->value(value);
    own.appended.push_back(element);
    extra.value = raw64(element);
  } else {
    const std::int64_t number_added = held_->chunk->history.values().integer(value);
    own.delta =
        static_cast<std::int64_t>(static_cast<std::uint64_t>(own.delta) + static_cast<std::uint64_t>(number_added));
    extra.kind = EntryKind::kIncrement;
    extra.value = static_cast<std::uint64_t>(number_added);
  }
  ++mine.extras;
  extras_.push_back(extra);
}

void Online::install(std::uint32_t txn) {
  const TxnRecord& r = window_.at(txn);
  Entry entry{r.commit, 0, 0, raw64(r.id), txn, r.write_order, EntryKind::kWrite, StateKind::kPlain, 0};
  for (const Local& mine : locals_) {
    if (!mine.written) continue;
    entry.value = mine.last.bits;
    entry.set_behind(mine.last);
    entry.flags = mine.extras == 0 ? kLastWrite : 0;
    insert_write(txn, keys_.at(mine.key), entry);
  }
  if (extras_.empty()) return;
  for (const Extra& extra : extras_) {
    if (extra.op == kNone32) continue;
    Local& mine = locals_[extra.local];
    entry.kind = extra.kind;
    entry.value = extra.value;
    entry.flags = --mine.extras == 0 ? kLastWrite : 0;
    insert_write(txn, keys_.at(mine.key), entry);
  }
}

// Its writes are kept for those who should not have seen them; of unknown outcome, for those who may have.
void Online::note_uncommitted(std::uint32_t txn) {
  TxnRecord& r = window_.at(txn);
  const History& h = held_->chunk->history;
  r.start = r.commit = kNoTime;
  r.flags |= h.status(r.txn) == Status::kAborted ? kAborted : kUnknownOutcome;
  bool writes = false;
  for_each_access(h, r.txn, [&](const Access& a) {
    if (a.kind == OpKind::kRead) return;
    writes = true;
    note_shadow(held_->chunk->key(a.key), held_->chunk->value(a.value), {txn, a.op, false});
  });
  if (!writes || (r.flags & kAborted) != 0) return;
  place(r, h);
  r.flags |= kOpenPlace;
  open_place(txn);
  if ((r.flags & kChained) != 0) look_for_ties(txn);
}

void Online::note_shadow(Print key, Print value, Shadow shadow) {
  const std::uint64_t at = pair_of(key, value);
  shadows_.emplace(at, shadow);
  shadow_order_.emplace_back(shadow.txn, at);
}

}  // namespace isolde::timeline
