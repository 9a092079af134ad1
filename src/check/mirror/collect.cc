// check/mirror: what nobody can need any more is dropped: moments, locks, replaced versions, and, at the limit of
// memory, the keys that were longest untouched.
#include <algorithm>

#include "base/prefetch.h"
#include "check/mirror/core.h"

namespace isolde::mirror {
namespace {

void drop_holders(Core& core, KeySlot key) {
  std::uint32_t* at = &core.keys[key].shared;
  while (*at != 0) {
    const std::uint32_t holder = *at;
    if (core.holders[holder].hi >= core.horizon) {
      at = &core.holders[holder].next;
      continue;
    }
    *at = core.holders[holder].next;
    core.free_holders.push_back(holder);
  }
}

void drop_readers(Core& core, KeySlot key) {
  std::uint32_t* at = &core.keys[key].readers;
  while (*at != 0) {
    const std::uint32_t reader = *at;
    const Taken& txn = core.txns[core.readers[reader].slot];
    if (txn.live && txn.number == core.readers[reader].number) {
      at = &core.readers[reader].next;
      continue;
    }
    *at = core.readers[reader].next;
    core.free_readers.push_back(reader);
  }
}

void close(Core& core, TxnSlot slot) {
  Taken& txn = core.txns[slot];
  for (const TakenWrite& write : txn.writes) core.keys.prefetch_versions(write.key);
  if (txn.commit != kNoNode) core.moments.remove(txn.commit);
  for (const ReadMoment& moment : txn.moments) {
    if (moment.node != kNoNode) core.moments.remove(moment.node);
  }
  if (txn.stamp != kNoNode) core.moments.remove(txn.stamp);
  if (txn.place != DependencyOrder::kNone) core.order.close(txn.place);
  txn.commit = txn.stamp = kNoNode;
  for (const TakenWrite& write : txn.writes) {
    settle_key(core, write.key);
    KeyState& state = core.keys[write.key];
    if (state.count == 0) state.flags = static_cast<std::uint8_t>(state.flags & ~kOpen);
  }
  for (const TakenLock& lock : txn.locks) drop_holders(core, lock.key);
  txn.live = false;
  for (const TakenRead& read : txn.reads) {
    if ((read.flags & kTraced) != 0 && core.keys[read.key].readers != 0) drop_readers(core, read.key);
  }
  for (const KeySlot key : txn.look_readers) drop_readers(core, key);
  core.motion_bytes -= std::min<std::uint64_t>(core.motion_bytes, txn.bytes());
  core.free_txns.push_back(slot);
}

}  // namespace

void settle_key(Core& core, KeySlot key) {
  KeyState& state = core.keys[key];
  const auto versions = core.keys.versions(key);
  if (versions.empty()) return;
  // The last version that is committed for everybody to come, and after which all others come that were before.
  const Version* base = nullptr;
  for (const Version& v : versions) {
    if (!v.has(kInstalled) || v.hi >= core.horizon || v.has(kDelete)) continue;
    base = &v;
  }
  if (base == nullptr) {
    core.keys.drop_versions(key, [&](const Version& v) {
      const bool gone = !v.has(kInstalled | kMaybe) && v.hi < core.horizon;
      if (gone) state.flags |= kDropped;
      return gone;
    });
    return;
  }
  const Version last = *base;
  bool alone = true;
  for (const Version& v : versions) {
    if (&v == base || !v.has(kInstalled)) continue;
    const bool apart = v.hi < last.lo || last.hi < v.lo || core.orderly(v, last) || core.orderly(last, v);
    if (!apart) alone = false;
  }
  const std::int64_t horizon = core.horizon;
  if (!alone) {
    state.flags |= kBaseGone | kDropped;
    core.keys.drop_versions(key, [&](const Version& v) {
      if (v.has(kMaybe)) return false;
      if (!v.has(kInstalled)) return v.hi < horizon;
      const bool gone = v.hi < last.lo || (v.lo < last.lo && core.orderly(v, last));
      if (gone) state.flags |= kBaseUnknown;  // what was there before those that are left
      return gone;
    });
    return;
  }
  for (Version& v : versions) {
    if (v.has(kInstalled) && core.orderly(last, v)) v.flags |= kAfterBase;
  }
  state.base = last.value;
  state.base_hi = last.hi;
  state.base_txn = last.txn;
  state.flags = static_cast<std::uint8_t>((state.flags & ~(kBaseUnknown | kBaseGone | kBaseInitial)) | kDropped);
  if (last.has(kStepwise)) state.flags |= kBaseUnknown;
  core.keys.drop_versions(key, [&](const Version& v) {
    if (v.has(kMaybe)) return false;
    if (!v.has(kInstalled)) return v.hi < horizon;
    return v.lo <= last.lo;  // itself, and what it replaced
  });
}

void close_until(Core& core, std::int64_t horizon) {
  core.horizon = std::max(core.horizon, horizon);
  core.closing.clear();
  while (!core.judged.empty() && core.judged.top().end < core.horizon) {
    core.closing.push_back(core.judged.top());
    core.judged.pop();
  }
  if (core.options.profile.certifier == Certifier::kSsi) {
    for (const Core::Waiting& next : core.closing) {
      const Taken& txn = core.txns[next.slot];
      if (!txn.rw_in.empty() || !txn.rw_out.empty()) check_dangerous_around(core, txn);
    }
  }
  // Where each stands leads to what it wrote, and that to its keys.
  const std::size_t size = core.closing.size();
  for (std::size_t i = 0; i < size; ++i) {
    if (i + 4 < size) isolde::prefetch(&core.txns[core.closing[i + 4].slot].writes);
    if (i + 2 < size) isolde::prefetch(core.txns[core.closing[i + 2].slot].writes.data());
    if (i + 1 < size) {
      for (const TakenWrite& write : core.txns[core.closing[i + 1].slot].writes) core.keys.prefetch(write.key);
    }
    close(core, core.closing[i].slot);
  }
  while (!core.unclosed.empty()) {
    const Taken& txn = core.txns[core.unclosed.front().slot];
    if (txn.live && txn.number == core.unclosed.front().number) break;
    core.unclosed.pop_front();
  }
}

std::size_t max_keys(std::size_t memory_limit, bool columns, bool looks) {
  const std::size_t kBytesAKey =  // with its part of the index, at worst
      sizeof(KeyState) + 48 + (columns ? sizeof(Columns::Of) : 0);
  const std::size_t eighths = looks ? 4 : 5;  // predicates need the values, too
  return std::max<std::size_t>(16, memory_limit / 8 * eighths / kBytesAKey);
}

std::size_t max_keys(const Core& core) { return max_keys(core.options.memory_limit, core.columns.on, core.looks.on); }

std::size_t max_motion(const Core& core) { return std::max<std::size_t>(4096, core.options.memory_limit / 4); }

// A hand goes round: who was not touched since it last came by, and has nothing in motion, goes.
void make_room(Core& core) {
  if (core.keys.size() >= max_keys(core)) give_up_keys(core, 8, 512);
}

void give_up_keys(Core& core, std::size_t wanted, std::size_t looks) {
  // The one that is just being taken uses its keys, too.
  const std::uint32_t taken = core.counts.taken == 0 ? core.next_number : core.next_number - 1;
  const std::uint32_t oldest = core.unclosed.empty() ? taken : core.unclosed.front().number;
  std::size_t freed = 0;
  for (std::size_t looked = 0; looked < looks && freed < wanted && core.keys.slots() > 0; ++looked) {
    core.hand = core.hand + 1 < core.keys.slots() ? core.hand + 1 : 0;
    KeyState& state = core.keys[core.hand];
    if (!state.live) continue;
    if (state.has(kRecent)) {
      state.flags = static_cast<std::uint8_t>(state.flags & ~kRecent);
      continue;
    }
    const bool in_use = static_cast<std::int32_t>(state.touched - oldest) >= 0;
    if (state.count != 0 || state.shared != 0 || state.readers != 0 || in_use) continue;
    core.keys.remove(core.hand);
    core.gave_up_keys = true;
    ++freed;
  }
}

}  // namespace isolde::mirror
