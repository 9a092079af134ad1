// check/mirror/key_look.h: one predicate operation at one key: which versions it can have seen, and which of them
// match.
//
// In, out: a look and a key with versions in motion -> what it can have seen; then what follows from that.
// Always:  as candidates.h. A version whose value is not held, or on which the condition has a fault, is unclear.
// Cost:    the key's versions, squared where their order is asked for.
#pragma once

#include <vector>

#include "check/mirror/candidates.h"

namespace isolde::mirror {

class KeyLook : private Candidates {
 public:
  struct Seen {
    int version;  // kBase: the settled one
    Match match;
  };

  // Requires: reads have moments, or at least timestamps.
  KeyLook(Core& core, Taken& txn, TxnSlot slot, KeySlot key, const TakenLook& look, const CompiledPredicate& condition);

  // All that it can have seen.
  void gather();
  [[nodiscard]] const std::vector<Seen>& seen() const { return seen_; }
  [[nodiscard]] int yes() const { return yes_; }
  [[nodiscard]] int no() const { return no_; }
  [[nodiscard]] int unclear() const { return unclear_; }
  [[nodiscard]] Fingerprint value(int v) const { return v == kBase ? state_.base : version(v).value; }

  // The key is not in the result. False: something stays open.
  bool not_shown();
  // The operation changed it. False: as above.
  bool changed();
  // Version `v` was seen, and no other can have been. False: that is impossible, and is reported.
  bool take(int v);
  // All that can have been seen matches alike: what certifiers learn. False: something stays open.
  bool trace();
  // The same where it is certain that `v` was seen.
  bool trace_one(int v);

 private:
  // A run of versions that match alike, around one of them.
  struct Run {
    int first = kBase;  // began it; kBase: not certain
    int last = kBase;
    int next = kBase;  // ended it; kBase: none that is certain
    friend bool operator==(const Run&, const Run&) = default;
  };

  void add(int v);
  [[nodiscard]] bool is_maybe(int v) const { return version(v).has(kMaybe); }
  void gather_certified();
  [[nodiscard]] Match match_of(int v);
  [[nodiscard]] int after(int v) const;
  [[nodiscard]] int before(int v, bool& is_base) const;
  [[nodiscard]] Run run_of(const Seen& seen);
  [[nodiscard]] bool still_holds(int next);
  void put_back();
  [[nodiscard]] Found found(AnomalyKind kind) const;
  void tell_missed();
  void tell_changed();
  void tell_contradiction(const Version& v, bool from);

  const KeySlot key_;
  const TakenLook& look_;
  const CompiledPredicate& condition_;
  std::vector<Seen> seen_;
  int yes_ = 0, no_ = 0, unclear_ = 0;
  bool is_shown_ = false;  // in the result
};

}  // namespace isolde::mirror
