// proof/cycle_claims.h: anomalies that are told by dependencies: each step follows from the raw history, the steps
// close to a cycle, and the level forbids such a cycle.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "anomaly/verdict.h"
#include "proof/fault.h"
#include "proof/key_order.h"
#include "proof/predicate_steps.h"

namespace isolde::proof {

class CycleClaims {
 public:
  CycleClaims(const History& history, const Verdict& verdict, const std::vector<bool>& counted);

  // What is wrong with it; nothing if it holds.
  [[nodiscard]] std::optional<std::string> fault(const Anomaly& anomaly) const;
  // Of a predicate to which the steps leave no version that explains its result.
  [[nodiscard]] std::optional<std::string> walk_fault(const Anomaly& anomaly) const;
  // Of a predicate whose result is not what the snapshot shows.
  [[nodiscard]] std::optional<std::string> snapshot_fault(const Anomaly& anomaly) const;
  // Of a list that no state explains.
  [[nodiscard]] std::optional<std::string> list_fault(const Anomaly& anomaly) const;

  // Of one cycle of a proof by cases: whether it closes and the level forbids it, whatever its steps rest on; …
  [[nodiscard]] std::optional<std::string> cycle_fault(const std::vector<Step>& steps) const;
  // … of a step in it that is not assumed; …
  [[nodiscard]] std::optional<std::string> known_step_fault(const Anomaly& a, const Step& s) const;
  // … whose version a read returned, kNoTxn for the initial one; nothing if it cannot be told.
  [[nodiscard]] std::optional<TxnId> version_read(TxnId txn, OpId op, KeyId k) const;

 private:
  [[nodiscard]] static KeyOrder::Rule rule_of(Level level);
  [[nodiscard]] Fault cycle(const Anomaly& a) const;
  [[nodiscard]] static bool closes(const std::vector<Step>& steps);
  [[nodiscard]] Fault allowed(const Anomaly& a) const;
  [[nodiscard]] Fault named(const Anomaly& a) const;
  [[nodiscard]] Fault added_orders(const Anomaly& a) const;
  [[nodiscard]] Fault step(const Anomaly& a, const Step& s) const;
  [[nodiscard]] Fault item_step(const Anomaly& a, const Step& s, const KeyOrder& order) const;
  // An anti-dependency that only a predicate shows.
  [[nodiscard]] bool is_by_predicate(const Anomaly& a, const Step& s) const;
  [[nodiscard]] Fault lost_update(const Anomaly& a) const;
  [[nodiscard]] Fault update_of_two(const Anomaly& a) const;
  [[nodiscard]] Fault missed(const Anomaly& a) const;
  [[nodiscard]] Fault against_points(const Anomaly& a) const;
  [[nodiscard]] bool writes_anything(TxnId t) const;
  [[nodiscard]] bool leads(std::span<const TxnId> from, std::vector<TxnId> to) const;
  [[nodiscard]] bool in_past(TxnId older, TxnId newer, const KeyOrder& order) const;
  [[nodiscard]] bool read_by_one_after(TxnId older, TxnId newer, const KeyOrder& order) const;
  [[nodiscard]] bool follows_from_seen(const Anomaly& a, const Step& s) const;
  [[nodiscard]] const KeyOrder* key(KeyId k) const;

  const History& h_;
  const Level level_;
  const std::vector<bool>& counted_;
  std::unordered_map<std::uint32_t, KeyOrder> keys_;
  std::optional<PredicateSteps> predicates_;  // where the history has any
  std::vector<std::vector<TxnId>> causes_;  // at causal, by transaction: the one before it in its session, and whom it
                                            // read from
};

}  // namespace isolde::proof
