#include "check/cycles/explain_by_likely_versions.h"

#include <gtest/gtest.h>

#include "check/graph/graph.h"
#include "check/solver/solver.h"
#include "proof/prove.h"
#include "tests/support/native_history.h"

namespace isolde {
namespace explain_by_looks_test {

// Two rows come and go; T4 ran while T2 and T3 committed, and counted two of three.
constexpr std::string_view kCounted =
    R"h({"id":1,"session":1,"begin":1,"end":4,"ops":[["w","x",{"a":1},{"at":[2,3]}]]}
{"id":2,"session":2,"begin":10,"end":30,"ops":[["w","y",{"a":2},{"at":[11,12]}]]}
{"id":3,"session":3,"begin":10,"end":30,"ops":[["w","z",{"a":3},{"at":[11,12]}]]}
{"id":4,"session":4,"begin":15,"end":40,"ops":[["agg","count(*)","a > 0",2,{"at":[16,29]}],["scan","a = 3",[],{"at":[30,39]}]]}
)h";

Verdict judged(const Engine& engine, std::string_view text, Level level) {
  const History h = native(text);
  Verdict v = engine.check(h, level, {});
  EXPECT_TRUE(prove(h, v));
  return v;
}

TEST(ExplainByLooks, ClocksAndResultsTellWhoseCommitsWereSeen) {
  for (const Engine* engine : {&kGraphEngine, &kSolverEngine}) {
    for (const Level level : {Level::kSerializable, Level::kStrictSerializable, Level::kSnapshotIsolation}) {
      EXPECT_EQ(judged(*engine, kCounted, level).outcome, Outcome::kSatisfied) << engine->name << info(level).name;
    }
  }
}

TEST(ExplainByLooks, WhatNoMomentExplainsIsNotAccepted) {
  std::string text(kCounted);
  text.replace(text.find("count(*)\",\"a > 0\",2"), 19, "count(*)\",\"a > 0\",3");  // it saw T3's row, and did not
  for (const Engine* engine : {&kGraphEngine, &kSolverEngine}) {
    EXPECT_NE(judged(*engine, text, Level::kSerializable).outcome, Outcome::kSatisfied) << engine->name;
  }
}

TEST(ExplainByLooks, AMaximumOfItsOwnRowAsksOnlyThatNoneIsAboveIt) {
  EXPECT_EQ(judged(kGraphEngine,
                   R"h({"id":1,"session":1,"begin":1,"end":4,"ops":[["w","x",{"a":1},{"at":[2,3]}]]}
{"id":2,"session":2,"begin":10,"end":30,"ops":[["w","y",{"a":5},{"at":[11,12]}],["agg","max(a)","a > 0",5,{"at":[13,14]}]]}
{"id":3,"session":3,"begin":10,"end":30,"ops":[["w","x",{"a":4},{"at":[11,12]}]]}
)h",
                   Level::kSerializable)
                .outcome,
            Outcome::kSatisfied);
}

TEST(ExplainByLooks, TheClockBeforeTheCommitsIsTheOrderOfVersions) {
  const std::vector<std::uint32_t> place = graph::places_by_clock(native(
      R"h({"id":1,"session":1,"begin":1,"end":50,"ops":[["w","x",1,{"at":[2,3]}]]}
{"id":2,"session":2,"begin":1,"end":9,"ops":[["w","x",2,{"at":[2,5]}]]}
)h"));
  EXPECT_LT(place[0], place[1]) << "T1's commit was answered late";
  const std::vector<std::uint32_t> sent = graph::places_by_clock(native(
      R"h({"id":1,"session":1,"begin":1,"commit":[40,50],"end":50,"ops":[["w","x",1,{"at":[2,3]}]]}
{"id":2,"session":2,"begin":1,"commit":[6,9],"end":9,"ops":[["w","x",2,{"at":[2,5]}]]}
)h"));
  EXPECT_LT(sent[1], sent[0]) << "T1's commit was sent late";
}

}  // namespace explain_by_looks_test
}  // namespace isolde
