// proof/predicate_claims.h: result-set mismatches: the result of a predicate operation is not what follows from the
// versions that it was evaluated on.
//
// In, out: an anomaly of kind kResultSetMismatch -> what is wrong with it; nothing if it holds.
// Always:  the versions are the operation's own (its rows, its version set), the transaction's own writes, or those of
//          the state at its timestamp or place. Where the evidence leaves open which version the state has (equal or
//          missing times, unknown outcomes), the claim must hold of each that is possible.
// Cost:    the versions of the key; of an aggregate, of all keys.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "anomaly/verdict.h"
#include "proof/committed.h"
#include "proof/fault.h"
#include "proof/matches.h"
#include "proof/versions.h"

namespace isolde::proof {

class PredicateClaims {
 public:
  PredicateClaims(const History& history, const Verdict& verdict, const Committed& committed);

  [[nodiscard]] Fault fault(const Anomaly& a) const;
  // What is wrong with how the anomaly tells the operation and its result, whatever it claims of them.
  [[nodiscard]] Fault result_fault(const Anomaly& a) const;
  [[nodiscard]] const Matches& matches() const { return matches_; }

 private:
  // A version that the state may have. `txn`: kNoTxn if it is the initial one.
  using Possible = std::vector<Version>;

  [[nodiscard]] Fault row_fault(const Anomaly& a) const;
  [[nodiscard]] Fault state_fault(const Anomaly& a) const;
  [[nodiscard]] Fault run_fault(const Anomaly& a) const;
  [[nodiscard]] Fault aggregate_fault(const Anomaly& a) const;
  [[nodiscard]] Fault own_aggregate_fault(const Anomaly& a) const;
  [[nodiscard]] Fault names_aggregate(const Anomaly& a, const AggregateState& right) const;
  // The match that is wrong, by the anomaly's source.
  [[nodiscard]] static Match wrong_match(const Anomaly& a) {
    return a.source == ReadSource::kRowMissed ? Match::kYes : Match::kNo;
  }
  // `overlap` becomes true where the versions contradict the level by themselves.
  [[nodiscard]] Possible in_state(TxnId t, KeyId key, bool& overlap) const;
  [[nodiscard]] bool left(TxnId t, KeyId key, ValueId value) const;
  [[nodiscard]] bool knows_state() const;
  [[nodiscard]] bool at_once(TxnId t) const;

  const History& h_;
  const Verdict& verdict_;
  const Committed& committed_;
  const Matches matches_;
  std::optional<Versions> versions_;
};

}  // namespace isolde::proof
