// check/predicates/state_matches.h: the version that each key has now, and which of them match a predicate.
//
// In, out: set() as the replay goes on -> the keys whose versions match a condition.
// Always:  a key whose version is not known (a list or counter in the making) is in no answer; `has_unknown` tells.
#pragma once

#include <cstdint>
#include <vector>

#include "history/history.h"
#include "history/predicate_set.h"

namespace isolde {

class StateMatches {
 public:
  struct Version {
    ValueId value;
    TxnId writer;  // kNoTxn: initial
    bool known;    // false: appended to or incremented, so no value of the table
  };

  StateMatches(const History& history, const PredicateSet& set);

  void set(KeyId key, const Version& version);
  [[nodiscard]] const Version& at(KeyId key) const { return now_[raw(key)]; }
  [[nodiscard]] bool has_unknown() const { return unknown_ > 0; }

  // The keys that match, in no order. `faulty`: on some version the condition has a fault; those keys are left out.
  struct Matches {
    std::vector<KeyId> keys;
    bool faulty = false;
  };
  void find(std::uint32_t text, Matches& out) const;

 private:
  const History& h_;
  const PredicateSet& set_;
  std::vector<Version> now_;
  std::uint32_t unknown_ = 0;
};

}  // namespace isolde
