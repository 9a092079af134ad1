// check/mirror: mutual exclusion: of two that held conflicting locks on a key, one had let go before the other took it.
//
// A lock is taken within its statement and let go within the commit (or abort). By the clocks at most one of the two
// ways is possible, unless readings are equal. For writers neighbours are enough; shared locks are compared each with
// each, as far as they are in motion.
#include <fmt/format.h>

#include "check/mirror/core.h"

namespace isolde::mirror {
namespace {

struct Hold {
  std::int64_t lock_hi;
  Moment release;
  std::int64_t lo;  // of the release, as measured
  Fingerprint txn;
};

void tell_both(Core& core, const Taken& txn, KeySlot key, const Hold& mine, const Hold& theirs) {
  Found found{
      .kind = AnomalyKind::kDirtyUpdate, .rule = "mutual exclusion", .txns = {mine.txn, theirs.txn}, .text = {}};
  found.key = core.keys[key].key;
  found.time = txn.end;
  found.text = fmt::format(
      "both held its lock at once: {} had it by {} and let go within {}, {} had it by {} and let go within {}",
      txn_text(core, mine.txn), mine.lock_hi, window_text(mine.release.lo, mine.release.hi), txn_text(core, theirs.txn),
      theirs.lock_hi, window_text(theirs.release.lo, theirs.release.hi));
  tell(core, found);
}

// Two conflicting holders. False: no order is possible.
bool exclude(Core& core, Hold& a, Hold& b, KeySlot key) {
  const bool a_first = a.release.lo <= b.lock_hi;
  const bool b_first = b.release.lo <= a.lock_hi;
  if (a_first && b_first) {  // equal readings: either may be first
    core.keys[key].flags |= kOpen;
    return true;
  }
  if (!a_first && !b_first) return false;
  Hold& first = a_first ? a : b;
  Hold& second = a_first ? b : a;
  const bool narrows = first.release.node != kNoNode && core.moments[first.release.node].hi > second.lock_hi;
  if (first.release.node != kNoNode && !core.moments.lower(first.release.node, second.lock_hi)) return false;
  if (narrows && core.summary != nullptr) {
    const Moment lock{second.lock_hi, second.lock_hi};
    share_order(core, first.release, lock, Why::kLock, key, nullptr);
  }
  if (first.release.node == kNoNode || second.release.node == kNoNode) return true;
  if (core.moments[first.release.node].hi < core.moments[second.release.node].lo) return true;
  if (!core.moments.order(first.release.node, second.release.node, Why::kLock, key)) return false;
  if (core.summary != nullptr) share_order(core, first.release, second.release, Why::kLock, key, nullptr);
  return true;
}

Hold hold_of(const Core& core, const Version& v) { return {v.lock_hi, core.commit_of(v), v.lo, v.txn}; }

Hold hold_of(const Core& core, const Holder& h) {
  Moment release{h.lo, h.hi, kNoNode, kNoTxnSlot};
  if (core.moments.is(h.node, h.generation))
    release = {core.moments[h.node].lo, core.moments[h.node].hi, h.node, kNoTxnSlot};
  return {h.lock_hi, release, h.lo, h.txn};
}

// What is read under the lock is what those left who had let it go before.
void read_after(Core& core, Taken& txn, std::uint32_t moment, std::int64_t lock_hi, KeySlot key, Hold& theirs) {
  if (moment == kNone32 || theirs.release.lo > lock_hi || txn.commit_lo <= theirs.lock_hi) return;
  ReadMoment& kept = txn.moments[moment];
  Moment read{kept.lo, kept.hi, kept.node, static_cast<TxnSlot>(&txn - core.txns.data()), kept.at};
  theirs.release = core.now(theirs.release);
  static_cast<void>(core.before(theirs.release, read, Why::kLock, key));
  kept.lo = read.lo;
  kept.hi = read.hi;
  kept.node = read.node;
}

void check_write(Core& core, Taken& txn, TxnSlot slot, const TakenWrite& write) {
  const auto versions = core.keys.versions(write.key);
  const Version* own = nullptr;
  const Version* earlier = nullptr;
  for (const Version& v : versions) {
    if (v.slot == slot && v.txn == txn.id && v.has(kHoldsLock)) {
      own = &v;
      break;
    }
    if (v.has(kHoldsLock)) earlier = &v;
  }
  if (own == nullptr) return;
  Hold mine = hold_of(core, *own);
  if (earlier != nullptr) {
    ++core.counts.dependencies;
    if (earlier->hi >= txn.commit_lo) ++core.counts.overlapping;
    if (earlier->hi >= txn.commit_lo && earlier->lo < own->lo) ++core.counts.deduced;
    Hold theirs = hold_of(core, *earlier);
    if (!exclude(core, theirs, mine, write.key)) {
      tell_both(core, txn, write.key, mine, theirs);
    } else if (earlier->has(kInstalled)) {
      read_after(core, txn, write.lock_moment, write.lock_hi, write.key, theirs);
    }
  }
  for (std::uint32_t at = core.keys[write.key].shared; at != 0; at = core.holders[at].next) {
    // Whoever was judged after this one had come has looked at it.
    if (core.holders[at].txn == txn.id || static_cast<std::int32_t>(txn.number - core.holders[at].judged_at) < 0)
      continue;
    Hold theirs = hold_of(core, core.holders[at]);
    if (!exclude(core, theirs, mine, write.key)) tell_both(core, txn, write.key, mine, theirs);
  }
}

void check_lock(Core& core, Taken& txn, const TakenLock& lock) {
  Holder holder{lock.lock_hi,     txn.commit_lo,      txn.commit_hi, txn.id, txn.commit, 0, 0,
                core.next_number, lock.exclusive != 0};
  if (txn.commit != kNoNode) holder.generation = core.moments[txn.commit].generation;
  Hold mine = hold_of(core, holder);
  KeyState& state = core.keys[lock.key];
  for (const Version& v : core.keys.versions(lock.key)) {
    if (!v.has(kHoldsLock) || v.txn == txn.id) continue;
    Hold theirs = hold_of(core, v);
    if (!exclude(core, theirs, mine, lock.key)) {
      tell_both(core, txn, lock.key, mine, theirs);
    } else if (v.has(kInstalled)) {
      read_after(core, txn, lock.moment, lock.lock_hi, lock.key, theirs);
    }
  }
  for (std::uint32_t at = state.shared; at != 0; at = core.holders[at].next) {
    const Holder& other = core.holders[at];
    if (other.txn == txn.id || (!other.exclusive && !holder.exclusive)) continue;
    Hold theirs = hold_of(core, other);
    if (!exclude(core, theirs, mine, lock.key)) tell_both(core, txn, lock.key, mine, theirs);
  }
  std::uint32_t at;
  if (core.free_holders.empty()) {
    at = static_cast<std::uint32_t>(core.holders.size());
    core.holders.push_back(holder);
  } else {
    at = core.free_holders.back();
    core.free_holders.pop_back();
    core.holders[at] = holder;
  }
  core.holders[at].next = state.shared;
  state.shared = at;
}

}  // namespace

void check_locks(Core& core, Taken& txn, TxnSlot slot) {
  if (!core.options.profile.write_locks && !core.options.profile.read_locks) return;
  for (const TakenWrite& write : txn.writes) {
    if ((write.flags & kHoldsLock) != 0) check_write(core, txn, slot, write);
  }
  for (const TakenLock& lock : txn.locks) {
    if (lock.lock_hi > txn.commit_lo) {
      core.keys[lock.key].flags |= kOpen;
      continue;
    }
    check_lock(core, txn, lock);
  }
}

}  // namespace isolde::mirror
