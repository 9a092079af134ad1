// check/cycles/predicates.h: what scans, aggregates and predicate updates say of order, and what in them cannot be.
//
// In, out: a Trace with the order of versions -> dependencies by Adya's "changes the matches", results that nothing
//          explains, and requirements that the order of versions alone leaves open.
// Always:  an edge and a mismatch are forced. What an operation requires of a key (that the version which it was
//          evaluated on matches, or does not) is met by runs of versions; with one run the edges say: after the
//          transaction that began the run, before the one that ended it. A version set says which run.
// Cost:    with version sets, the versions next to those looked at; else the versions that match (narrow ranges: found
//          by an index), or all.
// Source:  Adya (predicate dependencies); Emme, section 4.2, without its cost of predicates x versions.
#pragma once

#include <string>
#include <vector>

#include "anomaly/anomaly.h"
#include "base/limits.h"
#include "check/cycles/dependencies.h"
#include "check/cycles/match.h"

namespace isolde::graph {

// The version of `key` that `op` was evaluated on matches, or does not: several runs of versions would do.
struct OpenRequirement {
  TxnId txn;
  OpId op;
  KeyId key;
  Match match;
};

// An aggregate without a version set.
struct OpenAggregate {
  TxnId txn;
  OpId op;
};

struct PredicateFacts {
  std::vector<PredicateEdge> edges;  // by reader
  std::vector<Anomaly> mismatches;
  std::vector<OpenRequirement> open;           // by txn
  std::vector<OpenAggregate> open_aggregates;  // by txn
  // PredicateRule::kResult: the version that an operation looked at of some key may make a difference. None does where
  // a scan returned every key that any version matches: of the others it may have looked at the latest that its
  // transaction knows of, which asks nothing new.
  bool choice_matters = false;
  std::string unsure;  // why an order may satisfy all of the above and still not explain the results; empty if it can't

  [[nodiscard]] bool decided() const { return open.empty() && open_aggregates.empty() && unsure.empty(); }
};

// How a level binds the versions that a predicate was evaluated on.
enum class PredicateRule : std::uint8_t {
  kNone,
  kResult,        // results follow from own writes and version sets
  kDependencies,  // … and read-dependencies form no cycle
  kState,         // all are of one state
};
[[nodiscard]] PredicateRule predicate_rule(Level level);

[[nodiscard]] PredicateFacts find_predicate_facts(const History& history, const PredicateSet& predicates,
                                                  const Trace& trace, Slots& slots, Level level, const Limits& limits);

}  // namespace isolde::graph
