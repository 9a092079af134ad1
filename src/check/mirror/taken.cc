#include "check/mirror/taken.h"

#include <algorithm>

#include "check/mirror/core.h"

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
    measure();
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
    }
    KeyState& state = core_.keys[slot];
    if (is_new) {
      state.base = core_.default_initial;
      state.flags = core_.gave_up_keys ? kBaseUnknown : kBaseInitial;
    }
    state.flags |= kRecent;
    state.touched = txn_.number;
    return slot;
  }

  using Window = Core::Window;
  [[nodiscard]] const Window& window(std::uint32_t op) const { return core_.scratch_windows[op - first_]; }

  // An operation whose interval was not recorded lies between its neighbours.
  void measure() {
    const std::int64_t begin = h_.begin(t_);
    const std::int64_t end = h_.end(t_);
    auto& windows = core_.scratch_windows;
    windows.clear();
    txn_.begin = begin == kNoTime ? kAlways : begin;
    std::int64_t last = txn_.begin;  // answered so far
    std::int64_t last_before = txn_.begin;
    bool all = true;
    for (std::uint32_t op = first_; op < end_; ++op) {
      const History::Interval at = h_.at(t_, OpId{op});
      if (at.before == kNoTime || at.after == kNoTime) {
        windows.push_back({last, kNever});
        all = false;
        continue;
      }
      windows.push_back({std::min(at.before, at.after), std::max(at.before, at.after)});
      txn_.begin = std::min(txn_.begin, windows.back().lo);
      last = std::max(last, windows.back().hi);
      last_before = std::max(last_before, windows.back().lo);
    }
    txn_.end = end == kNoTime ? kNever : std::max(end, last);
    if (!all) {
      std::int64_t next = txn_.status == Status::kUnknown ? kNever : txn_.end;
      for (std::size_t i = windows.size(); i-- > 0;) {
        if (windows[i].hi == kNever) {
          windows[i].hi = std::max(next, windows[i].lo);
        } else {
          next = std::min(next, windows[i].lo);
        }
      }
    }
    // An aborted transaction's last statement may be the one that failed and let its locks go.
    txn_.commit_lo = txn_.status == Status::kAborted ? last_before : last;
    txn_.commit_hi = txn_.status == Status::kUnknown ? kNever : txn_.end;
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
    if (txn_.has_snapshot()) txn_.moments.push_back({txn_.snapshot_lo, txn_.snapshot_hi, kNoNode, 0});
    for (std::uint32_t op = first_; op < end_; ++op) {
      const OpHead head = h_.op(op);
      const Window at = window(op);
      snapshot_taken_ = snapshot_taken_ || takes_snapshot(head);
      const Print value = chunk_.value(h_.op_value(op));
      switch (head.kind()) {
        case OpKind::kRead:
          read(slots_[op - first_], value, head.lock(), moment_of(head.lock(), at, true), at, op);
          break;
        case OpKind::kWrite:
          write(slots_[op - first_], value, at, value == kNullPrint ? kDelete : VersionFlag{}, op);
          break;
        case OpKind::kAppend:
        case OpKind::kIncrement:
          write(slots_[op - first_], value, at, kStepwise, op);
          break;
        case OpKind::kScan: {
          const std::uint32_t shared = moment_of(head.lock(), at, false);
          for (const Item& item : h_.items(h_.predicate(head.predicate()))) {
            const bool each = core_.options.profile.reads <= Reads::kCommitted || head.lock() != Lock::kNone;
            const KeySlot key = slot_of(chunk_.key(item.key));
            read(key, chunk_.value(item.value), head.lock(), each ? moment_of(head.lock(), at, true) : shared, at, op);
          }
          break;
        }
        case OpKind::kUpdate:
          for (const Item& item : h_.items(h_.predicate(head.predicate()))) {
            const KeySlot key = slot_of(chunk_.key(item.key));
            const Print row = chunk_.value(item.value);
            write(key, row, at, row == kNullPrint ? kDelete : VersionFlag{}, op);
          }
          break;
        case OpKind::kAggregate:
          break;
      }
    }
  }

  // The moment at which a statement reads. `alone`: one row, whose moment nothing else shares.
  std::uint32_t moment_of(Lock lock, const Window& at, bool alone) {
    const Profile& profile = core_.options.profile;
    const bool latest = lock != Lock::kNone && profile.locking_reads_see_latest;
    if (profile.reads == Reads::kTransaction && !latest && snapshot_taken_) return 0;
    static_cast<void>(alone);
    txn_.moments.push_back({at.lo, at.hi, kNoNode, 0});
    return static_cast<std::uint32_t>(txn_.moments.size() - 1);
  }

  void read(KeySlot key, Print value, Lock lock, std::uint32_t moment, const Window& at, std::uint32_t op) {
    KeyState& state = core_.keys[key];
    if (state.own == txn_.number) {
      const TakenWrite& own = txn_.writes[state.own_at];
      const bool same = own.value == value;
      if ((own.flags & (kStepwise | kDelete)) == 0 && !same) own_read_differs(key, value, own.value, op);
      // A delete that found no row leaves nothing of its own to see.
      if ((own.flags & kDelete) == 0 || same) return;
    }
    txn_.reads.push_back({value, kNullPrint, key, moment, lock == Lock::kNone ? 0U : kLockingRead, kNoTxnSlot});
    ++txn_.moments[moment].rows;
    const Profile& profile = core_.options.profile;
    if ((lock != Lock::kNone && profile.write_locks) || (lock == Lock::kNone && profile.read_locks)) {
      if (lock == Lock::kUpdate) {
        txn_.locks.push_back({at.hi, key, 1});
      } else {
        txn_.locks.push_back({at.hi, key, 0});
      }
    }
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
    tell(core_, std::move(found));
  }

  void write(KeySlot key, Print value, const Window& at, std::uint32_t flags, std::uint32_t) {
    KeyState& state = core_.keys[key];
    if (state.own == txn_.number) {
      TakenWrite& own = txn_.writes[state.own_at];
      if (((own.flags | flags) & kStepwise) != 0) {
        own.flags |= kStepwise | kStateUnsure;
        return;
      }
      const TakenWrite earlier = own;
      own.value = value;
      own.flags = (earlier.flags & kDelete) == 0 ? 0 : flags;  // what it wrote itself it certainly deletes
      if (earlier.value == value) return;
      txn_.writes.push_back(earlier);
      txn_.writes.back().flags = kOverwritten;
      return;
    }
    state.own = txn_.number;
    state.own_at = static_cast<std::uint32_t>(txn_.writes.size());
    txn_.writes.push_back({value, at.hi, key, flags});
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
    for (TakenWrite& write : txn_.writes) {
      if ((write.flags & kOverwritten) == 0) {
        write.flags |= fate;
        // Without intervals, or in the statement that may have failed, it is not certain that the lock was held.
        const bool held = write.lock_hi <= txn_.commit_lo;
        if (profile.write_locks && (write.flags & kDelete) == 0 && fate != kMaybe && held) {
          write.flags |= kHoldsLock;
        }
        if (profile.first_updater_wins && txn_.has_snapshot() && txn_.snapshot_hi <= txn_.commit_lo &&
            fate == kInstalled && (write.flags & kDelete) == 0) {
          write.flags |= kUpdateWins;
        }
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
      version.slot = txn_slot();
      KeyState& state = core_.keys[write.key];
      if (txn_.late && version.lo <= state.base_hi && fate != kAbortedWrite) {  // which of the two is older?
        state.flags |= kBaseUnknown | kDropped;
        continue;
      }
      if ((write.flags & kDelete) != 0) state.flags |= kHasDeletes;
      if (core_.keys.insert(write.key, version) == nullptr || (write.flags & kStepwise) != 0) state.flags |= kLossy;
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
  Taking(core, arrival, txn).run();
  return slot;
}

}  // namespace isolde::mirror
