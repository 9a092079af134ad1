// isolde/verdict.h: the result of a check.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "isolde/history.h"

namespace isolde::api {

enum class Outcome { satisfied, violated, undecided };

// One reason why a transaction comes before another. It can be checked by hand against the history.
struct Step {
  Name from, to;
  std::string type;  // ww, wr, rw, session, realtime, …
  std::string text;
};

// One cycle of a proof by cases: it closes if all of `assume` holds.
struct Case {
  std::vector<std::string> assume;  // "T1 comes before T2 (both wrote x)"
  std::vector<Step> steps;
};

struct Anomaly {
  std::string name;                // the most specific name that fits: write-skew, GSIb, lost-update, …
  std::vector<Name> transactions;  // the guilty one first
  std::string text;                // in words
  std::vector<Step> steps;
  std::vector<Case> cases;  // no-order: no choice avoids all of them
  std::string kind;         // the general kind of `name`, as in `counts`: G2-item, GSIb, lost-update, …
};

// How a search for an order went, counted in pairs of writers of one key that no evidence orders.
struct Search {
  std::uint64_t pairs = 0;      // at the start
  std::uint64_t pruned = 0;     // ordered because the other order would close a cycle
  std::uint64_t guessed = 0;    // of the rest, ordered by a hint
  std::uint64_t searched = 0;   // ordered by the search
  std::uint64_t reads = 0;      // with several possible writers
  std::uint64_t conflicts = 0;  // dead ends that the search learned from
};

struct Verdict {
  Outcome outcome = Outcome::undecided;
  std::string error;   // if not empty, nothing was checked; says why (an unknown level or method)
  std::string reason;  // undecided: which limit ran out, or which evidence is missing
  std::string holds;   // undecided only for lack of clocks or sessions: the level that holds without them
  std::string level;
  std::string method;
  std::vector<Anomaly> anomalies;               // at most CheckOptions::max_anomalies
  std::map<std::string, std::uint64_t> counts;  // all anomalies found, by kind
  std::vector<std::string> notes;
  std::optional<Search> search;  // of the method "solver"
  // With CheckOptions::strongest: the strongest levels that hold (none implies another), and the outcome of each
  // level. A level that is not in `levels` was not checked, because a weaker one is violated.
  std::vector<std::string> strongest;
  std::map<std::string, Outcome> levels;
  std::vector<std::string> not_tested;  // those of `levels` that are undecided only for lack of clocks or sessions

  struct Content;
  std::shared_ptr<const Content> content;  // what to_json() reads
};

// An order that shows why a satisfied level holds. Transactions that are not in it do not count: they aborted, or their
// outcome is unknown and nobody saw them.
struct Witness {
  enum class Kind {
    none,          // weak levels have no such order
    serial_order,  // `order` names the transactions one after the other
    points,        // `order` has a start and a commit of each: `commit[i]` says which of them order[i] is
  };
  Kind kind = Kind::none;
  std::vector<Name> order;
  std::vector<bool> commit;
};
[[nodiscard]] Witness witness(const Verdict& verdict);

// The JSON report, one object on one line. `file` is the name of the history in it.
[[nodiscard]] std::string to_json(const Verdict& verdict, const std::string& file = {});

}  // namespace isolde::api
