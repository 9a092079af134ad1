// hunt/trial/run_judge.h: what is said of one run of a case, whoever had it run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hunt/finding/finding.h"
#include "hunt/judge/compare.h"
#include "hunt/run/arena.h"
#include "hunt/trial/trial.h"

namespace isolde::hunt {

class RunJudge {
 public:
  RunJudge(const Arena& arena, const TrialOptions& options, TrialCounts& counts)
      : arena_(arena), options_(options), counts_(counts) {}

  [[nodiscard]] Finding finding(const Case& test, const Execution& execution, Difference difference,
                                std::vector<Place> alone) const;

  // The cause that the level is known for, if some statement that locks saw rows that were not the latest.
  [[nodiscard]] std::string known_cause(const Case& test, const Execution& execution) const;

  // What the run shows by itself. `asked`: that kind only. Else what tells most: what was undone and seen, a broken
  // level, then the rest.
  [[nodiscard]] std::optional<Difference> at_once(const Case& test, const Execution& execution,
                                                  std::optional<Wrong> asked) const;

 private:
  [[nodiscard]] std::optional<Difference> broken_isolation(const Case& test, const Execution& execution) const;

  const Arena& arena_;
  const TrialOptions& options_;
  TrialCounts& counts_;
};

// A constraint is checked against the latest rows, so a statement whose snapshot was older may fail alone.
[[nodiscard]] bool is_excused(const Case& test, const Execution& execution, const Difference& difference);

// Every statement was carried out without waiting, and every transaction ended as the case says.
[[nodiscard]] bool all_as_wanted(const Case& test, const Execution& execution);

}  // namespace isolde::hunt
