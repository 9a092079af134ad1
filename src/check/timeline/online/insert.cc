#include <limits>

#include "check/timeline/online/engine.h"

namespace isolde::timeline {

bool Online::is_right(const Entry& read, State state) const {
  return read.kind == EntryKind::kRead ? shows(state, Fingerprint{read.value}) : shows(state, keys_.top(read));
}

void Online::insert_read(Lane& lane, KeyTimeline& key, Fingerprint value, OwnTop* top) {
  const std::uint32_t txn = lane.txn;
  const TxnRecord& r = window_.at(txn);
  key.touched = txn;
  keys_.prepare(key, window_.first(), *lane.store);
  if (key.is_past(r.start, r.read_order)) [[unlikely]] {
    lane.was_late = true;
    if (spill_ == nullptr) {
      ++lane.unchecked;
      return;
    }
    late_reads_.push_back({txn, keys_.find(key.key), value, top != nullptr, top == nullptr ? OwnTop{} : *top});
    return;
  }
  Entry entry{r.start, raw64(value), 0, raw64(r.id), txn, r.read_order, EntryKind::kRead, StateKind::kPlain, 0};
  if (top != nullptr) {
    entry.kind = EntryKind::kReadOnOwn;
    entry.value = KeyIndex::add_top(*top, *lane.store);
  }
  const Place at = KeyIndex::insert(key, entry, *lane.store);
  const State state = KeyIndex::before(key, at);
  Entry& placed = at.entry();
  placed.set_behind(state);
  if (state.kind == StateKind::kOpaque) ++lane.unchecked;
  if (!is_right(placed, state)) {
    placed.flags |= kWrong;
    lane.changes.push_back({lane.order, key.key, txn, true, false});
  }
}

void Online::insert_write(Lane& lane, KeyTimeline& key, Entry entry) {
  const std::uint32_t txn = lane.txn;
  key.touched = txn;
  keys_.prepare(key, window_.first(), *lane.store);
  if (key.is_past(entry.time, entry.order)) [[unlikely]] {
    lane.was_late = true;
    write_into_the_past(lane, key, entry);
    return;
  }
  const Place at = KeyIndex::insert(key, entry, *lane.store);
  const State state = behind(KeyIndex::before(key, at), entry);
  at.entry().set_behind(state);
  Place later = next_of(at);
  while (later.valid() && !later.entry().is_write()) later = next_of(later);
  if (!serial_) {
    check_conflict(lane, key, at);
    if (later.valid() && later.entry().txn != txn) check_conflict(lane, key, later);
  }
  if (entry.time <= released_until_ && !adopting_) [[unlikely]] {
    lane.was_late = true;
    if (!serial_ && later.valid() && !window_.holds(later.entry().txn) && (later.entry().flags & kConflictTold) == 0) {
      const Entry& e = later.entry();
      check_released_conflict(lane, key, entry, e.writer, e.time, e.order);
    }
    if (key.may_have_dropped(entry.time)) {
      const bool ends = later.valid();
      look_for_released_reads(lane, key, at.entry(), ends ? later.entry().time : kLatest,
                              ends ? later.entry().order : 0);
    }
    if (entry.time <= released_open_) could_not_compare(lane);
  }
  propagate(lane, key, next_of(at), state);
}

// The reads up to the next version see another state now; appends and increments pass it on.
void Online::propagate(Lane& lane, const KeyTimeline& key, Place at, State state) {
  for (; at.valid(); at = next_of(at)) {
    Entry& entry = at.entry();
    if (!entry.is_write()) {
      entry.set_behind(state);
      const bool wrong = !is_right(entry, state);
      if (wrong != entry.is_wrong()) set_wrong(lane, key, entry, wrong);
    } else {
      if (entry.kind == EntryKind::kWrite) return;
      state = behind(state, entry);
      entry.set_behind(state);
    }
  }
}

void Online::set_wrong(Lane& lane, const KeyTimeline& key, Entry& read, bool wrong) {
  read.flags = static_cast<std::uint8_t>(wrong ? read.flags | kWrong : read.flags & ~kWrong);
  if (!window_.holds(read.txn) || arrived_before(read.txn, judged_)) {
    // It was judged, and what is put came too late for that. What was told stays told.
    if (!wrong || adopting_) return;
    lane.was_late = true;
    const Fingerprint value = read.kind == EntryKind::kRead ? Fingerprint{read.value} : keys_.top(read).read;
    lane.broken.push_back(
        {lane.order,
         {lane.txn, keys_.find(key.key), read.txn, read.time, read.writer, value, read.order, AnomalyKind::kGSIb, {}}});
    return;
  }
  lane.changes.push_back({lane.order, key.key, read.txn, wrong, true});
}

// NOCONFLICT: the version before it was committed after its start.
void Online::check_conflict(Lane& lane, const KeyTimeline& key, Place later) {
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
  const std::uint64_t other = before.valid() ? before.entry().writer : key.base_writer;
  lane.findings.push_back(
      {lane.order, Lane::Finding::Kind::kConflict, entry.txn, &key, other, time, kNullValue, State{}});
}

SpilledVersion Online::spilled(const KeyTimeline& key, const Entry& e) {
  return {raw64(key.key), e.time, e.state, e.writer, e.value, e.order, e.state_kind, e.kind, e.flags, 0};
}

// Behind it stand versions that are final. Without a spill it is not known any more what was grown on top of it.
void Online::write_into_the_past(Lane& lane, KeyTimeline& key, Entry entry) {
  if (spill_ == nullptr) {
    if (key.base().rich()) {
      key.base_kind = StateKind::kOpaque;
      if (key.head != nullptr) propagate(lane, key, {key.head, 0}, key.base());
    }
    return could_not_compare(lane);
  }
  if (entry.kind != EntryKind::kWrite) {
    // What its own transaction did to the key before stands at the same place.
    auto before = spill_->last_before(key.key, entry.time, static_cast<std::uint8_t>(entry.order + 1));
    if (before && before->time == entry.time && before->order == entry.order && before->writer != entry.writer)
      before = spill_->last_before(key.key, entry.time, entry.order);
    entry.set_behind(behind(before ? State{before->state, before->state_kind} : initial_of(key.key), entry));
  }
  spill_->add(spilled(key, entry));
  grow_again(lane, key, entry);
  compare_with_spilled(lane, key, entry);
}

// What stands on top of a late write, up to the next overwrite, holds something else now.
void Online::grow_again(Lane& lane, KeyTimeline& key, const Entry& late) {
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
  if (!known && !late.behind().rich() && !key.base().rich()) return could_not_compare(lane);
  if (!known) {
    key.flags |= kCloudyKey | kCloudyRich;
    any_cloudy_rich_ = true;
    state = {0, StateKind::kOpaque};
    could_not_compare(lane);
  }
  if ((key.flags & kForgottenKey) != 0) return;
  key.base_bits = state.bits;
  key.base_kind = state.kind;
  if (key.head != nullptr) propagate(lane, key, {key.head, 0}, state);
}

void Online::folded(const KeyTimeline& key, const Entry& version) {
  if (spill_ == nullptr) return;
  spill_->add(spilled(key, version));
}

}  // namespace isolde::timeline
