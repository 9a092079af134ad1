// check/mirror: what a partition tells the others (partition.h), while it judges its own keys.
#include <algorithm>

#include "check/mirror/core.h"

namespace isolde::mirror {
namespace {

// Its transaction is described in the summary from here on, if it has a name.
MomentName name_of(Core& core, const Moment& m) {
  TxnSlot slot = m.owner;
  std::uint32_t at = m.at;
  if (m.node != kNoNode) {
    slot = core.moments[m.node].txn;
    at = core.moments[m.node].at;
  }
  if (slot == kNoTxnSlot || at == kUnnamedMoment) return {};
  share_txn(core, slot);
  if (at != kCommitMoment && at != kSnapshotMoment) {
    const MomentName statement{core.txns[slot].number, at};
    core.summary->bounds.push_back({statement, m.lo, m.hi});
  }
  return {core.txns[slot].number, at};
}

// The key, or the row whose column it is.
Fingerprint outer_key(const Core& core, KeySlot key) {
  return core.columns.is_column(key) ? core.columns.of[key].row : core.keys[key].key;
}

}  // namespace

void share_txn(Core& core, TxnSlot slot) {
  Taken& txn = core.txns[slot];
  if (txn.named_in == core.summary_number) return;
  txn.named_in = core.summary_number;
  core.summary->txns.push_back({txn.number, txn.status, txn.counts, txn.wrote(), txn.id, txn.begin, txn.end,
                                txn.commit_lo, txn.commit_hi, txn.snapshot_lo, txn.snapshot_hi});
}

void share_order(Core& core, const Moment& a, const Moment& b, Why why, KeySlot key, const Fingerprint* read) {
  const MomentName first = name_of(core, a), second = name_of(core, b);
  const bool both = first.at != kUnnamedMoment && second.at != kUnnamedMoment;
  if (first.at == kUnnamedMoment && second.at == kUnnamedMoment) return;
  const std::int64_t bound = both ? 0 : first.at == kUnnamedMoment ? a.lo : b.hi;
  core.summary->orders.push_back({first, second, bound, core.rank, outer_key(core, key),
                                  read == nullptr ? kNullFingerprint : *read, why, read != nullptr});
}

void share_dependency(Core& core, const Taken& from, const Taken& to, Dependency type, Fingerprint key) {
  share_txn(core, static_cast<TxnSlot>(&from - core.txns.data()));
  share_txn(core, static_cast<TxnSlot>(&to - core.txns.data()));
  const Fingerprint outer = core.columns.on ? outer_key(core, core.keys.find(key)) : key;
  core.summary->dependencies.push_back({from.number, to.number, core.rank, outer, type});
}

void share_judged(Core& core, const Taken& txn, bool open) {
  if (txn.guest) {
    ++core.guests.checked;
    --core.guests.pending;
  }
  const bool unread = !txn.counts && txn.status == Status::kUnknown;
  bool again = unread;
  for (const TakenRead& read : txn.reads) again = again || (read.flags & kLeftOpen) != 0;
  if (again && !txn.late) {
    core.left_open.push_back({txn.number, static_cast<TxnSlot>(&txn - core.txns.data()), unread});
  }
  if (txn.guest && !open) return;
  core.summary->judged.push_back({txn.number, !txn.guest, txn.late, open, txn.settled, txn.end, txn.commit_hi});
}

void merge(Summary& into, const Summary& from) {
  const auto append = [](auto& to, const auto& items) { to.insert(to.end(), items.begin(), items.end()); };
  append(into.txns, from.txns);
  append(into.orders, from.orders);
  append(into.bounds, from.bounds);
  append(into.dependencies, from.dependencies);
  append(into.judged, from.judged);
  append(into.told, from.told);
  into.horizon = std::min(into.horizon, from.horizon);
}

}  // namespace isolde::mirror
