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
  std::string text = fmt::format("violates {}: {}", level, counts_text(report.history, verdict));
  if (report.known && report.known->all_known()) text += fmt::format("; all known ({})", report.known->baseline);
  return text;
}

CiCase::Result result_of(Exit exit, const Report& report) {
  if (report.verdict.outcome == Outcome::kViolated)
    return exit == Exit::kFine ? CiCase::Result::kKnown : CiCase::Result::kViolated;
  return exit == Exit::kFine ? CiCase::Result::kPassed : CiCase::Result::kUndecided;
}

}  // namespace

Result<CheckOutcomes> CheckOutcomes::from(const Arguments& args) {
  CheckOutcomes outcomes(args);
  if (!args.has("baseline")) return outcomes;
  auto baseline = Baseline::read(args.text("baseline"));
  if (!baseline) return std::move(baseline).error();
  outcomes.baseline_ = *std::move(baseline);
  return outcomes;
}

Exit CheckOutcomes::compare(Report& report, Exit exit) {
  if (report.verdict.outcome != Outcome::kViolated) return exit;
  if (baseline_) {
    report.known = baseline_->compare(report);
    if (report.known->all_known()) exit = Exit::kFine;
  }
  if (write_to_.empty()) return exit;
  const std::vector<KnownFinding> findings = findings_of(report);
  for (KnownFinding one : findings) {
    if (baseline_) one.why = baseline_->why(one);
    found_.push_back(std::move(one));
  }
  return findings.empty() ? exit : Exit::kFine;
}

void CheckOutcomes::add_answer(const Report& report, Exit exit) {
  if (!ci_.wanted()) return;
  CiCase one;
  one.name = report.file;
  one.level = info(report.verdict.level).name;
  one.result = result_of(exit, report);
  one.message = one_line(report);
  one.details = render_text(report, {});
  one.seconds = report.stats.load_seconds + report.stats.check_seconds;
  ci_.add(std::move(one));
}

void CheckOutcomes::add_bad_input(const std::string& file, const Error& error) {
  if (!ci_.wanted()) return;
  CiCase one;
  one.name = file;
  one.result = error.out_of_time ? CiCase::Result::kUndecided : CiCase::Result::kBadInput;
  one.message = error.message();
  one.place = error;
  ci_.add(std::move(one));
}

Exit CheckOutcomes::finish(bool quiet) const {
  Exit exit = ci_.write();
  if (baseline_ && !quiet) {
    for (const std::string& entry : baseline_->unseen())
      print_error(fmt::format("{}: no longer found: {}", baseline_->path(), entry));
  }
  if (!write_to_.empty()) exit = worse(exit, write_whole_file(write_to_, baseline_text(found_)));
  return exit;
}

}  // namespace isolde::cli
