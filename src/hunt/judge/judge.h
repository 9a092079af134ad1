// hunt/judge/judge.h: what an instrumented run says: whether it can be judged at all, whether the declared level was
// kept, which statements stand in the way of an oracle, and in which orders the statements, run alone, must give the
// same.
//
// Always: an order is handed out only if, by the versions that the run showed, every statement would see exactly the
//         rows that it saw; so a server that answers otherwise is wrong, whatever the dependencies say.
// Source: TxCheck, sections 3.1 and 3.3 and appendices A to C.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "anomaly/level.h"
#include "base/rng.h"
#include "history/history.h"
#include "hunt/case/case.h"
#include "hunt/run/execution.h"

namespace isolde::hunt {

enum class DependencyKind : std::uint8_t {
  kItemRead,
  kItemWrite,
  kItemAnti,
  kPredicateRead,
  kPredicateWrite,
  kPredicateAnti,
  kValueWrite,
};
[[nodiscard]] std::string_view name(DependencyKind kind);

struct Dependency {
  Place from, to;  // `to` depends on `from`
  DependencyKind kind;
  std::string table;
  std::int64_t pkey = 0;
};

// Statements of committed transactions that were carried out, and what depends on what.
struct StatementGraph {
  std::vector<Place> statements;
  std::vector<Dependency> dependencies;  // one of each kind for a pair of statements
};
// Requires: no statement of a committed transaction is `apart`.
[[nodiscard]] StatementGraph statement_graph(const Case& test, const Execution& execution);

// The graph without these statements.
[[nodiscard]] StatementGraph without(const StatementGraph& graph, const std::vector<Place>& places);

// Few statements without which there is no cycle, in no particular order; empty: there is none. Writers are spared.
[[nodiscard]] std::vector<Place> statements_to_drop(const StatementGraph& graph, const Case& test, Rng& rng);

// An order, drawn at random, in which every dependency points forward. Requires: no cycle.
[[nodiscard]] std::vector<Place> draw_order(const StatementGraph& graph, Rng& rng);
// By the versions alone: would every statement, run in this order, see the rows that it saw, and is every one that
// writes among them? None: yes; else why not.
[[nodiscard]] std::optional<std::string> why_no_oracle(const Case& test, const Execution& execution,
                                                       const std::vector<Place>& order);

// The execution as a history for the checkers: a key is "table/pkey", a value its vkey; the extra reads are reads.
// kLeftOut: rows that a read did not find are not in it, for levels that say nothing of phantoms.
enum class Absences : std::uint8_t { kReads, kLeftOut };
[[nodiscard]] Result<History> history_of(const Case& test, const Execution& execution,
                                         Absences absences = Absences::kReads);

}  // namespace isolde::hunt
