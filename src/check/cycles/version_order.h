// check/cycles/version_order.h: the order of the versions of each key, and what each step of it rests on.
//
// In, out: a Trace and the history's evidence -> for each key one chain of versions, or as much of it as is known.
// Always:  every step is forced, nothing is guessed, and names its Ground:
//            list       a read shows the two elements side by side;
//            update     a transaction read the one version and wrote the next (at levels that forbid lost updates);
//            last left  all others have their place;
//            given      a version order of the history says so (it need not be complete).
//          What timestamps and snapshots add: version_evidence.h.
// Cost:    linear in versions, reads and given entries.
// Source:  Elle (traceability, read-modify-write chains), Emme section 4.1.
#pragma once

#include <string>
#include <vector>

#include "check/cycles/trace.h"

namespace isolde::graph {

// Two transactions that read one version of a key and both wrote the key.
struct LostUpdate {
  TracedRead first, second;
};

struct VersionOrders {
  std::vector<Version> next;   // by version: the one right after it, or kNoVersion
  std::vector<Version> first;  // by key: the one right after the initial state, or kNoVersion
  std::vector<Ground> why;     // by version: what the step to it from the one before rests on
  struct Pair {
    Version before, after;
    Ground why;
  };
  std::vector<Pair>
      known;  // what else is known, of keys whose order is not complete or contradicts itself; by `before`
  std::vector<Version> heads;              // of open keys: the first of each run whose place is not known
  std::vector<std::uint32_t> heads_begin;  // by key, one more
  std::vector<std::uint32_t> known_begin;  // by version, one more: its pairs in `known`; empty: there are none
  std::vector<LostUpdate> lost_updates;
  KeyId open = kNoKey;    // a key whose order is not complete
  std::string ambiguous;  // an entry of the evidence that may be of several transactions
  std::vector<std::string> notes;

  [[nodiscard]] std::span<const Pair> known_after(Version v) const;
  void index_known();  // once `known` is filled
};

// What a level says about versions beside what is shown and given.
enum class Updates : std::uint8_t {
  kUnread,   // reads need no explanation: only what lists show side by side, and what is given, is known
  kMaySkip,  // what a list does not hold comes after it
  kFollow,   // and a transaction that reads a key and writes it writes the very next version
};

// Completes every order that is open: what is not known is taken from `place`, the places of transactions in some order
// that contradicts nothing: of a run that of its first or of its last version. A guess: it shows that a level holds if
// the graph with it has no cycle, and nothing else.
enum class PlaceBy : std::uint8_t { kFirst, kLast };
void complete_orders(const Trace& trace, std::span<const std::uint32_t> place, PlaceBy by, VersionOrders& orders);

[[nodiscard]] VersionOrders order_versions(const History& history, const Trace& trace, Updates updates);

}  // namespace isolde::graph
