#include <limits>

#include "check/timeline/online/engine.h"

namespace isolde::timeline {

bool Online::is_right(const Entry& read, State state) const {
  return read.kind == EntryKind::kRead ? shows(state, Print{read.value}) : shows(state, keys_.top(read));
}

void Online::insert_read(std::uint32_t txn, KeyTimeline& key, Print value, OwnTop* top) {
  TxnRecord& r = window_.at(txn);
  key.touched = txn;
  keys_.prepare(key, window_.first());
  if (key.is_past(r.start, r.read_order)) [[unlikely]] {
    was_late_ = true;
    if (spill_ == nullptr) {
      ++counts_.unchecked;
      return;
    }
    late_reads_.push_back({txn, keys_.find(key.key), value, top != nullptr, top == nullptr ? OwnTop{} : *top});
    return;
  }
  Entry entry{r.start, raw64(value), 0, raw64(r.id), txn, r.read_order, EntryKind::kRead, StateKind::kPlain, 0};
  if (top != nullptr) {
    entry.kind = EntryKind::kReadOnOwn;
    entry.value = keys_.add_top(*top);
  }
  const Place at = keys_.insert(key, entry);
  const State state = KeyIndex::before(key, at);
  Entry& placed = at.entry();
  placed.set_behind(state);
  if (state.kind == StateKind::kOpaque) ++counts_.unchecked;
  if (!is_right(placed, state)) {
    placed.flags |= kWrong;
    ++r.wrong;
  }
}

void Online::insert_write(std::uint32_t txn, KeyTimeline& key, Entry entry) {
  key.touched = txn;
  keys_.prepare(key, window_.first());
  if (key.is_past(entry.time, entry.order)) [[unlikely]] {
    was_late_ = true;
    write_into_the_past(key, entry);
    return;
  }
  const Place at = keys_.insert(key, entry);
  const State state = behind(KeyIndex::before(key, at), entry);
  at.entry().set_behind(state);
  Place later = next_of(at);
  while (later.valid() && !later.entry().is_write()) later = next_of(later);
  if (!serial_) {
    check_conflict(key, at);
    if (later.valid() && later.entry().txn != txn) check_conflict(key, later);
  }
  if (entry.time <= released_until_ && !adopting_) [[unlikely]] {
    was_late_ = true;
    if (!serial_ && later.valid() && !window_.holds(later.entry().txn) && (later.entry().flags & kConflictTold) == 0) {
      const Entry& e = later.entry();
      check_released_conflict(key, entry, e.writer, e.time, e.order);
    }
    if (key.may_have_dropped(entry.time)) {
      const bool ends = later.valid();
      look_for_released_reads(key, at.entry(), ends ? later.entry().time : kLatest, ends ? later.entry().order : 0);
    }
    if (entry.time <= released_open_) could_not_compare();
  }
  propagate(key, next_of(at), state, txn);
}

// The reads up to the next version see another state now; appends and increments pass it on.
void Online::propagate(const KeyTimeline& key, Place at, State state, std::uint32_t by) {
  for (; at.valid(); at = next_of(at)) {
    Entry& entry = at.entry();
    if (!entry.is_write()) {
      entry.set_behind(state);
      const bool wrong = !is_right(entry, state);
      if (wrong != entry.is_wrong()) set_wrong(key, entry, wrong, by);
    } else {
      if (entry.kind == EntryKind::kWrite) return;
      state = behind(state, entry);
      entry.set_behind(state);
    }
  }
}

void Online::set_wrong(const KeyTimeline& key, Entry& read, bool wrong, std::uint32_t by) {
  read.flags = static_cast<std::uint8_t>(wrong ? read.flags | kWrong : read.flags & ~kWrong);
  if (!window_.holds(read.txn) || arrived_before(read.txn, judged_)) {
    // It was judged, and `by` came too late for that. What was told stays told.
    if (!wrong || adopting_) return;
    was_late_ = true;
    const Print value = read.kind == EntryKind::kRead ? Print{read.value} : keys_.top(read).read;
    broken_.push_back(
        {by, keys_.find(key.key), read.txn, read.time, read.writer, value, read.order, AnomalyKind::kGSIb, {}});
    return;
  }
  TxnRecord& r = window_.at(read.txn);
  r.wrong = static_cast<std::uint16_t>(wrong ? r.wrong + 1 : r.wrong - 1);
  ++counts_.flips;
  if ((r.flags & kFlipped) == 0) ++counts_.flipped_txns;
  r.flags |= kFlipped;
  if (options_.flips != nullptr) options_.flips->flipped(r.id, key.key, wrong, r.arrived, time_.now);
}

// NOCONFLICT: the version before it was committed after its start.
void Online::check_conflict(KeyTimeline& key, Place later) {
  Entry& entry = later.entry();
  if ((entry.flags & kConflictTold) != 0 || !window_.holds(entry.txn)) return;
  const TxnRecord& r = window_.at(entry.txn);
  if ((r.flags & kHasStart) == 0) return;
  // When one that was placed by who saw it has committed nobody knows.
  const auto counts = [&](const Entry& e) { return e.is_write() && e.txn != entry.txn && e.order != kPlacedWrite; };
  Place before = prev_of(later);
  while (before.valid() && !counts(before.entry())) before = prev_of(before);
  if (!before.valid() && (key.base_order == kPlacedWrite || (key.flags & kForgottenKey) != 0)) return;
  const std::int64_t time = before.valid() ? before.entry().time : key.base_time;
  if (time == kNoTime || time <= r.start) return;
  entry.flags |= kConflictTold;
  report_conflict(r, key, before.valid() ? before.entry().writer : key.base_writer, time);
}

SpilledVersion Online::spilled(const KeyTimeline& key, const Entry& e) {
  return {raw64(key.key), e.time, e.state, e.writer, e.value, e.order, e.state_kind, e.kind, e.flags, 0};
}

// Behind it stand versions that are final. Without a spill it is not known any more what was grown on top of it.
void Online::write_into_the_past(KeyTimeline& key, Entry entry) {
  if (spill_ == nullptr) {
    if (key.base().rich()) {
      key.base_kind = StateKind::kOpaque;
      if (key.head != nullptr) propagate(key, {key.head, 0}, key.base(), entry.txn);
    }
    return could_not_compare();
  }
  if (entry.kind != EntryKind::kWrite) {
    // What its own transaction did to the key before stands at the same place.
    auto before = spill_->last_before(key.key, entry.time, static_cast<std::uint8_t>(entry.order + 1));
    if (before && before->time == entry.time && before->order == entry.order && before->writer != entry.writer)
      before = spill_->last_before(key.key, entry.time, entry.order);
    entry.set_behind(behind(before ? State{before->state, before->state_kind} : initial_of(key.key), entry));
  }
  spill_->add(spilled(key, entry));
  grow_again(key, entry);
  compare_with_spilled(key, entry);
}

// What stands on top of a late write, up to the next overwrite, holds something else now.
void Online::grow_again(KeyTimeline& key, const Entry& late) {
  const auto later =
      spill_->behind(key.key, late.time - 1, std::numeric_limits<std::uint8_t>::max(), kLatest, kMostCompared);
  bool known = spill_->good() && later.size() < kMostCompared;
  State state = late.behind();
  for (const SpilledVersion& v : later) {
    if (v.stands_before(late.time, late.order)) continue;
    if (v.time == late.time && v.order == late.order) {
      known = known && v.writer == late.writer;  // else nobody knows which is first
      continue;
    }
    if (v.kind == EntryKind::kWrite) return;
    if (!known) break;
    Entry step{};
    step.kind = v.kind;
    step.value = v.value;
    state = behind(state, step);
    SpilledVersion again = v;
    again.state = state.bits;
    again.state_kind = state.kind;
    ++again.generation;
    spill_->add(again);
  }
  if (!known && !late.behind().rich() && !key.base().rich()) return could_not_compare();
  if (!known) {
    key.flags |= kCloudyKey | kCloudyRich;
    any_cloudy_rich_ = true;
    state = {0, StateKind::kOpaque};
    could_not_compare();
  }
  if ((key.flags & kForgottenKey) != 0) return;
  key.base_bits = state.bits;
  key.base_kind = state.kind;
  if (key.head != nullptr) propagate(key, {key.head, 0}, state, late.txn);
}

void Online::folded(const KeyTimeline& key, const Entry& version) {
  if (spill_ == nullptr) return;
  spill_->add(spilled(key, version));
}

}  // namespace isolde::timeline
