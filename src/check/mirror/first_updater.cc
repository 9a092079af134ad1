// check/mirror: first updater wins: of two that wrote one key, one had committed before the other took its snapshot.
//
// By the clocks at most one of the two ways is possible (unless readings are equal): the one whose commit can be
// earlier. So the writers of a key form a chain, and neighbours are enough.
#include <fmt/format.h>

#include "check/mirror/core.h"

namespace isolde::mirror {
namespace {

// Whether `txn` can have committed before the writer of `v` took its snapshot.
bool may_be_first(const Core& core, const Taken& txn, const Version& v) {
  const Taken& other = core.txns[v.slot];
  if (!other.live || other.id != v.txn || !other.has_snapshot() || !v.has(kUpdateWins)) return true;
  return core.moments[txn.commit].lo <= other.snapshot_hi;
}

}  // namespace

void check_updates(Core& core, Taken& txn, TxnSlot slot) {
  if (!core.options.profile.first_updater_wins || !txn.counts || !txn.has_snapshot()) return;
  for (const TakenWrite& write : txn.writes) {
    if ((write.flags & kUpdateWins) == 0) continue;
    const auto versions = core.keys.versions(write.key);
    const Version* earlier = nullptr;
    bool found = false;
    // Where both held the lock, that says who was first, also of one that had no snapshot yet when it wrote.
    const bool locked = (write.flags & kHoldsLock) != 0;
    for (const Version& v : versions) {
      found = v.node == txn.commit && v.has(kUpdateWins);
      if (found) break;
      if (v.has(kUpdateWins) || (locked && v.has(kInstalled) && v.has(kHoldsLock))) earlier = &v;
    }
    if (!found || earlier == nullptr) continue;
    ++core.counts.dependencies;
    if (earlier->hi >= txn.commit_lo) ++core.counts.overlapping;
    ReadMoment& kept = txn.moments.front();
    // Equal readings: either may be first, if the other's snapshot can have been later than its commit.
    if (earlier->lo >= txn.commit_lo && may_be_first(core, txn, *earlier)) {
      core.keys[write.key].flags |= kOpen;
      continue;
    }
    if (earlier->hi >= txn.commit_lo) ++core.counts.deduced;
    const bool gathered = core.options.profile.snapshot_gathered;
    Moment snapshot{kept.lo, kept.hi, kept.node, gathered ? kNoTxnSlot : slot, kept.at};
    Moment commit = core.commit_of(*earlier);
    const Moment was = commit;
    if (core.before(commit, snapshot, Why::kUpdate, write.key)) {
      if (gathered) continue;
      kept.lo = snapshot.lo;
      kept.hi = snapshot.hi;
      kept.node = snapshot.node;
      continue;
    }
    kept.node = snapshot.node;
    Found lost{
        .kind = AnomalyKind::kLostUpdate, .rule = "first updater wins", .txns = {txn.id, earlier->txn}, .text = {}};
    lost.key = core.keys[write.key].key;
    lost.time = txn.end;
    lost.text = fmt::format(
        "both wrote the key and committed; {} committed within {}, {} took its snapshot within {} and committed within "
        "{}: neither was in the other's snapshot",
        txn_text(core, earlier->txn), window_text(was.lo, was.hi), txn_text(core, txn.id),
        window_text(kept.lo, kept.hi), window_text(txn.commit_lo, txn.commit_hi));
    lost.steps = {{0, 1, StepType::kInvisible}};
    if (earlier->hi < txn.commit_lo) lost.steps.push_back({1, 0, StepType::kWw, lost.key});
    tell(core, lost);
  }
}

}  // namespace isolde::mirror
