// check/mirror: the versions that a transaction leaves behind, or may leave.
#include <algorithm>

#include "check/mirror/arrival_reader.h"

namespace isolde::mirror {

// Of one that came late: whether what lists and counters hold was worked out without it.
bool ArrivalReader::was_grown_without(const TakenWrite& write) {
  if ((write.flags & kStepwise) != 0) return true;
  const auto versions = core_.keys.versions(write.key);
  return std::any_of(versions.begin(), versions.end(), [](const Version& v) { return v.has(kStepwise | kGrown); });
}

void ArrivalReader::install() {
  const Profile& profile = core_.options.profile;
  txn_.late = txn_.late || txn_.begin < core_.horizon;
  if (txn_.writes.empty()) {
    // What it read must be the latest at its commit all the same (Certifier::kConflictCheck).
    if (txn_.wrote_elsewhere)
      txn_.commit = core_.moments.add(txn_.commit_lo, txn_.commit_hi, txn_slot(), kCommitMoment);
    return;
  }
  std::uint32_t fate = kInstalled;
  if (txn_.status == Status::kAborted) {
    fate = kAbortedWrite;
  } else {
    txn_.commit = core_.moments.add(txn_.commit_lo, txn_.commit_hi, txn_slot(), kCommitMoment);
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
      // Of these, and of deletes, which may have found nothing to lock, the rules of locks say nothing.
      if (profile.write_locks && (!held || (write.flags & kDelete) != 0)) core_.keys[write.key].flags |= kOpen;
      if (profile.first_updater_wins && txn_.has_snapshot() && txn_.snapshot_hi > txn_.commit_lo)
        core_.keys[write.key].flags |= kOpen;
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
    if (version.value == kNullFingerprint && profile.first_updater_wins && fate != kAbortedWrite) {
      // An insert over a dead row looks at no snapshot: writers on both sides of a delete are not ordered by it.
      for (Version& v : core_.keys.versions(write.key)) v.flags &= ~kUpdateWins;
      version.flags &= ~kUpdateWins;
      write.flags &= ~kUpdateWins;
      state.flags |= kOpen;
    } else if (version.has(kUpdateWins)) {
      for (const Version& v : core_.keys.versions(write.key)) {
        if (v.value != kNullFingerprint || !v.has(kInstalled | kMaybe)) continue;
        version.flags &= ~kUpdateWins;
        state.flags |= kOpen;
      }
    }
    if (txn_.late && fate != kAbortedWrite && was_grown_without(write)) state.flags |= kLossy;
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

}  // namespace isolde::mirror
