// What mirror says of predicates is re-checked from the history alone, and a claim that it does not show is refused.
#include "proof/clock_claims.h"

#include <gtest/gtest.h>

#include <string>

#include "check/mirror/engine.h"
#include "tests/support/native_history.h"

namespace isolde {
namespace clock_claims_test {

Verdict by_mirror(const History& h, std::string_view profile) {
  return kMirrorEngine.check(h, Level::kSerializable, Limits{}, {.profile = mirror::profile_named(profile)});
}

std::string reader(const std::string& op) {
  return R"j({"id":1,"session":1,"begin":0,"end":10,"ops":[["w","x",{"a":5},{"at":[1,2]}],["w","y",{"a":1},{"at":[3,4]}]]}
{"id":2,"session":2,"begin":20,"end":30,"ops":[)j" +
         op + "]}\n";
}

TEST(ClockClaims, RowsThatWereMissedReturnedOrChangedAreAskedAgain) {
  struct Case {
    const char *op, *profile;
  };
  for (const Case& one : {
           Case{R"j(["scan","a > 3",[],{"at":[21,22]}])j", "postgres:read-committed"},
           Case{R"j(["scan","a > 3",[["x",{"a":5}],["y",{"a":1}]],{"at":[21,22]}])j", "mariadb:repeatable-read"},
           Case{R"j(["agg","count(*)","a > 3",2,{"at":[21,22]}])j", "postgres:repeatable-read"},
           Case{R"j(["update","a > 3",[],{"at":[21,22]}])j", "mariadb:read-committed"},
           Case{R"j(["update","a > 3",[["x",{"a":6}],["y",{"a":9}]],{"at":[21,22]}])j", "postgres:read-committed"},
       }) {
    const History h = native(reader(one.op));
    const Verdict v = by_mirror(h, one.profile);
    ASSERT_EQ(v.outcome, Outcome::kViolated) << one.op;
    ASSERT_EQ(v.anomalies.size(), 1U) << one.op;
    EXPECT_EQ(v.anomalies[0].kind, AnomalyKind::kResultSetMismatch) << one.op;
    EXPECT_NE(v.anomalies[0].op, kNoOp) << one.op;
    const auto fine = proof::check_clock_claims(h, v);
    EXPECT_TRUE(fine) << one.op << ": " << fine.error().text;
  }
}

TEST(ClockClaims, AClaimThatTheRowsDoNotShowIsRefused) {
  const History h = native(reader(R"j(["scan","a > 3",[],{"at":[21,22]}])j"));
  const Verdict right = by_mirror(h, "postgres:read-committed");
  ASSERT_EQ(right.anomalies.size(), 1U);
  const auto refused = [&](const auto& change) {
    Verdict v = right;
    change(v.anomalies[0]);
    const auto result = proof::check_clock_claims(h, v);
    return result ? std::string() : result.error().text;
  };
  EXPECT_NE(refused([](Anomaly& a) { a.expected_text = R"({"a":7})"; }).find("no transaction wrote"),
            std::string::npos);
  EXPECT_NE(refused([](Anomaly& a) {
              a.key = KeyId{1};
              a.expected_text = R"({"a":1})";
              a.steps.clear();
            }).find("does not match"),
            std::string::npos);
  EXPECT_NE(refused([](Anomaly& a) { a.op = kNoOp; }).find("no predicate operation"), std::string::npos);
}

TEST(ClockClaims, TheStepsOfPhantomsAreShown) {
  const History h = native(
      R"j({"id":1,"session":1,"begin":0,"end":20,"ops":[["scan","a > 3",[],{"at":[1,2]}],["w","x",{"a":5},{"at":[5,6]}]]}
{"id":2,"session":2,"begin":0,"end":20,"ops":[["scan","a > 3",[],{"at":[1,2]}],["w","y",{"a":6},{"at":[5,6]}]]}
)j");
  for (const char* profile : {"postgres:serializable", "mariadb:serializable", "strict-serializable"}) {
    const Verdict v = by_mirror(h, profile);
    ASSERT_EQ(v.outcome, Outcome::kViolated) << profile;
    const auto fine = proof::check_clock_claims(h, v);
    EXPECT_TRUE(fine) << profile << ": " << fine.error().text;
    EXPECT_FALSE(v.anomalies[0].steps.empty()) << profile;
  }
}

}  // namespace clock_claims_test
}  // namespace isolde
