#include "proof/case_claims.h"

#include <fmt/format.h>
#include <minisat/core/Solver.h>

#include <algorithm>

#include "proof/choices.h"
#include "proof/operations.h"

namespace isolde::proof {
namespace {

bool can_be_made(const Choices& choices) {
  Minisat::Solver solver;
  for (std::size_t i = 0; i < choices.all.size(); ++i) solver.newVar();
  for (const Clause& clause : choices.clauses) {
    Minisat::vec<Minisat::Lit> any_of;
    for (const Literal& l : clause.any_of) any_of.push(Minisat::mkLit(static_cast<Minisat::Var>(l.choice), !l.made));
    solver.addClause_(any_of);
  }
  return solver.solve();
}

// Its operations are its own.
bool names_own_operations(const History& h, const Step& s) {
  const auto has = [&](TxnId t, OpId op) { return op == kNoOp || (raw(op) >= h.first_op(t) && raw(op) < h.end_op(t)); };
  return has(s.from, s.from_op) && has(s.to, s.to_op);
}

}  // namespace

Fault CaseClaims::fault(const Anomaly& a) const {
  const LevelFamily family = info(level_).family;
  const bool has_orders = family == LevelFamily::kSerializable || family == LevelFamily::kSnapshot ||
                          family == LevelFamily::kPrefix || level_ == Level::kRepeatableRead;
  if (!has_orders) return "the level does not ask for an order of the transactions";
  if (a.cases.empty()) return "has no cases";
  if (!a.steps.empty()) return "has steps beside its cases";
  const PossibleWriters writers(h_, assumed_reads(a));
  for (std::size_t i = 0; i < a.cases.size(); ++i) {
    if (const Fault wrong = cycle(a, a.cases[i], writers)) return fmt::format("case {}: {}", i + 1, *wrong);
  }
  const Choices choices(h_, a, writers, [this](TxnId t) { return counted_[raw(t)]; });
  return holds(!can_be_made(choices), "its cases leave a way to choose");
}

Fault CaseClaims::cycle(const Anomaly& a, const Case& one, const PossibleWriters& writers) const {
  if (Fault wrong = cycles_.cycle_fault(one.steps)) return wrong;
  if (!may_all_count(one)) return "a transaction in it does not count as committed";
  for (const Step& s : one.steps) {
    if (Fault wrong = step(a, s, writers)) return wrong;
  }
  return std::nullopt;
}

// Those of unknown outcome are a choice.
bool CaseClaims::may_all_count(const Case& one) const {
  const auto may_count = [this](TxnId t) { return counted_[raw(t)] || h_.status(t) == Status::kUnknown; };
  return std::all_of(one.steps.begin(), one.steps.end(), [&](const Step& s) {
    return may_count(s.from) && may_count(s.to) && (s.source == kNoTxn || may_count(s.source));
  });
}

Fault CaseClaims::step(const Anomaly& a, const Step& s, const PossibleWriters& writers) const {
  if (!names_own_operations(h_, s)) return "a step names another transaction's operation";
  if (s.ground == Ground::kAssumed) return assumed(s, writers);
  if (Fault wrong = cycles_.known_step_fault(a, s)) return wrong;
  if (s.type != StepType::kRw || s.source == kNoTxn) return std::nullopt;
  return holds(cycles_.version_read(s.from, s.from_op, s.key) == s.source,
               "it did not read from the one that it names");
}

Fault CaseClaims::assumed(const Step& s, const PossibleWriters& writers) const {
  if (s.key == kNoKey) return "a step names no key";
  if (s.from == s.to) return "a step leads nowhere";
  switch (s.type) {
    case StepType::kWw:
      return holds(writes(h_, s.from, s.key) && writes(h_, s.to, s.key), "they do not both write the key");
    case StepType::kWr:
      return holds(may_read_from(s.to, s.to_op, s.key, s.from, writers), "the second cannot have read from the first");
    case StepType::kRw:
      if (!writes(h_, s.to, s.key)) return "it is overwritten by one that does not write the key";
      if (s.to == s.source) return "it is overwritten by the one that wrote it";
      return holds(may_read_from(s.from, s.from_op, s.key, s.source, writers),
                   "it cannot have read from the one that it names");
    default:
      return "a step is assumed that is not a choice";
  }
}

bool CaseClaims::may_read_from(TxnId reader, OpId op, KeyId key, TxnId writer, const PossibleWriters& writers) const {
  const std::vector<TxnId>* const possible = writers.of(op, key);
  if (possible == nullptr) return cycles_.version_read(reader, op, key) == writer;
  return std::find(possible->begin(), possible->end(), writer) != possible->end();
}

}  // namespace isolde::proof
