#include "probe/scenario.h"

#include <gtest/gtest.h>

#include <set>

#include "probe/sql_text.h"

namespace isolde::probe {
namespace scenario_test {

constexpr std::string_view kGood = R"(# a comment
scenario my-own
title two words
about
  What it is,
  on two lines.
breaks read-atomic, si

table test (id int primary key, name text)
  1, 'it''s'
  -2, null

table empty (id int)

run
  T1: select * from test
  [not sqlite] T1: select id from test for update;
  [sqlite]     T1: select id from test
  T2: BEGIN
  T2: update test set id = ${T1.2 + 1} where id = ${T1.1.ID}
  T1: commit
  T2: abort

happened if T1 committed
  and T1.2 is not empty
)";

std::string error_of(std::string_view text) {
  const auto parsed = parse_scenario(text, "my.scenario");
  return parsed ? "no error" : parsed.error().message();
}

// kGood with the first `from` replaced.
std::string changed(std::string_view from, std::string_view to) {
  std::string text(kGood);
  text.replace(text.find(from), from.size(), to);
  return error_of(text);
}

TEST(ScenarioFile, SaysAllThatARunNeeds) {
  const auto s = parse_scenario(kGood, "my.scenario");
  ASSERT_TRUE(s) << s.error().message();
  EXPECT_EQ(s->name, "my-own");
  EXPECT_EQ(s->title, "two words");
  EXPECT_EQ(s->about, "What it is, on two lines.");
  EXPECT_TRUE(s->ruled_out_by(Level::kSerializable));
  EXPECT_TRUE(s->ruled_out_by(Level::kCausal));
  EXPECT_FALSE(s->ruled_out_by(Level::kReadCommitted));
  ASSERT_EQ(s->tables.size(), 2U);
  EXPECT_EQ(s->tables[0].columns, "(id int primary key, name text)");
  EXPECT_EQ(s->tables[0].rows, (std::vector<std::string>{"1, 'it''s'", "-2, null"}));
  EXPECT_TRUE(s->tables[1].rows.empty());
}

TEST(ScenarioFile, EachDialectHasItsOwnStepsAndBeginsThatWereLeftOutAreThere) {
  const auto s = parse_scenario(kGood, "my.scenario");
  ASSERT_TRUE(s);
  std::vector<std::uint64_t> lines;
  const auto steps = steps_for(*s, "sqlite", &lines);
  ASSERT_EQ(steps.size(), 7U);
  EXPECT_EQ(steps[0].kind, RequestKind::kBegin);
  EXPECT_EQ(steps[2].sql, "select id from test");
  EXPECT_EQ(steps[3].kind, RequestKind::kBegin);
  EXPECT_EQ(steps[3].transaction, 1U);
  EXPECT_EQ(steps[6].kind, RequestKind::kRollBack);
  EXPECT_EQ(lines, (std::vector<std::uint64_t>{16, 16, 18, 19, 20, 21, 22}));
  EXPECT_EQ(steps_for(*s, "postgres")[2].sql, "select id from test for update");
}

TEST(ScenarioFile, ABadFileSaysWhereAndWhatWasExpected) {
  EXPECT_EQ(
      changed("title", "titel"),
      "my.scenario:3:1: expected \"scenario\", \"title\", \"source\", \"about\", \"breaks\", \"table\", \"run\" or "
      "\"happened if\"");
  EXPECT_EQ(changed("my-own", "my own"), "my.scenario:2:10: expected the scenario's name: letters, digits, -, _ and .");
  EXPECT_EQ(changed(", si", ", sj"), "my.scenario:7:21: expected a level, found \"sj\"");
  EXPECT_EQ(changed("(id int)", "id int"), "my.scenario:13:13: expected the columns in parentheses");
  EXPECT_EQ(changed("table empty", "table test"), "my.scenario:13:7: there is already a table test");
  EXPECT_EQ(changed("-2, null", "-2, nil"),
            "my.scenario:11:7: expected a number, a text in quotes (without \\) or null");
  EXPECT_EQ(changed("[sqlite] ", "[sqllite]"),
            "my.scenario:18:4: expected sqlite, postgres, mariadb, cockroachdb, yugabytedb, tidb or duckdb");
  EXPECT_EQ(changed("T2: abort", "T2 abort"), "my.scenario:22:3: expected a step like \"T1: commit\" (T1 to T16)");
  EXPECT_EQ(changed("T2: abort", "T1: commit"), "my.scenario:22:7: T1 has ended already");
  EXPECT_EQ(changed("T2: abort", "T2: begin"), "my.scenario:22:7: T2 has begun already");
  EXPECT_EQ(changed("T2: abort", "T2:"), "my.scenario:22:6: expected SQL, begin, commit or rollback");
  EXPECT_EQ(changed("${T1.2 + 1}", "${T1.3 + 1}"), "my.scenario:20:7: no earlier step is T1.3 (in sqlite)");
  EXPECT_EQ(changed("${T1.2 + 1}", "${T1.2 * 1}"), "my.scenario:20:35: expected \"+\", \"-\" or \"}\"");
  EXPECT_EQ(changed("${T1.2 + 1}", "${T1}"),
            "my.scenario:20:30: expected a statement (T1.2, T1.2.column), a number or \"for update\"");
  EXPECT_EQ(changed("where id = ${T1.1.ID}", "where id = '1"),
            "my.scenario:20:51: the ' that opens here is not closed");
  EXPECT_EQ(changed("  and T1.2 is", "  and T1.3 is"), "my.scenario:25:7: the script has no T1.3 (in sqlite)");
  EXPECT_EQ(changed("[sqlite]", "[tidb]  "), "my.scenario:20:7: no earlier step is T1.2 (in sqlite)");
  EXPECT_EQ(changed("T1.2 is not", "final nope is not"), "my.scenario:25:7: there is no table nope");
  EXPECT_EQ(
      changed("happened if", "happened iff"),
      "my.scenario:24:1: expected \"scenario\", \"title\", \"source\", \"about\", \"breaks\", \"table\", \"run\" or "
      "\"happened if\"");
  EXPECT_EQ(error_of(""), "my.scenario:1:1: expected \"scenario\" somewhere");
}

TEST(ScenarioFile, ThoseThatComeWithIsoldeCanAllBeReadAndExplainThemselves) {
  const auto all = built_in_scenarios();
  ASSERT_TRUE(all) << all.error().message();
  EXPECT_EQ(all->size(), 23U);
  std::set<std::string> names;
  for (const Scenario& s : *all) {
    EXPECT_TRUE(names.insert(s.name).second) << s.name;
    EXPECT_FALSE(s.about.empty()) << s.name;
    EXPECT_FALSE(s.source.empty()) << s.name;
    EXPECT_NE(s.file.find(s.name + ".scenario"), std::string::npos) << s.file;
  }
}

TEST(ScenarioFile, AMissingFileIsNamed) {
  const auto s = read_scenario("no/such.scenario");
  ASSERT_FALSE(s);
  EXPECT_NE(s.error().message().find("no/such.scenario"), std::string::npos);
}

class SqlText : public ::testing::Test {
 protected:
  SqlText() {
    dialect_.for_update = " for update";
    transcript_.steps.resize(2);
    transcript_.steps[1].state = StepRecord::State::kDone;
    db::Reply& reply = transcript_.steps[1].reply;
    reply.width = 2;
    reply.names = {"id", "value"};
    reply.cells = {std::int64_t{7}, std::int64_t{INT64_MAX}};
  }
  std::string sent(std::string_view sql) {
    const std::vector<std::string> tables = {"test", "T2"};
    const auto pieces = parse_sql(sql, tables, "f", 1, 1);
    if (!pieces) return pieces.error().message();
    const auto text = sql_text(*pieces, {"p_", dialect_, steps_, transcript_});
    return text ? *text : "missing: " + text.error().text;
  }
  std::vector<Step> steps_ = {{0, RequestKind::kBegin, {}}, {0, RequestKind::kStatement, "x"}};
  Transcript transcript_;
  db::Dialect dialect_;
};

TEST_F(SqlText, TablesGetTheirRealNamesWhereTheyAreNames) {
  EXPECT_EQ(sent("select test.id, x.test, 'test' from Test x, tested, t2"),
            "select p_test.id, x.test, 'test' from p_test x, tested, p_t2");
  EXPECT_EQ(sent("select \"test\", `test`, 1test"), "select \"test\", `test`, 1test");
}

TEST_F(SqlText, ValuesOfEarlierStepsAreNumbers) {
  EXPECT_EQ(sent("${T1.1.id}, ${ T1.1.ID + 5 - 2 } ${for update}"), "7, 10 for update");
  EXPECT_EQ(sent("${T1.1}"), "missing: T1.1 returned 2 columns: write T1.1.COLUMN");
  EXPECT_EQ(sent("${T1.1.nope}"), "missing: T1.1 has no column nope");
  EXPECT_EQ(sent("${T1.2}"), "missing: T1.2 has not answered");
  EXPECT_EQ(sent("${T1.1.value + 1}"), "missing: the value needs more than 64 bits");
  transcript_.steps[1].reply.cells[0] = std::string("seven");
  EXPECT_EQ(sent("${T1.1.id}"), "missing: T1.1 returned 'seven', which is not a whole number");
  transcript_.steps[1].reply.cells.clear();
  EXPECT_EQ(sent("${T1.1.id}"), "missing: T1.1 returned no row");
}

}  // namespace scenario_test
}  // namespace isolde::probe
