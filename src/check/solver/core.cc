#include "check/solver/core.h"

#include <minisat/core/Solver.h>

#include <algorithm>
#include <unordered_map>

#include "check/solver/choices.h"

namespace isolde::solver {

namespace {

using Minisat::lbool;
using Minisat::Lit;
using Minisat::mkLit;
using Minisat::vec;

constexpr std::size_t kMostDeletions = 3000;
constexpr std::uint64_t kMostCoreSteps = 300'000'000;  // to make it smaller
constexpr std::uint64_t kStepsPerCorePropagation = 4;

class CoreFinder {
 public:
  CoreFinder(const Problem& problem, const std::vector<Cycle>& cycles) : problem_(problem) {
    for (const Cycle& cycle : cycles) {
      vec<Lit> clause;
      selectors_.push_back(mkLit(solver_.newVar()));
      clause.push(~selectors_.back());
      for (const Choice& choice : choices_of(problem, cycle)) clause.push(~literal(choice));
      solver_.addClause_(clause);
    }
  }

  // Of `wanted`, enough to leave no way to choose; empty if there is a way. `decided`: not stopped by the budget.
  std::vector<std::uint32_t> core_of(const std::vector<std::uint32_t>& wanted, bool& decided, std::int64_t budget) {
    vec<Lit> assumed;
    looked_at_ += wanted.size();
    for (const std::uint32_t i : wanted) assumed.push(selectors_[i]);
    if (budget > 0) {
      solver_.setConfBudget(budget);
    } else {
      solver_.budgetOff();
    }
    const lbool found = solver_.solveLimited(assumed);
    decided = found != l_Undef;
    std::vector<std::uint32_t> out;
    if (found != l_False) return out;
    std::vector<bool> used(static_cast<std::size_t>(solver_.nVars()), false);
    for (int i = 0; i < solver_.conflict.size(); ++i) {
      used[static_cast<std::size_t>(Minisat::var(solver_.conflict[i]))] = true;
    }
    for (const std::uint32_t i : wanted) {
      if (used[static_cast<std::size_t>(Minisat::var(selectors_[i]))]) out.push_back(i);
    }
    return out;
  }

  // Of all calls together.
  [[nodiscard]] std::uint64_t steps() const { return kStepsPerCorePropagation * solver_.propagations + looked_at_; }

 private:
  Lit literal(const Choice& choice) {
    if (!choice.is_order()) return source(choice.read, choice.first);
    const auto [at, fresh] = orders_.try_emplace(pair_id(choice.first, choice.second), 0);
    if (fresh) at->second = solver_.newVar();
    return mkLit(at->second, raw(choice.second) < raw(choice.first));
  }

  // "The read has this writer": one of its candidates has to be.
  Lit source(std::uint32_t index, TxnId writer) {
    const Read& read = problem_.reads[index];
    const auto [at, fresh] = sources_.try_emplace(index, solver_.nVars());
    if (fresh) {
      vec<Lit> one_of;
      for (const TxnId candidate : problem_.candidates_of(read)) {
        const Lit lit = mkLit(solver_.newVar());
        if (candidate != read.txn) one_of.push(lit);
      }
      solver_.addClause_(one_of);
    }
    const std::span<const TxnId> candidates = problem_.candidates_of(read);
    const auto place = std::find(candidates.begin(), candidates.end(), writer) - candidates.begin();
    return mkLit(at->second + static_cast<int>(place));
  }

  const Problem& problem_;
  Minisat::Solver solver_;
  std::uint64_t looked_at_ = 0;
  std::vector<Lit> selectors_;
  std::unordered_map<std::uint64_t, Minisat::Var> orders_;
  std::unordered_map<std::uint32_t, Minisat::Var> sources_;  // the variable of the first candidate
};

}  // namespace

std::optional<std::vector<std::uint32_t>> minimal_core_places(const Problem& problem, const std::vector<Cycle>& cycles,
                                                              const Limits& limits) {
  CoreFinder finder(problem, cycles);
  WorkBudget budget(kMostCoreSteps, "the search for a smaller core", {}, limits.work);
  std::uint64_t spent = 0;
  const auto is_over = [&] {
    budget.spend(finder.steps() - spent);
    spent = finder.steps();
    return budget.ran_out() || limits.exhausted();
  };
  std::vector<std::uint32_t> core(cycles.size());
  for (std::uint32_t i = 0; i < core.size(); ++i) core[i] = i;
  std::stable_sort(core.begin(), core.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return cycles[a].size() < cycles[b].size(); });
  bool decided = false;
  core = finder.core_of(core, decided, 0);
  if (core.empty()) return std::nullopt;
  for (int round = 0; round < 10 && !is_over(); ++round) {  // each call may find a smaller one
    std::vector<std::uint32_t> smaller = finder.core_of(core, decided, 0);
    const bool done = smaller.size() == core.size();
    core = std::move(smaller);
    if (done) break;
  }
  std::size_t tries = 0;
  for (std::size_t i = core.size(); i-- > 0 && tries < kMostDeletions && !is_over(); ++tries) {  // the longest first
    std::vector<std::uint32_t> rest = core;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
    std::vector<std::uint32_t> smaller = finder.core_of(rest, decided, 20'000);
    if (!decided || smaller.empty()) continue;
    core = std::move(smaller);
    i = std::min(i, core.size());
  }
  return core;
}

std::optional<std::vector<Cycle>> minimal_core(const Problem& problem, std::vector<Cycle> cycles,
                                               const Limits& limits) {
  const std::optional<std::vector<std::uint32_t>> core = minimal_core_places(problem, cycles, limits);
  if (!core) return std::nullopt;
  std::vector<Cycle> out;
  for (const std::uint32_t i : *core) out.push_back(std::move(cycles[i]));
  return out;
}

}  // namespace isolde::solver
