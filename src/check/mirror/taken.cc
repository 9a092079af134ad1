#include "check/mirror/taken.h"

#include <algorithm>

#include "check/mirror/core.h"
#include "check/mirror/windows.h"

namespace isolde::mirror {
namespace {

// Reads one Arrival into a Taken.
class Taking {
 public:
  Taking(Core& core, const Arrival& arrival, Taken& txn)
      : core_(core),
        chunk_(*arrival.chunk),
        h_(arrival.history()),
        t_(arrival.txn),
        txn_(txn),
        slots_(core.scratch_slots) {}

  void run() {
    txn_.id = chunk_.id(t_);
    txn_.session = chunk_.session(t_);
    txn_.status = h_.status(t_);
    txn_.counts = txn_.status == Status::kCommitted;
    first_ = h_.first_op(t_);
    end_ = h_.end_op(t_);
    core_.counts.operations += end_ - first_;
    look_up_keys();
    measure_all();
    read_operations();
    install();
  }

 private:
  // All keys at once, so that their cache lines come while others are looked up.
  void look_up_keys() {
    slots_.clear();
    for (std::uint32_t op = first_; op < end_; ++op) {
      const OpHead head = h_.op(op);
      if (!is_predicate(head.kind())) core_.keys.prefetch_index(chunk_.key(head.key()));
    }
    for (std::uint32_t op = first_; op < end_; ++op) {
      const OpHead head = h_.op(op);
      if (!is_predicate(head.kind())) core_.keys.prefetch_found(chunk_.key(head.key()));
    }
    for (std::uint32_t op = first_; op < end_; ++op) {
      const OpHead head = h_.op(op);
      slots_.push_back(is_predicate(head.kind()) ? kNoKeySlot : slot_of(chunk_.key(head.key())));
    }
  }

  KeySlot slot_of(Print key) {
    KeySlot slot = core_.keys.find(key);
    const bool is_new = slot == kNoKeySlot;
    if (is_new) {
      make_room(core_);
      slot = core_.keys.add(key);
      if (slot < core_.columns.of.size()) core_.columns.of[slot] = {};
    }
    KeyState& state = core_.keys[slot];
    if (is_new) {
      if (core_.options.profile.reads == Reads::kDirty || core_.options.profile.reads == Reads::kCertified) {
        core_.written.add(key, core_.default_initial, core_.options.memory_limit / 8);
      }
      state.base = core_.default_initial;
      state.flags = core_.gave_up_keys ? kBaseUnknown : kBaseInitial;
    }
    state.flags |= kRecent;
    state.touched = txn_.number;
    return slot;
  }

  [[nodiscard]] const Window& window(std::uint32_t op) const { return core_.scratch_windows[op - first_]; }

