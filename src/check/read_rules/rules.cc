#include "check/read_rules/rules.h"

#include <fmt/format.h>

#include "check/read_rules/read_rules.h"

namespace isolde {
namespace {

std::string rules_lack(const History& /*history*/, Level /*level*/) { return {}; }

Verdict check_by_rules(const History& history, Level level, const Limits& limits) {
  Verdict verdict;
  verdict.level = level;
  verdict.method = kRulesEngine.name;
  const bool whole = add_read_rule_anomalies(history, level, limits, verdict);
  if (verdict.total() > 0) {
    verdict.outcome = Outcome::kViolated;
    verdict.notes.emplace_back("only the read rules were checked; there may be more anomalies");
    return verdict;
  }
  verdict.outcome = Outcome::kUndecided;
  verdict.reason =
      whole ? fmt::format("every read rule holds, but {} requires more, and no other method can judge it here",
                          info(level).name)
            : limits.exhausted_by();
  return verdict;
}

}  // namespace

constinit const Engine kRulesEngine{
    .name = "rules",
    .summary = "only the read rules: aborted, intermediate, never-written and internal reads",
    .lacks = rules_lack,
    .check = check_by_rules};

}  // namespace isolde
