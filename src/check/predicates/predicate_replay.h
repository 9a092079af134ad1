// check/predicates/predicate_replay.h: replays an order of transactions and asks every predicate of the state it met.
//
// In, out: a History, its predicates, an order of starts and commits -> the rows that scans and updates missed or had
//          too many, the aggregates that are wrong, and whether something could not be decided.
// Always:  a predicate operation is evaluated on the state at its transaction's start (serial: at its place) with the
//          transaction's own earlier writes on top. Updates are evaluated, not believed. A row that a scan returned and
//          that is not the state's is an item read, which is the caller's matter; here it only has to match its own
//          condition. Nothing rests on a version on which the condition has a fault.
// Cost:    linear in events, writes and results; a predicate costs one look at an array of 4 bytes a key, or, with many
//          keys and a narrow range, as much as it finds (state_matches.h).
// Source:  Enne, algorithm 4; version sets: docs/predicates.md.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "anomaly/anomaly.h"
#include "base/limits.h"
#include "history/history.h"
#include "history/predicate_set.h"

namespace isolde {

struct PredicateFinding {
  enum class Basis : std::uint8_t {
    kState,   // the version that the state has, or that the transaction itself wrote
    kItself,  // the operation contradicts itself: its row does not match, or its result does not follow from its vset
    // `expected` stands between the vset's version and the state's, and does not match as the vset's does:
    kChangedSince,  // … after the version of the vset, and its writer before the transaction
    kChangedLater,  // … before the version of the vset, and its writer after the transaction
  };
  Basis basis;
  ReadSource source;  // kRowMissed, kRowExtra or kWrongAggregate
  TxnId txn;
  OpId op;
  KeyId key;                  // kNoKey: an aggregate
  ValueId read;               // what the operation recorded of the key (kNullValue: nothing), or the aggregate's value
  ValueId expected;           // the version that it was evaluated on
  TxnId writer;               // of that version; kNoTxn: initial
  std::string expected_text;  // of an aggregate: the right result as JSON
};

struct PredicateReplay {
  std::vector<PredicateFinding> findings;  // those that are sure, at most Limits::max_anomalies of them
  std::uint64_t sure = 0;                  // how many there are
  std::uint64_t open = 0;                  // findings that are not sure
  std::string undecided;                   // why an operation could not be decided; empty: all were
  bool cut_short = false;                  // the limits ran out

  [[nodiscard]] bool explained() const { return sure == 0 && open == 0 && undecided.empty() && !cut_short; }
};

// How events stand in a span: TxnIds, or TxnId * 2 for a start and TxnId * 2 + 1 for a commit (as in a Witness).
enum class EventForm : std::uint8_t { kSerial, kPoints };

// Whether a finding holds however the uncertain transactions are placed. An aggregate's is about all keys. It is asked
// before `expected_text` is made.
using IsSure = std::function<bool(const PredicateFinding& finding)>;

// Requires: set.defect() is empty; a transaction has at most one start and one commit. One that has no start is not
//           asked, one that is not among the events is left out.
[[nodiscard]] PredicateReplay replay_predicates(const History& history, const PredicateSet& set,
                                                std::span<const std::uint32_t> events, EventForm form,
                                                const Limits& limits, const IsSure& is_sure = {});

// What the predicate operations of these transactions say against themselves, whatever the state was.
[[nodiscard]] PredicateReplay contradictions_of(const History& history, const PredicateSet& set,
                                                std::span<const TxnId> txns, const Limits& limits);

}  // namespace isolde
