#include "check/mirror/taken.h"

#include <algorithm>

#include "check/mirror/arrival_reader.h"

namespace isolde::mirror {
namespace {

// Whether a query returned the row of `item` a second time, with something else in it.
bool returned_twice(std::span<const Item> items, const Item& item) {
  return std::any_of(items.begin(), items.end(),
                     [&](const Item& other) { return other.key == item.key && other.value != item.value; });
}

}  // namespace

void ArrivalReader::run() {
  txn_.id = chunk_.id(t_);
  txn_.session = chunk_.session(t_);
  txn_.status = h_.status(t_);
  txn_.counts = txn_.status == Status::kCommitted;
  first_ = h_.first_op(t_);
  end_ = h_.end_op(t_);
  core_.counts.operations += end_ - first_;
  look_up_keys();
  measure_all();
  txn_.settled = when_settled();
  if (core_.looks.on || !core_.looks.header.empty()) note_values(core_, chunk_, t_);
  read_operations();
  const Certifier certifier = core_.options.profile.certifier;
  const bool asks = certifier == Certifier::kConflictCheck || certifier == Certifier::kSsi;
  txn_.wrote_elsewhere = asks && !core_.share.is_all() && writes_elsewhere();
  install();
  if (core_.looks.on) tidy_values(core_);
}

std::int64_t ArrivalReader::when_settled() const {
  if (txn_.status != Status::kUnknown) return txn_.end;
  std::int64_t settled = txn_.commit_lo;
  for (std::uint32_t op = first_; op < end_; ++op) {
    if (const std::int64_t answered = window(op).hi; answered != kNever) settled = std::max(settled, answered);
  }
  return settled;
}

bool ArrivalReader::writes_elsewhere() const {
  if (txn_.status != Status::kCommitted) return false;
  for (std::uint32_t op = end_; op-- > first_;) {
    const OpHead head = h_.op(op);
    if (head.kind() != OpKind::kWrite || h_.op_value(op) == kNullValue || mine(head.key())) continue;
    bool last = true;
    for (std::uint32_t later = op + 1; later < end_; ++later) {
      const OpHead other = h_.op(later);
      last = last && !is_predicate(other.kind()) && other.key() != head.key();
    }
    if (last) return true;
  }
  return false;
}

// All keys at once: their cache lines are on their way (look_ahead, look_nearer), and those of their versions come
// while others are looked up.
void ArrivalReader::look_up_keys() {
  slots_.clear();
  if (core_.ready != nullptr) return take_slots();
  for (std::uint32_t op = first_; op < end_; ++op) {
    const OpHead head = h_.op(op);
    const bool used = !is_predicate(head.kind()) && mine(head.key());
    slots_.push_back(used ? slot_of(chunk_.key(head.key())) : kNoKeySlot);
    if (used) core_.keys.prefetch_versions(slots_.back());
  }
}

// The same where they were looked up before.
void ArrivalReader::take_slots() {
  const KeySlot* next = core_.ready->slots;
  for (std::uint32_t op = first_; op < end_; ++op, ++next) {
    KeySlot slot = *next;
    if (slot != kNoKeySlot) {
      if ((slot & kFreshKey) != 0) {
        slot &= ~kFreshKey;
        core_.keys.begin(slot, chunk_.key(h_.op(op).key()));
        begin_key(slot);
      }
      KeyState& state = core_.keys[slot];
      state.flags |= kRecent;
      state.touched = txn_.number;
    }
    slots_.push_back(slot);
  }
}

KeySlot ArrivalReader::slot_of(Fingerprint key) {
  KeySlot slot = core_.keys.find(key);
  if (slot == kNoKeySlot) {
    make_room(core_);
    slot = core_.keys.add(key);
    begin_key(slot);
  }
  KeyState& state = core_.keys[slot];
  state.flags |= kRecent;
  state.touched = txn_.number;
  return slot;
}

void ArrivalReader::begin_key(KeySlot slot) {
  if (slot < core_.columns.of.size()) core_.columns.of[slot] = {};
  KeyState& state = core_.keys[slot];
  if (core_.options.profile.reads == Reads::kDirty || core_.options.profile.reads == Reads::kCertified) {
    core_.written.add(state.key, core_.default_initial, core_.options.memory_limit / 8);
  }
  state.base = core_.default_initial;
  state.flags = core_.gave_up_keys ? kBaseUnknown : kBaseInitial;
}

void ArrivalReader::measure_all() {
  TxnWindows of{};
  if (core_.ready != nullptr) {
    of = core_.ready->of;
    core_.scratch_windows.assign(core_.ready->windows, core_.ready->windows + (end_ - first_));
  } else {
    of = measure(h_, t_, core_.scratch_windows);
  }
  txn_.begin = of.begin;
  txn_.end = of.end;
  txn_.commit_lo = of.commit_lo;
  txn_.commit_hi = of.commit_hi;
  txn_.snapshot_lo = txn_.begin;
  txn_.snapshot_hi = kAlways;
  const Profile& profile = core_.options.profile;
  if (profile.reads != Reads::kTransaction && !profile.first_updater_wins) return;
  for (std::uint32_t op = first_; op < end_; ++op) {
    const OpHead head = h_.op(op);
    if (!takes_snapshot(head)) continue;
    const Window at = window(op);
    txn_.snapshot_hi = profile.snapshot_at == SnapshotAt::kBegin ? first_before(op) : at.hi;
    break;
  }
  if (profile.snapshot_at == SnapshotAt::kBegin && first_ == end_) txn_.snapshot_hi = txn_.end;
}

bool ArrivalReader::takes_snapshot(OpHead head) const {
  if (core_.options.profile.snapshot_at != SnapshotAt::kFirstRead) return true;
  const OpKind kind = head.kind();
  return head.lock() == Lock::kNone && (kind == OpKind::kRead || kind == OpKind::kScan || kind == OpKind::kAggregate);
}

void ArrivalReader::read_operations() {
  txn_.moments.clear();
  txn_.reads.clear();
  txn_.writes.clear();
  txn_.locks.clear();
  txn_.steps.clear();
  txn_.ranges.clear();
  txn_.range_keys.clear();
  txn_.looks.clear();
  txn_.look_rows.clear();
  txn_.look_readers.clear();
  // Its snapshot may have come with its commit.
  txn_.left_open = txn_.has_snapshot() && txn_.snapshot_hi > txn_.commit_lo;
  const Profile& profile = core_.options.profile;
  const bool by_statement = profile.reads == Reads::kStatement || profile.reads == Reads::kCommitted ||
                            (profile.reads == Reads::kTransaction && profile.locking_reads_see_latest);
  if (txn_.has_snapshot()) txn_.moments.push_back({txn_.snapshot_lo, txn_.snapshot_hi, kNoNode, 0, kSnapshotMoment});
  for (std::uint32_t op = first_; op < end_; ++op) {
    const OpHead head = h_.op(op);
    const Window at = window(op);
    snapshot_taken_ = snapshot_taken_ || takes_snapshot(head);
    // Two statements at one reading of the clock: no rule knows which of their moments was first.
    if (by_statement && op > first_ && at.lo <= window(op - 1).hi) txn_.left_open = true;
    const bool latest = head.lock() != Lock::kNone || head.kind() == OpKind::kUpdate;
    if (by_statement && latest && txn_.has_snapshot() && at.lo <= txn_.snapshot_hi) txn_.left_open = true;
    if (!is_predicate(head.kind()) && slots_[op - first_] == kNoKeySlot) continue;  // another partition's
    const Fingerprint value = chunk_.value(h_.op_value(op));
    switch (head.kind()) {
      case OpKind::kRead:
        read_value(slots_[op - first_], h_.op_value(op), head.lock(), moment_of(head.lock(), at, op - first_), at, op);
        break;
      case OpKind::kWrite:
        write_value(slots_[op - first_], h_.op_value(op), at, op);
        break;
      case OpKind::kAppend:
      case OpKind::kIncrement:
        step(slots_[op - first_], {value, kNone32, head.kind() == OpKind::kAppend}, at);
        break;
      case OpKind::kScan: {
        const std::uint32_t moment = scan(h_.predicate(head.predicate()), head.lock(), at, op);
        if (core_.share.is_all()) look(head, at, op, moment);
      } break;
      case OpKind::kUpdate:
        if (core_.share.is_all()) look(head, at, op, moment_of(Lock::kUpdate, at, op - first_));
        for (const Item& item : h_.items(h_.predicate(head.predicate()))) {
          if (!mine(item.key)) continue;
          const KeySlot key = slot_of(chunk_.key(item.key));
          write_value(key, item.value, at, op);
          // It found the row that it deletes.
          if (wrote(key) && !core_.columns.on) txn_.writes[core_.keys[key].own_at].flags &= ~kDelete;
        }
        break;
      case OpKind::kAggregate:
        if (core_.share.is_all()) look(head, at, op, moment_of(head.lock(), at, op - first_));
        break;
    }
  }
}

std::uint32_t ArrivalReader::scan(const Predicate& predicate, Lock lock, const Window& at, std::uint32_t op) {
  const std::uint32_t shared = moment_of(lock, at, op - first_);
  const bool by_snapshot = txn_.has_snapshot() && shared == 0;
  const Profile& profile = core_.options.profile;
  const bool alone =
      !by_snapshot && (profile.reads == Reads::kCommitted || profile.snapshot_gathered || lock != Lock::kNone);
  const auto first = static_cast<std::uint32_t>(txn_.range_keys.size());
  for (const Item& item : h_.items(predicate)) {
    if (!mine(item.key)) {
      if (!alone) ++txn_.moments[shared].rows;
      continue;
    }
    const KeySlot key = slot_of(chunk_.key(item.key));
    txn_.range_keys.push_back(key);
    // Its own write may have changed nothing (write_was_idle()), but then the query returns one version all the same.
    const bool set = wrote(key) && !core_.columns.on && (own(key).flags & (kStepwise | kDelete)) == 0;
    if (set && returned_twice(h_.items(predicate), item)) {
      const Fingerprint value = chunk_.value(item.value);
      if (value != own(key).value) own_read_differs(key, value, own(key).value, op);
      continue;
    }
    read_value(key, item.value, lock, alone ? moment_of(lock, at, kUnnamedMoment) : shared, at, op);
  }
  std::int64_t low = 0, high = 0;
  if (!whole_key_range(h_.values().string(predicate.where), low, high)) {
    txn_.range_keys.resize(first);
    return shared;
  }
  const auto found = static_cast<std::uint32_t>(txn_.range_keys.size());
  for (std::size_t i = 0; i < txn_.writes.size(); ++i) {
    const TakenWrite write = txn_.writes[i];
    const KeyState& state = core_.keys[write.key];
    if (state.own != txn_.number || state.own_at != i || !is_integer(state.key)) continue;
    if (integer_of(state.key) < low || integer_of(state.key) > high) continue;
    const auto begin = txn_.range_keys.begin() + first;
    if (std::find(begin, txn_.range_keys.begin() + found, write.key) != txn_.range_keys.begin() + found) continue;
    read(write.key, kNullFingerprint, lock, shared, at, op, kNullValue);
    txn_.range_keys.push_back(write.key);
  }
  txn_.ranges.push_back(
      {low, high, shared, first, static_cast<std::uint32_t>(txn_.range_keys.size()) - first, alone ? 1U : 0U});
  return shared;
}

// The moment at which a statement reads.
std::uint32_t ArrivalReader::moment_of(Lock lock, const Window& at, std::uint32_t name) {
  const Profile& profile = core_.options.profile;
  const bool latest = (lock != Lock::kNone || profile.read_locks) && profile.locking_reads_see_latest;
  const bool by_snapshot = profile.reads == Reads::kTransaction && !latest && snapshot_taken_;
  if (by_snapshot && !profile.snapshot_gathered) return 0;
  const Window taken = by_snapshot                ? Window{txn_.snapshot_lo, txn_.snapshot_hi}
                       : profile.rows_since_begin ? Window{txn_.begin, at.hi}
                                                  : at;
  txn_.moments.push_back({taken.lo, taken.hi, kNoNode, 0, name});
  return static_cast<std::uint32_t>(txn_.moments.size() - 1);
}

void ArrivalReader::read_value(KeySlot key, ValueId value, Lock lock, std::uint32_t moment, const Window& at,
                               std::uint32_t op) {
  if (core_.columns.on && is_row(h_, value)) return read_row(key, value, lock, moment, at, op);
  read(key, chunk_.value(value), lock, moment, at, op, value);
}

void ArrivalReader::write_value(KeySlot key, ValueId value, const Window& at, std::uint32_t op) {
  const Fingerprint fingerprint = chunk_.value(value);
  if (core_.columns.on && is_row(h_, value)) return write_row(key, value, at, op);
  if (core_.columns.on && txn_.status != Status::kAborted) replace_row(key, fingerprint);
  write(key, fingerprint, at, fingerprint == kNullFingerprint ? kDelete : VersionFlag{}, op);
}

void ArrivalReader::read(KeySlot key, Fingerprint value, Lock lock, std::uint32_t moment, const Window& at,
                         std::uint32_t op, ValueId read_value) {
  KeyState& state = core_.keys[key];
  if (state.own == txn_.number) {
    const TakenWrite& own = txn_.writes[state.own_at];
    if (own.value == kPresentFingerprint && core_.columns.on && same_value_is_idle() && (own.flags & kStepwise) == 0) {
      return leave_out();
    }
    if ((own.flags & kStepwise) != 0) return read_after_steps(key, own, value, read_value, moment, op);
    if (own.value == value) return;
    const bool once = state.own_at + 1 == txn_.writes.size() || txn_.writes.back().key != key;
    if ((own.flags & kDelete) == 0 && !(same_value_is_idle() && once)) {
      return own_read_differs(key, value, own.value, op);
    }
    write_was_idle(key, state);
  }
  txn_.reads.push_back({value, kNullFingerprint, key, moment, lock == Lock::kNone ? 0U : kLockingRead, kNoTxnSlot});
  ++txn_.moments[moment].rows;
  const Profile& profile = core_.options.profile;
  if (value == kNullFingerprint) return;  // no row, no lock
  if ((lock != Lock::kNone && profile.write_locks) || (lock == Lock::kNone && profile.read_locks)) {
    const bool latest = profile.reads != Reads::kTransaction || profile.locking_reads_see_latest;
    const bool own_moment = latest && txn_.moments[moment].rows == 1;
    txn_.locks.push_back({at.hi, key, lock == Lock::kUpdate ? 1U : 0U, own_moment ? moment : kNone32});
  }
}

void ArrivalReader::write(KeySlot key, Fingerprint value, const Window& at, std::uint32_t flags, std::uint32_t) {
  KeyState& state = core_.keys[key];
  if (state.own == txn_.number) {
    TakenWrite& own = txn_.writes[state.own_at];
    const TakenWrite earlier = own;
    if ((earlier.flags & kDelete) != 0) {  // that may have found nothing to lock
      own.lock_hi = at.hi;
      if (core_.options.profile.write_locks) state.flags |= kOpen;
    }
    own.value = value;
    own.flags = (earlier.flags & kDelete) == 0 ? 0 : flags;  // what it wrote itself it certainly deletes
    if ((earlier.flags & kStepwise) != 0) {                  // what it was in between nobody knows
      own.flags = flags;
      return;
    }
    if (earlier.value == value) return;
    txn_.writes.push_back(earlier);
    txn_.writes.back().flags = kOverwritten;
    return;
  }
  state.own = txn_.number;
  state.own_at = static_cast<std::uint32_t>(txn_.writes.size());
  txn_.writes.push_back({value, at.lo, at.hi, key, flags, kNone32, kNone32, kNone32});
}

std::optional<Fingerprint> after_step(Fingerprint state, const TakenStep& step) {
  if (step.appends) {
    const bool list = state == kNullFingerprint || (raw64(state) & 3) == 3;
    return list ? std::optional<Fingerprint>(appended(state, step.value)) : std::nullopt;
  }
  if (!is_integer(step.value) || (state != kNullFingerprint && !is_integer(state))) return std::nullopt;
  return exact_fingerprint((state == kNullFingerprint ? 0 : integer_of(state)) + integer_of(step.value));
}

TxnSlot take_in(Core& core, const Arrival& arrival) {
  TxnSlot slot;
  if (core.free_txns.empty()) {
    slot = static_cast<TxnSlot>(core.txns.size());
    core.txns.emplace_back();
  } else {
    slot = core.free_txns.back();
    core.free_txns.pop_back();
  }
  Taken& txn = core.txns[slot];
  txn.number = core.next_number++;
  if (core.next_number == 0) core.next_number = 1;  // 0 is nobody's
  txn.live = true;
  txn.judged = false;
  txn.late = arrival.late;
  txn.commit = txn.stamp = kNoNode;
  txn.place = DependencyOrder::kNone;
  txn.rw_out.clear();
  txn.rw_in.clear();
  txn.lost_edge = false;
  txn.guest = txn.wrote_elsewhere = false;
  txn.named_in = 0;
  txn.source = {arrival.chunk, nullptr, arrival.txn, txn.number, arrival.chunk->id(arrival.txn), false, core.share};
  ArrivalReader(core, arrival, txn).run();
  return slot;
}

}  // namespace isolde::mirror
