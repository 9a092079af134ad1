#include "probe/file_trust.h"

#include <gtest/gtest.h>

namespace isolde::probe {
namespace file_trust_test {

// Of one statement of T1, in the eighth line.
Scenario with(const std::string& statement) {
  const auto scenario = parse_scenario(
      "scenario own\ntitle t\nbreaks serializable\n\ntable test (id int primary key, value int)\n  1, 10\nrun\n  T1: " +
          statement + "\n  T1: commit\n\nhappened if T1 committed\n",
      "own.scenario");
  EXPECT_TRUE(scenario) << scenario.error().message();
  return scenario ? *scenario : Scenario{};
}

TEST(ProbeFileTrust, ScenariosThatComeWithIsoldePass) {
  const auto all = built_in_scenarios();
  ASSERT_TRUE(all) << all.error().message();
  for (const Scenario& scenario : *all) {
    for (const char* const dialect : {"postgres", "mariadb", "sqlite"}) {
      const auto error = why_not_trusted(scenario, dialect);
      EXPECT_FALSE(error) << scenario.name << " on " << dialect << ": " << error->message();
    }
  }
}

TEST(ProbeFileTrust, AStatementThatReachesFurtherIsRefusedAtItsLine) {
  EXPECT_FALSE(why_not_trusted(with("update test set value = 11 where id = 1"), "postgres"));
  EXPECT_FALSE(why_not_trusted(with("select * from test where id = 1 ${for update}"), "sqlite"));
  const auto program = why_not_trusted(with("copy test from program 'id'"), "postgres");
  ASSERT_TRUE(program);
  EXPECT_TRUE(program->message().starts_with("own.scenario:8")) << program->message();
  EXPECT_NE(program->message().find("--trust-file"), std::string::npos);
  EXPECT_TRUE(why_not_trusted(with("delete from users"), "mariadb"));
  EXPECT_TRUE(why_not_trusted(with("attach 'x' as y"), "sqlite"));
}

}  // namespace file_trust_test
}  // namespace isolde::probe