  void measure_all() {
    const TxnWindows of = measure(h_, t_, core_.scratch_windows);
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

  [[nodiscard]] bool takes_snapshot(OpHead head) const {
    if (core_.options.profile.snapshot_at != SnapshotAt::kFirstRead) return true;
    const OpKind kind = head.kind();
    return head.lock() == Lock::kNone && (kind == OpKind::kRead || kind == OpKind::kScan || kind == OpKind::kAggregate);
  }

  // The latest that the first operation can have been sent, for a snapshot that was taken before.
  [[nodiscard]] std::int64_t first_before(std::uint32_t op) const {
    return h_.at(t_, OpId{op}).before == kNoTime ? window(op).hi : window(op).lo;
  }

  void read_operations() {
    txn_.moments.clear();
    txn_.reads.clear();
    txn_.writes.clear();
    txn_.locks.clear();
    txn_.steps.clear();
    txn_.ranges.clear();
    txn_.range_keys.clear();
    if (txn_.has_snapshot()) txn_.moments.push_back({txn_.snapshot_lo, txn_.snapshot_hi, kNoNode, 0});
    for (std::uint32_t op = first_; op < end_; ++op) {
      const OpHead head = h_.op(op);
      const Window at = window(op);
      snapshot_taken_ = snapshot_taken_ || takes_snapshot(head);
      const Print value = chunk_.value(h_.op_value(op));
      switch (head.kind()) {
        case OpKind::kRead:
          read_value(slots_[op - first_], h_.op_value(op), head.lock(), moment_of(head.lock(), at), at, op);
          break;
        case OpKind::kWrite:
          write_value(slots_[op - first_], h_.op_value(op), at, op);
          break;
        case OpKind::kAppend:
        case OpKind::kIncrement:
          step(slots_[op - first_], {value, kNone32, head.kind() == OpKind::kAppend}, at);
          break;
        case OpKind::kScan:
          scan(h_.predicate(head.predicate()), head.lock(), at, op);
          break;
        case OpKind::kUpdate:
          for (const Item& item : h_.items(h_.predicate(head.predicate()))) {
            const KeySlot key = slot_of(chunk_.key(item.key));
            write_value(key, item.value, at, op);
          }
          break;
        case OpKind::kAggregate:
          break;
      }
    }
  }

  void scan(const Predicate& predicate, Lock lock, const Window& at, std::uint32_t op) {
    const std::uint32_t shared = moment_of(lock, at);
    const bool by_snapshot = txn_.has_snapshot() && shared == 0;
    const Profile& profile = core_.options.profile;
    const bool alone =
        !by_snapshot && (profile.reads == Reads::kCommitted || profile.snapshot_gathered || lock != Lock::kNone);
    const auto first = static_cast<std::uint32_t>(txn_.range_keys.size());
    for (const Item& item : h_.items(predicate)) {
      const KeySlot key = slot_of(chunk_.key(item.key));
      txn_.range_keys.push_back(key);
      read_value(key, item.value, lock, alone ? moment_of(lock, at) : shared, at, op);
    }
    std::int64_t low = 0, high = 0;
    if (!whole_key_range(h_.values().string(predicate.where), low, high)) {
      txn_.range_keys.resize(first);
      return;
    }
    const auto found = static_cast<std::uint32_t>(txn_.range_keys.size());
    for (std::size_t i = 0; i < txn_.writes.size(); ++i) {
      const TakenWrite write = txn_.writes[i];
      const KeyState& state = core_.keys[write.key];
      if (state.own != txn_.number || state.own_at != i || !is_integer(state.key)) continue;
      if (integer_of(state.key) < low || integer_of(state.key) > high) continue;
      const auto begin = txn_.range_keys.begin() + first;
      if (std::find(begin, txn_.range_keys.begin() + found, write.key) != txn_.range_keys.begin() + found) continue;
      read(write.key, kNullPrint, lock, shared, at, op, kNullValue);
      txn_.range_keys.push_back(write.key);
    }
    txn_.ranges.push_back(
        {low, high, shared, first, static_cast<std::uint32_t>(txn_.range_keys.size()) - first, alone ? 1U : 0U});
  }

  // The moment at which a statement reads.
  std::uint32_t moment_of(Lock lock, const Window& at) {
    const Profile& profile = core_.options.profile;
    const bool latest = (lock != Lock::kNone || profile.read_locks) && profile.locking_reads_see_latest;
    const bool by_snapshot = profile.reads == Reads::kTransaction && !latest && snapshot_taken_;
    if (by_snapshot && !profile.snapshot_gathered) return 0;
    const Window taken = by_snapshot ? Window{txn_.snapshot_lo, txn_.snapshot_hi} : at;
    txn_.moments.push_back({taken.lo, taken.hi, kNoNode, 0});
    return static_cast<std::uint32_t>(txn_.moments.size() - 1);
  }

  void read_value(KeySlot key, ValueId value, Lock lock, std::uint32_t moment, const Window& at, std::uint32_t op) {
    if (core_.columns.on && is_row(h_, value)) return read_row(key, value, lock, moment, at, op);
    read(key, chunk_.value(value), lock, moment, at, op, value);
  }

  void write_value(KeySlot key, ValueId value, const Window& at, std::uint32_t op) {
    const Print print = chunk_.value(value);
    if (core_.columns.on && is_row(h_, value)) return write_row(key, value, at, op);
    if (core_.columns.on && txn_.status != Status::kAborted) replace_row(key, print);
    write(key, print, at, print == kNullPrint ? kDelete : VersionFlag{}, op);
  }

  // Columns of a row (columns.h).
  void read_row(KeySlot row, ValueId value, Lock lock, std::uint32_t moment, const Window& at, std::uint32_t op) {
    const Profile& profile = core_.options.profile;
    if (wrote(row) && own(row).value != kPresentPrint) {
      if ((own(row).flags & kStepwise) != 0) return leave_out();
      if ((own(row).flags & kDelete) == 0) return own_read_differs(row, kPresentPrint, own(row).value, op);
      write_was_idle(row, core_.keys[row]);
    }
    const bool own_row = wrote(row);
    const bool first = txn_.moments[moment].rows == 0;
    // Its own write may have made the latest state visible, or have changed nothing.
    const bool takes_latest = (lock != Lock::kNone || profile.read_locks) && profile.locking_reads_see_latest;
    const bool by_snapshot = profile.reads == Reads::kTransaction && !takes_latest;
    const bool same = by_snapshot ? profile.first_updater_wins && !profile.locking_reads_see_latest
                                  : profile.write_locks || profile.reads == Reads::kCertified;
    const bool unclear = own_row && !same;
    if (!own_row && profile.reads != Reads::kDirty && profile.reads != Reads::kCertified) {
      txn_.reads.push_back({kPresentPrint, kNullPrint, row, moment, kPresence, kNoTxnSlot});
    }
    const bool doubted = in_doubt(row);
    for (const RowField& field : h_.values().row(value)) {
      const KeySlot column = touch_column(row, field, doubted);
      const Print seen = chunk_.value(field.value);
      if (core_.keys[column].has(kLossy)) {
        leave_out();
      } else if (wrote(column)) {
        if (own(column).value == seen) continue;
        if (same_value_is_idle()) {
          leave_out();
        } else {
          own_read_differs(column, seen, own(column).value, op);
        }
      } else if (unclear) {
        leave_out();
      } else {
        txn_.reads.push_back({seen, kNullPrint, column, moment, lock == Lock::kNone ? 0U : kLockingRead, kNoTxnSlot});
        ++txn_.moments[moment].rows;
      }
    }
    if (own_row) return;  // and its lock
    if ((lock != Lock::kNone && profile.write_locks) || (lock == Lock::kNone && profile.read_locks)) {
      const bool latest = profile.reads != Reads::kTransaction || profile.locking_reads_see_latest;
      txn_.locks.push_back({at.hi, row, lock == Lock::kUpdate ? 1U : 0U, latest && first ? moment : kNone32});
    }
  }

  void write_row(KeySlot row, ValueId value, const Window& at, std::uint32_t op) {
    write(row, kPresentPrint, at, 0, op);
    const bool doubted = in_doubt(row);
    for (const RowField& field : h_.values().row(value)) {
      write(touch_column(row, field, doubted), chunk_.value(field.value), at, 0, op);
    }
  }

  // A delete, or something that is no row, is written: if a row was there, its columns are gone.
  void replace_row(KeySlot row, Print value) {
    bool was_row = value == kNullPrint || core_.keys[row].base == kPresentPrint || wrote(row);
    for (const Version& v : core_.keys.versions(row)) was_row = was_row || v.value == kPresentPrint;
    if (was_row) doubt_columns(core_, row);
    if (txn_.late || txn_.begin < core_.horizon) {
      core_.columns.doubt_until = std::max(core_.columns.doubt_until, txn_.commit_hi);
    }
  }

  [[nodiscard]] bool in_doubt(KeySlot row) {
    if (txn_.begin <= core_.columns.doubt_until || row_in_doubt(core_, row)) return true;
    if (!wrote(row)) return false;
    return std::any_of(txn_.writes.begin(), txn_.writes.end(),
                       [&](const TakenWrite& w) { return w.key == row && w.value != kPresentPrint; });
  }

  KeySlot touch_column(KeySlot row, const RowField& field, bool doubted) {
    const KeySlot column = column_slot(core_, row, chunk_.value(field.name));
    KeyState& state = core_.keys[column];
    state.flags |= kRecent;
    if (doubted) state.flags |= kLossy;
    state.touched = txn_.number;
    return column;
  }

  void leave_out() { ++core_.counts.unchecked; }
  [[nodiscard]] bool wrote(KeySlot key) const { return core_.keys[key].own == txn_.number; }
  [[nodiscard]] const TakenWrite& own(KeySlot key) const { return txn_.writes[core_.keys[key].own_at]; }

  void read(KeySlot key, Print value, Lock lock, std::uint32_t moment, const Window& at, std::uint32_t op,
            ValueId read_value) {
    KeyState& state = core_.keys[key];
    if (state.own == txn_.number) {
      const TakenWrite& own = txn_.writes[state.own_at];
      if (own.value == kPresentPrint && core_.columns.on && same_value_is_idle() && (own.flags & kStepwise) == 0) {
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
    txn_.reads.push_back({value, kNullPrint, key, moment, lock == Lock::kNone ? 0U : kLockingRead, kNoTxnSlot});
    ++txn_.moments[moment].rows;
    const Profile& profile = core_.options.profile;
    if (value == kNullPrint) return;  // no row, no lock
    if ((lock != Lock::kNone && profile.write_locks) || (lock == Lock::kNone && profile.read_locks)) {
      const bool latest = profile.reads != Reads::kTransaction || profile.locking_reads_see_latest;
      const bool own_moment = latest && txn_.moments[moment].rows == 1;
      txn_.locks.push_back({at.hi, key, lock == Lock::kUpdate ? 1U : 0U, own_moment ? moment : kNone32});
    }
  }

  // What was there before its own appends and increments, by what it read after them.
  void read_after_steps(KeySlot key, const TakenWrite& own, Print value, ValueId read_value, std::uint32_t moment,
                        std::uint32_t op) {
    const Profile& profile = core_.options.profile;
    if (profile.reads == Reads::kDirty || profile.reads == Reads::kCertified) return;
    std::vector<Print> elements;
    std::int64_t number = is_integer(value) ? integer_of(value) : 0;
    bool fits = true;
    std::size_t appends = 0;
    for (std::uint32_t i = own.first_step; i != kNone32; i = txn_.steps[i].next) {
      const TakenStep& s = txn_.steps[i];
      if (s.appends) {
        ++appends;
        elements.push_back(s.value);
      } else if (is_integer(value) && is_integer(s.value)) {
        number -= integer_of(s.value);
      } else {
        fits = false;
      }
    }
    Print before = kNullPrint;
    if (appends > 0) {
      const auto list = h_.values().elements(read_value);
      fits = fits && list && list->size() >= appends;
      for (std::size_t i = 0; fits && i < list->size(); ++i) {
        const Print element = print_of(h_.values(), (*list)[i]);
        if (i + appends < list->size()) {
          before = appended(before, element);
        } else if (element != elements[i + appends - list->size()]) {
          fits = false;
        }
      }
    } else if (fits && is_integer(value)) {
      const auto print = exact_print(number);
      if (!print) return;
      before = *print;
    } else {
      fits = false;
    }
    if (!fits) return own_read_differs(key, value, value, op);
    // A counter that was absent counts as zero: which of the two it was is not told.
    if (appends == 0 && number == 0) return;
    const bool by_snapshot = moment == 0 && profile.first_updater_wins && profile.reads == Reads::kTransaction &&
                             !profile.locking_reads_see_latest;
    if (!by_snapshot && !profile.write_locks) return;
    if (!by_snapshot) {
      txn_.moments.push_back({own.lock_lo, own.lock_hi, kNoNode, 0});
      moment = static_cast<std::uint32_t>(txn_.moments.size() - 1);
      txn_.writes[core_.keys[key].own_at].lock_moment = moment;
    }
    txn_.reads.push_back({before, kNullPrint, key, moment, by_snapshot ? 0U : kNoDependency, kNoTxnSlot});
    ++txn_.moments[moment].rows;
  }

  void step(KeySlot key, const TakenStep& step, const Window& at) {
    KeyState& state = core_.keys[key];
    if (state.own == txn_.number && (txn_.writes[state.own_at].flags & kStepwise) == 0) {
      const auto after = after_step(txn_.writes[state.own_at].value, step);
      if (after && (txn_.writes[state.own_at].flags & kDelete) == 0) return write(key, *after, at, 0, 0);
      txn_.writes[state.own_at].flags |= kStepwise | kStateUnsure;
      return;
    }
    const auto place = static_cast<std::uint32_t>(txn_.steps.size());
    txn_.steps.push_back(step);
    if (state.own == txn_.number) {
      TakenWrite& own = txn_.writes[state.own_at];
      if (own.last_step != kNone32) txn_.steps[own.last_step].next = place;
      own.last_step = place;
      return;
    }
    write(key, step.value, at, kStepwise, 0);
    txn_.writes.back().first_step = txn_.writes.back().last_step = place;
  }

  // A write that changed nothing was a read of what stood there, at its moment.
  void write_was_idle(KeySlot key, KeyState& state) {
    TakenWrite& own = txn_.writes[state.own_at];
    own.flags = kOverwritten;
    state.own = 0;
    const Profile& profile = core_.options.profile;
    if (profile.write_locks && own.value != kNullPrint) txn_.locks.push_back({own.lock_hi, key, 1, kNone32});
    if (profile.reads == Reads::kDirty || profile.reads == Reads::kCertified) return;
    std::uint32_t moment = 0;
    if (profile.snapshot_at == SnapshotAt::kFirstRead || profile.reads != Reads::kTransaction ||
        !profile.first_updater_wins) {
      txn_.moments.push_back({txn_.begin, own.lock_hi, kNoNode, 0});
      moment = static_cast<std::uint32_t>(txn_.moments.size() - 1);
    }
    txn_.reads.push_back({own.value, kNullPrint, key, moment, kNoDependency, kNoTxnSlot});
    ++txn_.moments[moment].rows;
  }
  // InnoDB at REPEATABLE READ: a write of the value that stands there already leaves the row to the snapshot.
  [[nodiscard]] bool same_value_is_idle() const {
    const Profile& profile = core_.options.profile;
    return profile.reads == Reads::kTransaction && profile.locking_reads_see_latest && !profile.first_updater_wins;
  }

  void own_read_differs(KeySlot key, Print read, Print own, std::uint32_t) {
    if (txn_.status != Status::kCommitted) return;
    Found found{.kind = AnomalyKind::kInternal, .rule = "consistent read", .txns = {txn_.id}, .text = {}};
    found.key = core_.keys[key].key;
    found.about_read = found.expects = true;
    found.read = read;
    found.expected = own;
    found.time = txn_.end;
    found.text = "it had itself written the expected value before";
    txn_.source.unsure = true;
    tell(core_, std::move(found));
  }

  void write(KeySlot key, Print value, const Window& at, std::uint32_t flags, std::uint32_t) {
    KeyState& state = core_.keys[key];
    if (state.own == txn_.number) {
      TakenWrite& own = txn_.writes[state.own_at];
      const TakenWrite earlier = own;
      if ((earlier.flags & kDelete) != 0) own.lock_hi = at.hi;  // that may have found nothing to lock
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

  void install() {
    const Profile& profile = core_.options.profile;
    txn_.late = txn_.late || txn_.begin < core_.horizon;
    if (txn_.writes.empty()) return;
    std::uint32_t fate = kInstalled;
    if (txn_.status == Status::kAborted) {
      fate = kAbortedWrite;
    } else {
      txn_.commit = core_.moments.add(txn_.commit_lo, txn_.commit_hi, txn_slot(), true);
      if (txn_.status == Status::kUnknown) fate = kMaybe;
    }
    const bool remembers = profile.reads == Reads::kDirty || profile.reads == Reads::kCertified;
    for (TakenWrite& write : txn_.writes) {
      const bool column = core_.columns.is_column(write.key);
      if (column && txn_.late) core_.keys[write.key].flags |= kLossy;
      if ((write.flags & kOverwritten) == 0) {
        write.flags |= fate;
        // Without an interval it is not certain that the lock was held.
        const bool held = write.lock_hi <= txn_.commit_lo;
        if (profile.write_locks && (write.flags & kDelete) == 0 && held) {
          write.flags |= kHoldsLock;
        }
        if (profile.first_updater_wins && txn_.has_snapshot() && txn_.snapshot_hi <= txn_.commit_lo &&
            fate == kInstalled && (write.flags & kDelete) == 0) {
          write.flags |= kUpdateWins;
        }
      }
      if (remembers && (fate != kAbortedWrite || profile.reads == Reads::kDirty) &&
          ((write.flags & kOverwritten) == 0 || profile.reads == Reads::kDirty)) {
        core_.written.add(core_.keys[write.key].key, write.value, core_.options.memory_limit / 8);
      }
      Version version{};
      version.value = write.value;
      version.lo = txn_.commit_lo;
      version.hi = txn_.commit_hi;
      version.lock_hi = (write.flags & kDelete) == 0 ? write.lock_hi : txn_.begin;
      version.txn = txn_.id;
      version.node = txn_.commit;
      version.generation = txn_.commit == kNoNode ? 0 : core_.moments[txn_.commit].generation;
      version.flags = write.flags;
      if (column) write.flags &= ~(kHoldsLock | kUpdateWins);  // the row answers for these
      version.slot = txn_slot();
      KeyState& state = core_.keys[write.key];
      if (version.value == kNullPrint && profile.first_updater_wins && fate != kAbortedWrite) {
        // An insert over a dead row looks at no snapshot: writers on both sides of a delete are not ordered by it.
        for (Version& v : core_.keys.versions(write.key)) v.flags &= ~kUpdateWins;
        version.flags &= ~kUpdateWins;
        write.flags &= ~kUpdateWins;
      } else if (version.has(kUpdateWins)) {
        for (const Version& v : core_.keys.versions(write.key)) {
          if (v.value == kNullPrint && v.has(kInstalled | kMaybe)) version.flags &= ~kUpdateWins;
        }
      }
      if (txn_.late && version.lo <= state.base_hi && fate != kAbortedWrite) {  // which of the two is older?
        state.flags |= kBaseUnknown | kDropped;
        continue;
      }
      if ((write.flags & kDelete) != 0) state.flags |= kHasDeletes;
      if (fate == kMaybe) state.flags |= kOpen;
      if ((write.flags & kStepwise) != 0 && write.first_step != kNone32 && write.first_step == write.last_step) {
        version.flags |= kOneStep;
        if (txn_.steps[write.first_step].appends) version.flags |= kAppends;
      }
      // Without a lock or first updater wins nothing says what an append was made to.
      const bool blind =
          profile.reads == Reads::kDirty || profile.reads == Reads::kCertified ||
          (!profile.write_locks && (!profile.first_updater_wins || profile.snapshot_at == SnapshotAt::kFirstRead));
      if (core_.keys.insert(write.key, version) == nullptr || ((write.flags & kStepwise) != 0 && blind)) {
        state.flags |= kLossy;
      }
    }
  }

  [[nodiscard]] TxnSlot txn_slot() const { return static_cast<TxnSlot>(&txn_ - core_.txns.data()); }

  Core& core_;
  const Chunk& chunk_;
  const History& h_;
  const TxnId t_;
  Taken& txn_;
  std::uint32_t first_ = 0, end_ = 0;
  bool snapshot_taken_ = false;
  std::vector<KeySlot>& slots_;
};

}  // namespace

std::optional<Print> after_step(Print state, const TakenStep& step) {
  if (step.appends) {
    const bool list = state == kNullPrint || (raw64(state) & 3) == 3;
    return list ? std::optional<Print>(appended(state, step.value)) : std::nullopt;
  }
  if (!is_integer(step.value) || (state != kNullPrint && !is_integer(state))) return std::nullopt;
  return exact_print((state == kNullPrint ? 0 : integer_of(state)) + integer_of(step.value));
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
  txn.source = {arrival.chunk, nullptr, arrival.txn, txn.number, arrival.chunk->id(arrival.txn), false};
  Taking(core, arrival, txn).run();
  return slot;
}

}  // namespace isolde::mirror
