#include "hunt/judge/isolation.h"

#include <fmt/format.h>

#include "checking/checking.h"
#include "hunt/judge/judge.h"
#include "report/explain_anomaly.h"

namespace isolde::hunt {
namespace {

constexpr std::uint64_t kMostSteps = 1'000'000'000;  // of the check of one case

}  // namespace

Level held_to(Level level) {
  if (level == Level::kSnapshotIsolation) return Level::kStrongSnapshotIsolation;
  if (level == Level::kSerializable) return Level::kStrictSerializable;
  return level;
}

Result<std::optional<BrokenLevel>> broken_level(const Case& test, const Execution& execution, Level level) {
  const Level held = held_to(level);
  const bool phantoms = held == Level::kRepeatableRead || held == Level::kCursorStability;
  const auto history = history_of(test, execution, phantoms ? Absences::kLeftOut : Absences::kReads);
  if (!history) return history.error();
  const auto checking = Checking::of(*history, held);
  if (!checking) return checking.error();
  Limits limits;
  WorkBudget budget(kMostSteps, "the check of what was read");
  limits.work = &budget;
  limits.max_anomalies = 4;
  Verdict verdict = (*checking)->check(limits);
  // What was there to be tested holds.
  if (verdict.outcome == Outcome::kSatisfied || verdict.holds) return std::optional<BrokenLevel>();
  if (verdict.outcome == Outcome::kUndecided) return Error{verdict.reason};
  if (const auto proved = (*checking)->prove(verdict); proved.proof == Proof::kFails)
    return Error{fmt::format("the answer of {} could not be proved: {}", verdict.method, proved.says)};
  if (verdict.anomalies.empty()) return Error{"an anomaly without a name"};
  const Explanation explanation = explain(*history, verdict.anomalies.front());
  std::string text = explanation.title;
  for (const auto* lines : {&explanation.lines, &explanation.steps})
    for (const std::string& line : *lines) text += "\n" + line;
  if (!explanation.contradiction.empty()) text += "\n" + explanation.contradiction;
  return std::optional<BrokenLevel>(BrokenLevel{full_name(verdict.anomalies.front()), std::move(text)});
}

}  // namespace isolde::hunt
