// check/mirror/candidates.h: which versions of a key a transaction can have seen at a moment.
//
// Always:  a version is ruled out only if its commit certainly came after the moment, or another version had certainly
//          replaced it before.
#pragma once

#include <span>

#include "check/mirror/core.h"

namespace isolde::mirror {

class Candidates {
 protected:
  static constexpr int kBase = -1;

  Candidates(Core& core, Taken& txn, TxnSlot slot, KeySlot key)
      : core_(core), txn_(txn), slot_(slot), state_(core.keys[key]), versions_(core.keys.versions(key)) {}

  [[nodiscard]] const Version& version(int v) const { return versions_[static_cast<std::size_t>(v)]; }
  // A version that is certainly there, and not the reader's own.
  [[nodiscard]] bool counts(const Version& v) const { return v.has(kInstalled) && !v.has(kDelete) && !own(v); }
  [[nodiscard]] bool own(const Version& v) const { return v.slot == slot_ && v.txn == txn_.id; }

  // Whether `n` certainly replaced version `v`, which stands before it in the list.
  [[nodiscard]] bool replaces(int v, const Version& n) const {
    if (v == kBase) return state_.base_hi < n.lo || n.has(kAfterBase);
    return version(v).hi < n.lo || core_.orderly(version(v), n);
  }

  // Whether somebody had certainly replaced version `v` before the read.
  [[nodiscard]] bool replaced(int v) const {
    for (std::size_t i = static_cast<std::size_t>(v + 1); i < versions_.size(); ++i) {
      const Version& n = versions_[i];
      if (!counts(n) || n.lo > at_.hi) continue;
      if (!replaces(v, n)) continue;
      if (core_.commit_of(n).hi < at_.lo) return true;
    }
    return false;
  }

  // Whether the read can have seen it.
  [[nodiscard]] bool may_be_seen(int v) const {
    if (v == kBase) return !state_.has(kBaseGone) && !replaced(kBase);
    const Version& seen = version(v);
    if (!seen.has(kInstalled | kMaybe) || seen.has(kOverwritten) || own(seen)) return false;
    return seen.lo <= at_.hi && core_.commit_of(seen).lo <= at_.hi && !replaced(v);
  }

  Core& core_;
  Taken& txn_;
  const TxnSlot slot_;
  KeyState& state_;
  const std::span<Version> versions_;
  Moment at_{};
};

}  // namespace isolde::mirror
