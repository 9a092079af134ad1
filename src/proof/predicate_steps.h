// proof/predicate_steps.h: orders that follow from predicates: a transaction comes after the writers whose versions its
// predicate needs, and before those whose versions would have changed its result.
//
// In, out: a step of a cycle whose operation is a predicate operation, or a walk of steps that leaves a predicate no
//          version -> what is wrong with it; nothing if it holds.
// Always:  holds whatever the versions' order is beyond what is known, and whichever unknown transactions committed.
//          A step by a snapshot (Ground::kSnapshot) holds given that the version which the snapshot of the predicate's
//          transaction shows is the one looked at.
// Source:  Adya, "changes the matches"; docs/predicates.md.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "anomaly/verdict.h"
#include "proof/fault.h"
#include "proof/matches.h"
#include "proof/versions.h"

namespace isolde::proof {

class PredicateSteps {
 public:
  // Whether of a key the version of the one is known to come before that of the other.
  using Before = std::function<bool(TxnId, TxnId)>;

  PredicateSteps(const History& history, const Verdict& verdict);

  [[nodiscard]] bool is_predicate_of(TxnId txn, OpId op) const;
  // `s.from` comes before `s.to`, by the predicate `s.to_op`.
  [[nodiscard]] Fault read_dependency(const Step& s, const Before& before) const;
  // `s.from`, by its predicate `s.from_op`, comes before `s.to`.
  [[nodiscard]] Fault anti_dependency(const Step& s, const Before& before) const;
  // Of the versions that the steps leave to the anomaly's predicate none explains its result. `step`: what is wrong
  // with a step by itself.
  [[nodiscard]] Fault walk(const Anomaly& a, const Before& before, const std::function<Fault(const Step&)>& step) const;
  // The version that the snapshot of the anomaly's transaction shows contradicts the result of its predicate.
  [[nodiscard]] Fault against_snapshot(const Anomaly& a, const Before& before) const;

 private:
  // The match that the operation's result needs of the key; kUnclear if it needs none.
  [[nodiscard]] Match needed(OpId op, KeyId key) const;
  // What tells which version of the key was looked at.
  struct Look {
    bool told = false;
    std::vector<TxnId> seen = {};  // those that may have left it; kNoTxn: the initial one
    Match match = Match::kUnclear;
  };
  [[nodiscard]] Look look(TxnId txn, OpId op, const Step& s, const Before& before) const;
  // Those that left the version which the operation's version set names; kNoTxn: the initial one.
  [[nodiscard]] std::vector<TxnId> looked_at(TxnId txn, OpId op, KeyId key) const;
  // Who left the version that the transaction's snapshot shows; nothing if that is not known.
  [[nodiscard]] std::optional<TxnId> shown(TxnId txn, KeyId key, const Before& before) const;
  [[nodiscard]] bool is_visible(TxnId writer, TxnId txn) const;
  // What it left of the key; kNoTxn: what is there at first.
  [[nodiscard]] ValueId version_of(TxnId writer, KeyId key) const;
  // Whether the version is the reader's own, or known to come after it: no predicate of the reader was evaluated on it.
  [[nodiscard]] bool is_later(TxnId reader, TxnId txn, const Before& before) const;
  // What the transaction read of the key before it wrote it.
  [[nodiscard]] std::optional<ValueId> first_read(TxnId t, KeyId key) const;
  // The level orders transactions as wholes, not their starts and commits.
  [[nodiscard]] bool is_whole() const;
  [[nodiscard]] Fault askable(TxnId txn, OpId op, KeyId key) const;

  const History& h_;
  const Level level_;
  const Matches matches_;
  std::optional<Versions> versions_;
};

}  // namespace isolde::proof
