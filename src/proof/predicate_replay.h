// proof/predicate_replay.h: the predicate operations of a witness, evaluated on the state that the witness gives.
//
// In, out: the versions of each key in the witness's order; then, in step with the replay, the state -> what an
//          operation's result has too many or too few.
// Always:  what cannot be evaluated (a fault, a list, a counter) is refused, with words that say so.
// Cost:    an operation asks each key whose version changed since its condition was last asked (at most all).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "proof/fault.h"
#include "proof/matches.h"

namespace isolde::proof {

class PredicateReplay {
 public:
  // How the level binds what was evaluated to the state: to it, or to any version up to it (repeatable-read).
  enum class Rule : std::uint8_t { kState, kUpToState };

  // `versions`: of each key, the initial version and what each transaction of the witness leaves, in its order.
  PredicateReplay(const History& history, Rule rule, std::vector<std::vector<ValueId>> versions);

  [[nodiscard]] const std::string& defect() const { return matches_.defect(); }
  // The state's next version of the key.
  void advance(KeyId key);
  // What the transaction at hand sees of its own write; `forget_own` ends it.
  void write_own(KeyId key, ValueId value);
  void forget_own();

  [[nodiscard]] std::optional<std::string> fault(OpId op);

 private:
  [[nodiscard]] Fault vset_fault(OpId op) const;
  [[nodiscard]] Fault result_fault(OpId op);
  [[nodiscard]] Fault aggregate_fault(OpId op);
  [[nodiscard]] Fault older_aggregate_fault(OpId op) const;
  // By key: the match of the state's version, own writes aside.
  [[nodiscard]] const std::vector<Match>& matches_of_state(OpId op);
  [[nodiscard]] Match match_now(OpId op, const std::vector<Match>& state, std::uint32_t k) const {
    return is_own_[k] ? matches_.of(op, KeyId{k}, now_[k]) : state[k];
  }
  [[nodiscard]] ValueId in_state(std::uint32_t k) const { return versions_[k][at_[k]]; }
  // Whether the version of the key, other than the state's, may be what the operation looked at.
  [[nodiscard]] Match in_same_run(OpId op, KeyId key, ValueId version) const;
  // How many versions follow the transaction's own, in whose run of this match they stand.
  [[nodiscard]] std::uint32_t own_begins_run(OpId op, KeyId key, Match match) const;
  // Whether some version up to the state's has the match.
  [[nodiscard]] Match earlier_has(OpId op, KeyId key, Match match) const;

  const History& h_;
  const Rule rule_;
  const Matches matches_;
  const std::vector<std::vector<ValueId>> versions_;
  std::vector<std::uint32_t> at_;  // by key: the state's version
  std::vector<ValueId> now_;       // by key: that version, or what the transaction itself wrote
  std::vector<KeyId> own_;
  std::vector<bool> is_own_, in_result_;
  // What is known of conditions that are asked again and again.
  struct Known {
    std::uint32_t asked = 0;  // how often
    std::size_t changes = 0;  // how many of `changed_` it has seen
    std::vector<Match> matches;
  };
  std::vector<Known> known_;
  std::size_t room_;                    // for further entries of `matches`
  std::vector<std::uint32_t> changed_;  // keys, whenever their version in the state changed
  std::vector<Match> scratch_;
};

}  // namespace isolde::proof
