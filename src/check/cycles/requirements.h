// check/cycles/requirements.h: one requirement (this version matches, or does not) turned into edges, where it can be.
//
// In, out: (transaction, operation, key, status) -> edges and mismatches in PredicateFacts, or an open requirement.
// Always:  a transaction of unknown outcome that left a version of the right status keeps a requirement open.
// Cost:    the versions of the key up to where the status changes twice.
#pragma once

#include <optional>
#include <vector>

#include "check/cycles/predicates.h"

namespace isolde::graph {

class Requirements {
 public:
  Requirements(const History& history, const Trace& trace, Slots& slots, Level level, PredicateFacts& out);

  // The transaction and operation that what follows is about.
  void enter(TxnId txn);
  void ask(OpId op, const Matcher& matcher) {
    op_ = op;
    matcher_ = &matcher;
  }

  // The version that the operation was evaluated on has this status.
  void require(KeyId key, Match status);
  // … and is among these, which are all that match, ascending.
  void require_none_of(KeyId key, std::span<const Slot> matching);
  // It was evaluated on a version that holds `value`, which has this status.
  void looked_at(KeyId key, ValueId value, const Slots::Found& found, Match status);

  void unsure(std::string why) {
    if (out_.unsure.empty()) out_.unsure = std::move(why);
  }

 private:
  struct Exact {
    Slot slot;
    OpId read = kNoOp;  // the read that shows it; kNoOp: the transaction overwrote it
  };
  [[nodiscard]] std::optional<Exact> exact(KeyId key) const;
  [[nodiscard]] bool maybe(KeyId key, Match status) const;
  [[nodiscard]] bool is_mine(Slot s) const { return slots_.writer(s) == txn_; }
  // The first slot of an ordered key after those that can be meant.
  [[nodiscard]] Slot end_for_me(KeyId key) const;
  void require_exact(KeyId key, const Exact& exact, Match status);
  void require_exact_again(KeyId key, Match status);
  void require_earliest(KeyId key, Match status);
  void require_in_runs(KeyId key, Match status);
  void require_unordered(KeyId key, Match status);
  void one_run(KeyId key, Slot first, Slot last, Slot end);
  void edge(KeyId key, Slot other, bool anti);
  void open(KeyId key, Match status) { out_.open.push_back({txn_, op_, key, status}); }
  void mismatch(KeyId key, Match status, std::vector<Step> steps);

  const History& h_;
  const Trace& trace_;
  Slots& slots_;
  const PredicateRule rule_;
  const bool overwrites_follow_;  // who overwrites a version saw it
  PredicateFacts& out_;
  TxnId txn_ = kNoTxn;
  OpId op_ = kNoOp;
  const Matcher* matcher_ = nullptr;
  struct Known {
    TxnId txn = kNoTxn;
    Slot slot = kNoSlot;
    OpId read = kNoOp;
  };
  [[nodiscard]] Slot own_slot(KeyId key) const { return own_[raw(key)].txn == txn_ ? own_[raw(key)].slot : kNoSlot; }
  std::vector<Known> read_, own_;           // by key: what the transaction read of it, and what it left
  std::vector<TxnId> edge_from_, edge_to_;  // by transaction: the reader that has an edge already
};

}  // namespace isolde::graph
