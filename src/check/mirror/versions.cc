// check/mirror: what follows from the order of a key's versions: which is next, and what lists and counters hold.
#include "check/mirror/core.h"

namespace isolde::mirror {

bool is_next(const Core& core, std::span<const Version> versions, int v, std::size_t n) {
  const Version* first = v < 0 ? nullptr : &versions[static_cast<std::size_t>(v)];
  for (std::size_t i = 0; i < versions.size(); ++i) {
    const Version& u = versions[i];
    if (&u == first || i == n || !u.has(kInstalled | kMaybe) || u.has(kOverwritten)) continue;
    const bool before = first != nullptr && (u.hi < first->lo || core.orderly(u, *first));
    const bool after = versions[n].hi < u.lo || core.orderly(versions[n], u);
    if (!before && !after) return false;
  }
  return true;
}

std::optional<Fingerprint> after_version(const Core& core, const Version& v, KeySlot key, Fingerprint state) {
  if (v.has(kStateUnsure)) return std::nullopt;
  if (v.has(kOneStep)) return after_step(state, {v.value, kNone32, v.has(kAppends)});
  const Taken& txn = core.txns[v.slot];
  if (!txn.live || txn.id != v.txn) return std::nullopt;
  std::optional<Fingerprint> content = state;
  for (const TakenWrite& write : txn.writes) {
    if (write.key != key || (write.flags & kStepwise) == 0) continue;
    for (std::uint32_t s = write.first_step; s != kNone32 && content; s = txn.steps[s].next) {
      content = after_step(*content, txn.steps[s]);
    }
  }
  return content;
}

void settle_steps(Core& core, KeySlot key, std::int64_t until) {
  KeyState& state = core.keys[key];
  const auto versions = core.keys.versions(key);
  for (std::size_t i = 0; i < versions.size(); ++i) {
    Version& v = versions[i];
    if (!v.has(kStepwise) || !v.has(kInstalled) || v.has(kOverwritten | kStateUnsure) || v.hi > until) continue;
    int before = -1;
    for (std::size_t j = 0; j < i; ++j) {
      const Version& u = versions[j];
      if (u.has(kInstalled) && (u.hi < v.lo || core.orderly(u, v))) before = static_cast<int>(j);
    }
    if (!is_next(core, versions, before, i)) continue;
    std::optional<Fingerprint> content;
    if (before >= 0) {
      const Version& u = versions[static_cast<std::size_t>(before)];
      if (!u.has(kStepwise | kDelete)) content = u.value;
    } else if (!state.has(kBaseUnknown | kBaseGone) && (state.base_hi < v.lo || v.has(kAfterBase))) {
      content = state.base;
    }
    if (content) content = after_version(core, v, key, *content);
    if (!content) continue;
    v.value = *content;
    v.flags = (v.flags & ~kStepwise) | kGrown;
  }
}

}  // namespace isolde::mirror
