#include "cli/outcomes.h"

#include <fmt/format.h>

#include <utility>

namespace isolde::cli {

Result<Outcomes> Outcomes::from(std::string_view suite, std::string_view verb, const Arguments& args) {
  Outcomes outcomes(suite, args);
  if (!args.has("baseline")) return outcomes;
  auto baseline = Baseline::read(args.text("baseline"), verb);
  if (!baseline) return std::move(baseline).error();
  outcomes.baseline_ = *std::move(baseline);
  return outcomes;
}

Outcomes::Judgement Outcomes::judge(std::vector<KnownFinding> found, Exit exit, Exit without) {
  Judgement judgement{exit, std::nullopt};
  if (found.empty()) return judgement;
  if (baseline_) {
    judgement.known = baseline_->compare(found);
    if (judgement.known->all_known()) judgement.exit = without;
  }
  if (write_to_.empty()) return judgement;
  judgement.exit = without;
  for (KnownFinding& one : found) {
    if (baseline_) one.why = baseline_->why(one);
    found_.push_back(std::move(one));
  }
  return judgement;
}

void Outcomes::add(CiCase one, const Judgement& judgement, bool found) {
  if (!ci_.wanted()) return;
  using Result = CiCase::Result;
  switch (judgement.exit) {
    case Exit::kFine:
      one.result = found ? Result::kKnown : Result::kPassed;
      break;
    case Exit::kFound:
      one.result = Result::kViolated;
      break;
    case Exit::kUndecided:
      one.result = Result::kUndecided;
      break;
    case Exit::kBadInput:
      one.result = Result::kBadInput;
      break;
  }
  if (judgement.known && judgement.known->all_known())
    one.message += fmt::format("; all known ({})", judgement.known->baseline);
  ci_.add(std::move(one));
}

void Outcomes::add_bad_input(const std::string& name, const Error& error) {
  if (!ci_.wanted()) return;
  CiCase one;
  one.name = name;
  one.result = error.out_of_time ? CiCase::Result::kUndecided : CiCase::Result::kBadInput;
  one.message = error.message();
  one.place = error;
  ci_.add(std::move(one));
}

Exit Outcomes::finish(bool quiet) const {
  Exit exit = ci_.write();
  if (baseline_ && !quiet) {
    for (const std::string& entry : baseline_->unseen())
      print_error(fmt::format("{}: no longer found: {}", baseline_->path(), entry));
  }
  if (!write_to_.empty()) exit = worse(exit, write_whole_file(write_to_, baseline_text(found_)));
  return exit;
}

std::string known_text(const std::optional<KnownFindings>& known) {
  if (!known) return {};
  std::string text;
  const auto line = [&](std::string_view what, const std::vector<std::string>& names, std::string_view where) {
    if (!names.empty()) text += fmt::format("{}: {} ({}{})\n", what, fmt::join(names, ", "), where, known->baseline);
  };
  line("known", known->known, "");
  line("new", known->fresh, "not in ");
  return text;
}

}  // namespace isolde::cli
