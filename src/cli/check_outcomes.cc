#include "cli/check_outcomes.h"

#include <fmt/format.h>

#include "anomaly/level.h"
#include "report/text.h"

namespace isolde::cli {
namespace {

std::string one_line(const Report& report) {
  const Verdict& verdict = report.verdict;
  const std::string_view level = info(verdict.level).name;
  switch (verdict.outcome) {
    case Outcome::kSatisfied:
      return fmt::format("satisfies {}", level);
    case Outcome::kUndecided:
      return fmt::format("undecided at {}: {}", level, verdict.reason);
    case Outcome::kViolated:
      break;
  }
  return fmt::format("violates {}: {}", level, counts_text(report.history, verdict));
}

}  // namespace

Result<CheckOutcomes> CheckOutcomes::from(std::string_view suite, const Arguments& args) {
  auto outcomes = Outcomes::from(suite, "check", args);
  if (!outcomes) return std::move(outcomes).error();
  return CheckOutcomes(*std::move(outcomes));
}

Exit CheckOutcomes::compare(Report& report, Exit exit) {
  if (report.verdict.outcome != Outcome::kViolated) return exit;
  Outcomes::Judgement judgement = outcomes_.judge(findings_of(report), exit);
  report.known = std::move(judgement.known);
  return judgement.exit;
}

void CheckOutcomes::add_answer(const Report& report, Exit exit) {
  if (!outcomes_.wanted()) return;
  CiCase one;
  one.name = report.file;
  one.level = info(report.verdict.level).name;
  one.message = one_line(report);
  one.details = render_text(report, {});
  one.seconds = report.stats.load_seconds + report.stats.check_seconds;
  outcomes_.add(std::move(one), {exit, report.known}, report.verdict.outcome == Outcome::kViolated);
}

}  // namespace isolde::cli
