#include "probe/summary.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "probe/render.h"

namespace isolde::probe {
namespace summary_test {

constexpr db::ServerLevel kLevel = {"repeatable read", Level::kRepeatableRead, "", true};

struct Probed {
  std::vector<Scenario> scenarios;
  LevelFindings level;
  LevelSummary summary;
};

// As if of all built-in scenarios exactly these had happened at a level that claims `claims`.
Probed probed(const std::vector<std::string>& happened, const db::ServerLevel& level = kLevel) {
  Probed p = {*built_in_scenarios(), {&level, {}}, {}};
  for (const Scenario& s : p.scenarios) {
    Finding finding;
    const bool seen = std::find(happened.begin(), happened.end(), s.name) != happened.end();
    finding.outcome = seen ? Outcome::kHappened : Outcome::kPrevented;
    p.level.findings.push_back(std::move(finding));
  }
  p.summary = summary_of(p.level, p.scenarios);
  return p;
}

std::string strongest(const std::vector<std::string>& happened) {
  std::string out;
  for (const Level level : probed(happened).summary.strongest) {
    out += (out.empty() ? "" : ", ");
    out += info(level).name;
  }
  return out;
}

TEST(ProbeSummary, TheStrongestLevelIsWhatNothingSeenContradicts) {
  EXPECT_EQ(strongest({}), "serializable");
  EXPECT_EQ(strongest({"G2"}), "repeatable-read, snapshot-isolation");
  EXPECT_EQ(strongest({"G2-item", "G2", "G2-fekete"}), "snapshot-isolation");
  EXPECT_EQ(strongest({"PMP-read"}), "read-atomic, repeatable-read");
  EXPECT_EQ(strongest({"P4"}), "read-atomic");
  EXPECT_EQ(strongest({"P4", "G-single", "PMP-read", "G2-item"}), "monotonic-atomic-view");
  EXPECT_EQ(strongest({"OTV"}), "cursor-stability");
  EXPECT_EQ(strongest({"G1a"}), "read-uncommitted");
  EXPECT_EQ(strongest({"G0"}), "");
}

TEST(ProbeSummary, AnAnomalyThatTheClaimRulesOutIsTold) {
  const Probed p = probed({"P4", "G2"});
  ASSERT_FALSE(p.summary.keeps_its_claim());
  EXPECT_EQ(summary_text(p.level, p.summary),
            "repeatable read claims repeatable-read: NOT KEPT; the strongest level that fits what was seen is "
            "read-atomic\n"
            "  against it: lost update (P4)\n"
            "  seen, and allowed by it: G2\n");
}

TEST(ProbeSummary, WhatTheClaimAllowsIsNoBreach) {
  const Probed p = probed({"G2"});
  EXPECT_TRUE(p.summary.keeps_its_claim());
  EXPECT_EQ(summary_text(p.level, p.summary),
            "repeatable read claims repeatable-read: nothing seen against it; the strongest level that fits what was "
            "seen is repeatable-read or snapshot-isolation\n"
            "  seen, and allowed by it: G2\n");
}

TEST(ProbeSummary, WithoutG0NothingFits) {
  const Probed p = probed({"G0"});
  EXPECT_EQ(summary_text(p.level, p.summary),
            "repeatable read claims repeatable-read: NOT KEPT; not even read-uncommitted fits\n"
            "  against it: write cycle (G0)\n");
}

TEST(ProbeTable, HasALegendForWhatStandsInIt) {
  Probed p = probed({"P4"});
  p.level.findings[0].by = "blk";
  p.level.findings[1].by = "40001";
  p.level.findings[1].by_text = "could not\nserialize";
  Findings findings = {"DB 1", {p.level}};
  const std::string text = table_text(findings, p.scenarios);
  EXPECT_NE(text.find("case            repeatable read ★  what it is\n"), std::string::npos) << text;
  EXPECT_NE(text.find("G0              ✓ blk              write cycle\n"), std::string::npos) << text;
  EXPECT_NE(text.find("P4              —                  lost update\n"), std::string::npos) << text;
  EXPECT_NE(text.find("40001  could not serialize\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("undecided"), std::string::npos) << text;
}

}  // namespace summary_test
}  // namespace isolde::probe
