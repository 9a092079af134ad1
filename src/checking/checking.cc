#include "checking/checking.h"

#include <fmt/format.h>

#include <utility>

namespace isolde {

Result<std::unique_ptr<Checking>> Checking::of(const History& history, Level asked, const Options& options) {
  const EvidenceUse& evidence = options.choose.evidence;
  const auto level = judged_level(asked, evidence);
  if (!level) return level.error();
  return std::unique_ptr<Checking>(new Checking(evidence.empty() ? history : judged_history(history, evidence), *level,
                                                evidence_notes(history, asked, *level, evidence), options));
}

Checking::Checking(History history, Level level, std::vector<std::string> notes, const Options& options)
    : history_(std::move(history)),
      level_(level),
      notes_(std::move(notes)),
      options_(options.choose),
      choice_(choose(history_, level, options_)),
      checks_(history_, options_, options.engine) {}

std::string Checking::refusal() const {
  return choice_.engine == nullptr && !options_.method.empty() ? choice_.why : std::string();
}

std::string Checking::method() const {
  return choice_.engine == nullptr ? std::string() : fmt::format("{}, {}", choice_.engine->name, choice_.why);
}

Verdict Checking::check(const Limits& limits) {
  if (choice_.engine != nullptr) return checks_.check(choice_, level_, limits);
  Verdict verdict;
  verdict.level = level_;
  verdict.method = "none";
  verdict.leave_open(WhyOpen::kNoMethod, choice_.why);
  return verdict;
}

Checking::Proved Checking::prove(Verdict& verdict) const {
  if (verdict.outcome == Outcome::kUndecided && !verdict.holds) return {};
  const auto proof = isolde::prove(history_, verdict);
  if (proof) return {verdict.given == Given::kProfile ? Proof::kStepsHold : Proof::kHolds};
  verdict.leave_open(WhyOpen::kNotProved,
                     fmt::format("the verdict \"{}\" could not be proved; please report this", name(verdict.outcome)));
  return {Proof::kFails, proof.error().text};
}

std::string Checking::other_order(const Verdict& verdict, const Limits& limits) {
  return checks_.other_order(verdict, limits);
}

Strongest Checking::strongest(const Verdict& verdict, const Limits& limits) {
  return checks_.strongest(verdict, limits);
}

std::vector<MethodCase> Checking::methods() const { return explain_choice(history_, level_, options_); }

}  // namespace isolde
