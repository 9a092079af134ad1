#include <algorithm>

#include "check/mirror/core.h"

namespace isolde::mirror {

void Core::make_node(Moment& m) {
  m.node = moments.add(m.lo, m.hi, m.owner, m.at);
  Taken& txn = txns[m.owner];
  // Readings may be equal; a snapshot still comes before its own commit.
  if (txn.commit != kNoNode) static_cast<void>(moments.order(m.node, txn.commit, Why::kProgram, kNoKeySlot));
}

bool Core::before(Moment& a, Moment& b, Why why, KeySlot key, const Fingerprint* read) {
  a = now(a);
  b = now(b);
  if (a.hi < b.lo) return true;
  if (a.lo > b.hi) return false;
  if (a.node == kNoNode && b.node != kNoNode && a.owner != kNoTxnSlot) make_node(a);
  if (b.node == kNoNode && a.node != kNoNode && b.owner != kNoTxnSlot) make_node(b);
  if (a.node != kNoNode && b.node != kNoNode) {
    const bool fine = moments.order(a.node, b.node, why, key);
    if (fine && summary != nullptr) share_order(*this, a, b, why, key, read);
    a = now(a);
    b = now(b);
    return fine;
  }
  const Moment first = a, second = b;
  if (a.node != kNoNode) {
    if (!moments.lower(a.node, b.hi)) return false;
    a = now(a);
  } else {
    a.hi = std::min(a.hi, b.hi);
  }
  if (b.node != kNoNode) {
    if (!moments.raise(b.node, a.lo)) return false;
    b = now(b);
  } else {
    b.lo = std::max(b.lo, a.lo);
  }
  if (summary != nullptr) share_order(*this, first, second, why, key, read);
  return true;
}

void judge(Core& core, TxnSlot slot) {
  Taken& txn = core.txns[slot];
  txn.judged = true;
  core.rank = txn.settled;
  txn.source.unsure = txn.source.unsure || txn.late;
  core.recent.add(std::move(txn.source), txn.status, txn.commit_hi);
  txn.source = {};
  if (txn.status != Status::kUnknown) core.last_end = std::max(core.last_end, txn.end);
  for (const TakenRead& read : txn.reads) core.keys.prefetch(read.key);
  for (const TakenWrite& write : txn.writes) core.keys.prefetch(write.key);
  if (!txn.late) {
    for (const TakenWrite& write : txn.writes) {
      if ((write.flags & kDelete) != 0) settle_deletes(core, write.key, txn.end);
      if ((write.flags & kStepwise) != 0) settle_steps(core, write.key, txn.end);
    }
    check_locks(core, txn, slot);
    check_updates(core, txn, slot);
    check_reads(core, txn, slot);
    check_looks(core, txn, slot);
  } else {
    // One that only writes has locks and updates that were not compared.
    core.counts.unchecked += std::max<std::size_t>(1, txn.reads.size() + txn.looks.size());
  }
  for (const TakenWrite& write : txn.writes) {
    for (Version& v : core.keys.versions(write.key)) {
      if (v.slot != slot || v.txn != txn.id) continue;
      v.flags |= kJudged;
      // Who came late may have missed what decides this.
      if (txn.late && v.has(kDelete)) v.flags |= kDoubted;
      if (txn.late && v.has(kStepwise)) v.flags |= kStateUnsure;
    }
    if (txn.counts && (write.flags & kOverwritten) == 0) version_judged(core, slot, write.key);
  }
  bool open = txn.left_open;
  if (!txn.late) {
    for (const TakenRead& read : txn.reads) open = open || core.keys[read.key].has(kOpen);
    for (const TakenWrite& write : txn.writes) open = open || core.keys[write.key].has(kOpen);
    if (txn.number % (Core::kTransactionsAStep * core.searchers) == 0) {
      core.credit = std::min(core.credit + 1, Core::kMostCredit);
      core.recent.spare = std::min(core.recent.spare + 1, Recent::kMostSpare);
    }
    look_back(core, slot, open);
  }
  ++core.counts.checked;
  --core.counts.pending;
  if (core.summary != nullptr) share_judged(core, txn, open);
}

}  // namespace isolde::mirror
