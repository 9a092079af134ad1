// check/mirror/look_aggregates.h: one aggregate: is its value that of some versions that it can have seen?
//
// Keys of which only one version can have been seen are summed up. For the others, every combination is tried if there
// are few. If none gives the value, that is a violation; if exactly one does, those versions were seen.
//
// Always:  a combination need not exist at one moment. So more are tried than are possible, and no correct answer is
//          reported.
// Cost:    at most kMostCombinations aggregates of the uncertain keys; beyond that the operation stays open.
#pragma once

#include <optional>
#include <vector>

#include "check/mirror/key_look.h"

namespace isolde::mirror {

class AggregateLook {
 public:
  AggregateLook(Core& core, Taken& txn, TxnSlot slot, const TakenLook& look, const CompiledPredicate& condition)
      : core_(core), txn_(txn), slot_(slot), look_(look), condition_(condition) {}

  // `row`: what the transaction itself had written of the key, if it had.
  void add(KeySlot key, const LookRow* row);
  // False: something stays open.
  bool judge();

 private:
  static constexpr std::size_t kMostCombinations = 4096;
  struct Counted {
    ValueId key, value;
  };
  // A key of which several versions can have been seen.
  struct Choice {
    KeySlot key;
    ValueId name;
    std::vector<ValueId> options;  // each once; null: does not match
    std::vector<int> versions;     // by option: the only one that it can be; kSeveral
  };
  static constexpr int kSeveral = -2;

  void add_choice(KeySlot key);
  void count(KeySlot key, Fingerprint value);
  [[nodiscard]] std::optional<ValueId> name_of(KeySlot key);
  bool learn(const std::vector<std::size_t>& chosen, bool looks_at_all);
  void tell_wrong(const AggregateState& fixed);

  Core& core_;
  Taken& txn_;
  const TxnSlot slot_;
  const TakenLook& look_;
  const CompiledPredicate& condition_;
  std::vector<Counted> fixed_;
  std::vector<KeySlot> certain_;  // keys in motion of which one version is certain
  std::vector<Choice> choices_;
  bool open_ = false;
};

}  // namespace isolde::mirror
