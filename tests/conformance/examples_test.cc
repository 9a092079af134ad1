// What `isolde explain` shows is true: every example breaks and keeps what its row says, by the oracle.
#include <gtest/gtest.h>

#include <string>

#include "anomaly/anomaly.h"
#include "anomaly/level.h"
#include "check/choose/choose.h"
#include "check/choose/strongest.h"
#include "check/engine.h"
#include "format/native.h"
#include "tests/oracle/oracle.h"

namespace isolde {
namespace examples_test {

History parsed(std::string_view text) {
  Source source;
  source.path = "example";
  source.files.push_back({"example", text, nullptr});
  Result<ReadResult> read = kNativeFormat.read(source, {});
  if (!read) {
    ADD_FAILURE() << read.error().message() << "\n" << text;
    return parsed("");
  }
  return std::move(read->history);
}

// Version orders always count; timestamps only at the levels whose promise they are (CONTRACT section 1).
OracleVerdict judge(const History& h, Level level) {
  OracleEvidence use = OracleEvidence::kVersions;
  if (info(level).family == LevelFamily::kSnapshot) use = use | OracleEvidence::kTimestamps;
  const OracleVerdict verdict = oracle(h, level, use);
  // The oracle does not evaluate predicates, so of a search it can say only that it is wrong.
  const bool searches = !h.columns().predicates.empty();
  return searches && verdict == OracleVerdict::kSatisfied ? OracleVerdict::kNotApplicable : verdict;
}

TEST(Examples, EachAnomalyBreaksAndKeepsWhatItSays) {
  for (const AnomalyInfo& row : all_anomalies()) {
    const History h = parsed(row.example);
    int judged = 0;
    for (const LevelInfo& level : all_levels()) {
      const OracleVerdict verdict = judge(h, level.level);
      if (verdict == OracleVerdict::kNotApplicable) continue;
      const bool violated = verdict == OracleVerdict::kViolated;
      judged += violated ? 1 : 0;
      EXPECT_EQ(violated, proscribes(level.level, row.kind)) << row.name << " at " << level.name;
    }
    EXPECT_TRUE(judged > 0 || !h.columns().predicates.empty()) << row.name;
  }
}

// As `isolde check` does it.
Outcome checked(const History& h, Level level) {
  const Choice choice = choose(h, level, {});
  if (choice.engine == nullptr) return Outcome::kUndecided;
  const Verdict verdict = LevelChecks(h, {}).check(choice, level, Limits{});
  return verdict.holds ? Outcome::kSatisfied : verdict.outcome;  // as far as it was tested
}

TEST(Examples, TheEnginesJudgeEachAnomalyAsTheTableSays) {
  for (const AnomalyInfo& row : all_anomalies()) {
    const History h = parsed(row.example);
    for (const LevelInfo& level : all_levels()) {
      const Outcome outcome = checked(h, level.level);
      if (outcome == Outcome::kUndecided) continue;
      EXPECT_EQ(outcome == Outcome::kViolated, proscribes(level.level, row.kind)) << row.name << " at " << level.name;
    }
  }
}

TEST(Examples, EachLevelIsBrokenByItsExample) {
  for (const LevelInfo& row : all_levels()) {
    const History h = parsed(row.example);
    EXPECT_EQ(judge(h, row.level), OracleVerdict::kViolated) << row.name;
    EXPECT_FALSE(row.summary.empty() || row.definition.empty() || row.example_says.empty()) << row.name;
  }
}

// The example's text without its read number `n`; empty if it has fewer.
std::string without_read(std::string_view text, int n) {
  std::size_t from = text.find("[\"r\"");
  for (int i = 0; i < n && from != std::string_view::npos; ++i) from = text.find("[\"r\"", from + 1);
  if (from == std::string_view::npos) return {};
  std::size_t to = text.find(']', from) + 1;
  if (text[to] == ',') {
    ++to;
  } else if (text[from - 1] == ',') {
    --from;
  }
  return std::string(text.substr(0, from)) + std::string(text.substr(to));
}

TEST(Examples, EachLevelsExampleHasNoIdleRead) {
  for (const LevelInfo& row : all_levels()) {
    const std::uint32_t ops = parsed(row.example).op_count();
    for (int i = 0;; ++i) {
      const std::string smaller = without_read(row.example, i);
      if (smaller.empty()) break;
      const History h = parsed(smaller);
      ASSERT_EQ(h.op_count(), ops - 1) << smaller;
      EXPECT_EQ(judge(h, row.level), OracleVerdict::kSatisfied) << row.name << "\n" << smaller;
    }
  }
}

}  // namespace examples_test
}  // namespace isolde
