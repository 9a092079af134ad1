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

}  // namespace

void Online::take(const Arrival& arrival) {
  const std::uint32_t txn = window_.next();
  bool fresh_chunk = false;
  TxnRecord& r = window_.take(arrival, fresh_chunk);
  held_ = &window_.held(r);
  if (fresh_chunk) {
    names_.note(arrival.chunk);
    find_known_keys(*held_);
  }
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
  if (number == kNone32) {
    number = key_number(held.chunk->key(key));
    if (held.unresolved > 0) --held.unresolved;
  }
  return number;
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

void Online::note_shadow(Fingerprint key, Fingerprint value, Shadow shadow) {
  shadows_.add(pair_of(key, value), shadow);
}

}  // namespace isolde::timeline
