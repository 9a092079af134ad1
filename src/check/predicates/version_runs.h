// check/predicates/version_runs.h: the versions of each key in the order of their commits, and where the matches of a
// predicate change among them.
//
// In, out: the events of a replay -> for a key, the version in the state and a version that a vset names: does a
//          version between them change the matches?
// Always:  an absent version matches nothing. Of several versions of one value, one that agrees is enough.
// Cost:    building is linear in writes; a question costs the versions between the two, or all of the key if the named
//          one is not there.
// Source:  Adya, "changes the matches"; docs/predicates.md.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "check/predicates/predicate_replay.h"
#include "history/history.h"

namespace isolde {

class VersionRuns {
 public:
  VersionRuns(const History& history, std::span<const std::uint32_t> events, EventForm form);

  struct Answer {
    enum class Is : std::uint8_t {
      kAgrees,
      kChangedSince,  // after the named version, up to the state's, stands one that does not match as it does
      kChangedLater,  // … after the state's, before the named one
      kOpen,          // nobody committed the named version, or several did, or a fault; or only the state's differs;
                      // or one of the asking transaction's own versions stands between
    };
    Is is;
    TxnId writer = kNoTxn;  // of the version that does not match as the named one
    ValueId version = kNullValue;
  };
  // `txn`: whose operation it is. `installed`: how many have committed a version of the key before the state.
  [[nodiscard]] Answer ask(const CompiledPredicate& condition, TxnId txn, KeyId key, std::uint32_t installed,
                           ValueId named) const;

 private:
  struct Entry {
    TxnId writer;
    ValueId value;
    bool known;
  };
  const History& h_;
  std::vector<std::uint32_t> first_;  // by key
  std::vector<Entry> entries_;
};

}  // namespace isolde
