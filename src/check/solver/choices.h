// check/solver/choices.h: the choices that circles rest on, as variables of a SAT solver.
//
// In, out: circles -> clauses "not all of these choices", and for each open read "one of its candidates" -> a way to
//          choose that none forbids, or none.
// Always:  of two transactions one comes first: one variable a pair, whatever the keys. Transitivity is not built in:
// it
//          is learned as circles where it matters.
// Source:  CaDiCaL; lazy clause generation.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
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
  friend bool operator==(const Choice&, const Choice&) = default;
};

// The same whichever comes first.
constexpr std::uint64_t pair_id(TxnId a, TxnId b) {
  return raw(a) < raw(b) ? std::uint64_t{raw(a)} << 32 | raw(b) : std::uint64_t{raw(b)} << 32 | raw(a);
}

// How many choices the link names.
[[nodiscard]] std::size_t choices_in(const Problem& problem, const Link& link);
// Those of a circle, each once.
[[nodiscard]] std::vector<Choice> choices_of(const Problem& problem, const Circle& circle);

class Choices {
 public:
  explicit Choices(const Problem& problem);
  ~Choices();

  // False: it was there already.
  bool forbid(const Circle& circle);
  // Brings a read's candidates in.
  void open(std::uint32_t read);
  // What to choose if it does not matter.
  void prefer(const Choice& choice);

  enum class Answer : std::uint8_t { kChosen, kImpossible, kOutOfTime };
  Answer solve(const Limits& limits);
  // After kChosen: every order that occurs, one way; of every read that occurs one candidate.
  [[nodiscard]] const std::vector<Choice>& chosen() const { return chosen_; }

  [[nodiscard]] std::size_t orders() const { return pairs_.size(); }
  // After kImpossible: few of the circles that are enough for it.
  [[nodiscard]] std::vector<Circle> core(const Limits& limits) const;

 private:
  [[nodiscard]] int literal(const Choice& choice);
  int new_variable(const Choice& choice);

  const Problem& p_;
  std::unique_ptr<CaDiCaL::Solver> sat_;
  std::vector<Choice> variables_;  // variable i + 1
  std::unordered_map<std::uint64_t, int> pairs_;
  std::unordered_map<std::uint32_t, std::vector<std::pair<TxnId, int>>> sources_;  // by read
  std::vector<Circle> circles_;
  std::unordered_map<std::uint64_t, std::uint32_t> seen_;  // hash of a clause
  std::vector<Choice> chosen_;
  std::unordered_map<std::uint32_t, TxnId> preferred_source_;
};

}  // namespace isolde::solver
