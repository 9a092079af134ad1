#include "anomaly/verdict.h"

#include <algorithm>
#include <utility>

namespace isolde {

std::string_view name(Outcome outcome) {
  switch (outcome) {
    case Outcome::kSatisfied:
      return "satisfied";
    case Outcome::kViolated:
      return "violated";
    case Outcome::kUndecided:
      return "undecided";
  }
  return "undecided";
}

void Verdict::leave_open(WhyOpen why, std::string words) {
  outcome = Outcome::kUndecided;
  why_open = why;
  reason = std::move(words);
  holds.reset();
  witness = {};
}

void Verdict::leave_open(const Limits& limits) {
  const WhyOpen why = limits.is_cancelled()  ? WhyOpen::kCancelled
                      : limits.out_of_work() ? WhyOpen::kWork
                                             : WhyOpen::kTime;
  leave_open(why, limits.exhausted_by());
}

void Verdict::withhold(Level form, std::string words) {
  outcome = Outcome::kUndecided;
  why_open = WhyOpen::kUntested;
  reason = std::move(words);
  holds = form;
}

void Verdict::decide(Outcome decided) {
  outcome = decided;
  why_open = WhyOpen::kDecided;
  reason.clear();
  holds.reset();
}

void Verdict::add(Anomaly anomaly, std::size_t most) {
  count(anomaly.kind);
  if (anomalies.size() < most) anomalies.push_back(std::move(anomaly));
}

bool rests_on_the_database(const Verdict& verdict) {
  const auto takes_its_word = [](const std::vector<Step>& steps) {
    return std::any_of(steps.begin(), steps.end(),
                       [](const Step& s) { return s.ground == Ground::kTimestamps || s.ground == Ground::kSnapshot; });
  };
  return std::any_of(verdict.anomalies.begin(), verdict.anomalies.end(), [&](const Anomaly& a) {
    return takes_its_word(a.steps) ||
           std::any_of(a.cases.begin(), a.cases.end(), [&](const Case& one) { return takes_its_word(one.steps); });
  });
}

}  // namespace isolde
