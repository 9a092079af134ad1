// check/mirror: a delete that finds no row leaves nothing: no version, no lock. Whether it found one is decided here.
#include "check/mirror/core.h"

namespace isolde::mirror {
namespace {

// Whether every version that can have been the latest between the begin and the commit of `d` is a row.
bool found_a_row(const Core& core, const KeyState& state, std::span<const Version> versions, const Version& d) {
  const Reads reads = core.options.profile.reads;
  // It may have looked anywhere.
  if (reads == Reads::kDirty || reads == Reads::kCertified || core.options.profile.rows_since_begin) return false;
  const std::int64_t from = d.lock_hi;
  const auto replaced = [&](const Version* v) {  // certainly, before `from`
    for (const Version& n : versions) {
      if (&n == v || &n == &d || !n.has(kInstalled) || n.has(kDelete) || n.hi >= from) continue;
      if (v == nullptr || v->hi < n.lo || core.orderly(*v, n)) return true;
    }
    return false;
  };
  const bool base_is_row = state.base != kNullFingerprint && !state.has(kBaseUnknown);
  if (!base_is_row && !state.has(kBaseGone) && !replaced(nullptr)) return false;
  for (const Version& v : versions) {
    if (&v == &d || !v.has(kInstalled | kMaybe) || v.has(kOverwritten) || v.lo > d.hi) continue;
    if (v.value == kNullFingerprint && !replaced(&v)) return false;
  }
  return true;
}

}  // namespace

void settle_deletes(Core& core, KeySlot key, std::int64_t until) {
  KeyState& state = core.keys[key];
  const auto versions = core.keys.versions(key);
  bool left = false;
  for (Version& v : versions) {
    if (!v.has(kDelete) || v.has(kDoubted)) continue;
    if (!v.has(kInstalled) || v.hi > until) {
      left = true;
    } else if (found_a_row(core, state, versions, v)) {
      v.flags &= ~kDelete;
    } else {
      v.flags |= kDoubted;
      state.flags |= kOpen;
    }
  }
  if (!left) state.flags = static_cast<std::uint8_t>(state.flags & ~kHasDeletes);
}

}  // namespace isolde::mirror
