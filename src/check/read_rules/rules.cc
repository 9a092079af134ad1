#include "check/read_rules/rules.h"

#include <fmt/format.h>

#include "check/read_rules/read_rules.h"

namespace isolde {
namespace {

std::string rules_lack(const History& /*history*/, Level /*level*/) { return {}; }

Verdict judge_by_rules(CheckContext& context, Level level, const Limits& limits) {
  Verdict verdict;
  verdict.level = level;
  const bool whole = add_read_rule_anomalies(context.history(), level, limits, verdict);
  if (verdict.total() > 0) {
    verdict.outcome = Outcome::kViolated;
    verdict.notes.emplace_back("only the read rules were checked; there may be more anomalies");
  } else if (whole) {
    verdict.leave_open(WhyOpen::kFindsOnly,
                       fmt::format("every read rule holds, but {} requires more, and no other method can judge it here",
                                   info(level).name));
  } else {
    verdict.leave_open(limits);
  }
  return verdict;
}

}  // namespace

constinit const Engine kRulesEngine{
    .name = "rules",
    .summary = "only the read rules: aborted, intermediate, never-written and internal reads",
    .certifies = false,
    .taken_because = "there is no other usable evidence",
    .lacks = rules_lack,
    .judge = judge_by_rules};

}  // namespace isolde
