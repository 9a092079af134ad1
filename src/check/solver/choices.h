// check/solver/choices.h: the choices that cycles rest on, as variables of a SAT problem, and their present values.
//
// In, out: cycles -> clauses "not all of these choices", and for each open read "one of its candidates" -> a way to
//          choose that none forbids, or none.
// Always:  of two transactions one comes first: one variable a pair, whatever the keys. Transitivity is not built in:
// it
//          is learned as cycles where it matters. What only one choice is left of is fixed for good.
// Cost:    most new clauses are met by changing a few values near them; where that fails a SAT solver is asked.
// Source:  CaDiCaL; lazy clause generation; local search (WalkSAT).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/limits.h"
#include "check/solver/problem.h"

namespace CaDiCaL {
class Solver;
}

namespace isolde::solver {

// A choice, made so.
struct Choice {
  TxnId first = kNoTxn, second = kNoTxn;  // of an order: `first` comes before `second`
  std::uint32_t read = kNoRead;           // of a read: it has `first` as its writer (kNoTxn: the initial state)

  [[nodiscard]] bool is_order() const { return read == kNoRead; }
  [[nodiscard]] Choice reversed() const { return {second, first, read}; }
  friend bool operator==(const Choice&, const Choice&) = default;
};

// The same whichever comes first.
constexpr std::uint64_t pair_id(TxnId a, TxnId b) {
  return raw(a) < raw(b) ? std::uint64_t{raw(a)} << 32 | raw(b) : std::uint64_t{raw(b)} << 32 | raw(a);
}

// How many choices the link names.
[[nodiscard]] std::size_t choices_in(const Problem& problem, const Link& link);
// Those of a cycle, each once.
[[nodiscard]] std::vector<Choice> choices_of(const Problem& problem, const Cycle& cycle);

class Choices {
 public:
  // `since`: how lately a choice of an order was made; of several that could be changed the latest is.
  using Since = std::function<std::uint32_t(const Choice& choice)>;
  Choices(const Problem& problem, Since since);
  ~Choices();

  // Requires: the choices of the cycle are as they stand. False: it was there already.
  bool forbid(const Cycle& cycle);
  // Brings a read's candidates in, and has it read from `writer` at first. False: they were there already.
  bool open(std::uint32_t read, TxnId writer);

  enum class Answer : std::uint8_t { kChosen, kImpossible, kLimit };
  // Changes values until no clause forbids them.
  Answer settle(const Limits& limits);
  // After kChosen: the orders and reads whose choice is new or another since the last time.
  [[nodiscard]] const std::vector<Choice>& changed() const { return changed_; }

  [[nodiscard]] std::size_t orders() const { return orders_; }
  [[nodiscard]] std::size_t fixed() const { return fixed_; }  // orders that have no choice left
  // Those that were forbidden, each once.
  [[nodiscard]] const std::vector<Cycle>& cycles() const { return cycles_; }

 private:
  using Variable = std::uint32_t;
  struct Literal {
    std::uint32_t code;  // 2 * variable, and 1 if negated
    [[nodiscard]] Variable variable() const { return code / 2; }
    [[nodiscard]] bool is_negated() const { return code % 2 != 0; }
    [[nodiscard]] Literal negated() const { return {code ^ 1}; }
  };
  using Clause = std::vector<Literal>;

  [[nodiscard]] Literal literal(const Choice& choice, bool value);
  Literal new_variable(const Choice& choice, bool value);
  [[nodiscard]] bool is_true(Literal l) const { return (value_[l.variable()] != 0) != l.is_negated(); }
  // What of a clause is not fixed.
  struct Rest {
    bool met = false;      // by a literal that is fixed
    std::size_t open = 0;  // literals
    Literal last{};        // of them
  };
  [[nodiscard]] Rest rest_of(const Clause& clause) const;
  void add(Clause clause);
  bool fix(Literal l);
  bool repair();
  [[nodiscard]] bool pick(const Clause& clause, Literal& out) const;
  void set(Literal l);
  Answer ask(const Limits& limits);
  void note_changes();

  const Problem& p_;
  const Since since_;
  std::unique_ptr<CaDiCaL::Solver> sat_;
  std::size_t in_sat_ = 0;         // clauses that the solver has
  std::vector<Choice> variables_;  // an order: as it is if the variable is true
  std::vector<std::uint8_t> value_, is_fixed_;
  std::vector<std::uint32_t> round_;                    // by variable: when it was last changed
  std::vector<std::vector<std::uint32_t>> clauses_of_;  // by literal: clauses that hold it
  std::vector<Clause> clauses_;
  std::vector<std::uint32_t> broken_;  // clauses without a true literal, perhaps
  std::uint32_t rounds_ = 0;
  std::size_t orders_ = 0, fixed_ = 0;
  bool impossible_ = false;
  std::unordered_map<std::uint64_t, Variable> pairs_;
  std::unordered_map<std::uint32_t, std::vector<std::pair<TxnId, Variable>>> sources_;  // by read
  std::unordered_map<std::uint32_t, TxnId> source_;                                     // that was said last
  std::vector<Cycle> cycles_;
  std::unordered_set<std::uint64_t> seen_;  // hashes of clauses
  std::vector<Variable> touched_;
  std::vector<Choice> changed_;
};

}  // namespace isolde::solver
