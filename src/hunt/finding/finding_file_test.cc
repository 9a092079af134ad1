#include "hunt/finding/finding_file.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "hunt/finding/file_words.h"
#include "tests/support/effort.h"
#include "tests/support/random_finding.h"

namespace isolde::hunt {
namespace finding_file_test {

constexpr std::string_view kSmall = R"(finding contents
server PostgreSQL 15.3
dialect postgres
level serializable
table t0 (pkey, vkey, c0)
  sql: create table t0 (pkey int primary key, vkey int,
    c0 text)
  rows:
    1, 10, 'it''s, so'
    2, 20, (1, 2)
run
  T1: update t0 set vkey = 1001
      where pkey = 1
  T2: select * from t0
  T1: commit
  T2: rollback
alone T2.1, T1.1
where T2.1
expected
  | 1
  |
  |  2
actual
statements
  T1.1 update, version 1001, reads t0, writes t0
    before: select pkey from t0 where pkey = 1
  T2.1 select, reads t0
)";

void expect_same(const Finding& a, const Finding& b) {
  EXPECT_EQ(a.wrong, b.wrong);
  EXPECT_EQ(a.server, b.server);
  EXPECT_EQ(a.level, b.level);
  EXPECT_EQ(a.dialect, b.dialect);
  EXPECT_EQ(a.anomaly, b.anomaly);
  EXPECT_EQ(a.cause, b.cause);
  EXPECT_EQ(a.isolde, b.isolde);
  EXPECT_EQ(a.expected, b.expected);
  EXPECT_EQ(a.actual, b.actual);
  EXPECT_EQ(a.alone, b.alone);
  EXPECT_EQ(a.where, b.where);
  EXPECT_EQ(a.test.seed, b.test.seed);
  EXPECT_EQ(a.test.order, b.test.order);
  EXPECT_EQ(a.test.schema.more, b.test.schema.more);
  EXPECT_EQ(a.test.schema.drops, b.test.schema.drops);
  ASSERT_EQ(a.test.schema.tables.size(), b.test.schema.tables.size());
  for (std::size_t i = 0; i < a.test.schema.tables.size(); ++i) {
    const Table &one = a.test.schema.tables[i], &other = b.test.schema.tables[i];
    EXPECT_EQ(one.name, other.name);
    EXPECT_EQ(one.columns, other.columns);
    EXPECT_EQ(one.create, other.create);
    EXPECT_EQ(one.rows, other.rows);
    EXPECT_EQ(one.partitions, other.partitions);
    EXPECT_EQ(one.trigger, other.trigger);
    EXPECT_EQ(one.inserted, other.inserted);
    ASSERT_EQ(one.foreign_keys.size(), other.foreign_keys.size());
    for (std::size_t k = 0; k < one.foreign_keys.size(); ++k) {
      EXPECT_EQ(one.foreign_keys[k].column, other.foreign_keys[k].column);
      EXPECT_EQ(one.foreign_keys[k].parent, other.foreign_keys[k].parent);
      EXPECT_EQ(one.foreign_keys[k].cascades, other.foreign_keys[k].cascades);
    }
  }
  ASSERT_EQ(a.test.schema.views.size(), b.test.schema.views.size());
  for (std::size_t i = 0; i < a.test.schema.views.size(); ++i) {
    const View &one = a.test.schema.views[i], &other = b.test.schema.views[i];
    EXPECT_EQ(one.name, other.name);
    EXPECT_EQ(one.columns, other.columns);
    EXPECT_EQ(one.reads, other.reads);
    EXPECT_EQ(one.create, other.create);
  }
  ASSERT_EQ(a.test.transactions.size(), b.test.transactions.size());
  for (std::size_t t = 0; t < a.test.transactions.size(); ++t) {
    const Transaction &one = a.test.transactions[t], &other = b.test.transactions[t];
    EXPECT_EQ(one.commits, other.commits);
    ASSERT_EQ(one.statements.size(), other.statements.size());
    for (std::size_t s = 0; s < one.statements.size(); ++s) {
      EXPECT_EQ(one.statements[s].kind, other.statements[s].kind);
      EXPECT_EQ(one.statements[s].sql, other.statements[s].sql);
      EXPECT_EQ(one.statements[s].reads, other.statements[s].reads);
      EXPECT_EQ(one.statements[s].writes, other.statements[s].writes);
      EXPECT_EQ(one.statements[s].version, other.statements[s].version);
      EXPECT_EQ(one.statements[s].before, other.statements[s].before);
      EXPECT_EQ(one.statements[s].sent, other.statements[s].sent);
      EXPECT_EQ(one.statements[s].undone, other.statements[s].undone);
    }
  }
}

std::string problem(std::string_view text) {
  const auto finding = parse_finding(text, "f");
  return finding ? "none" : finding.error().message();
}
std::string problem_with(std::string_view from, std::string_view to) {
  std::string text(kSmall);
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  return problem(text);
}

TEST(FindingFile, AFileIsReadAsItStands) {
  const auto finding = parse_finding(kSmall, "f");
  ASSERT_TRUE(finding) << finding.error().message();
  EXPECT_EQ(finding->wrong, Wrong::kContents);
  const Case& test = finding->test;
  EXPECT_EQ(test.schema.tables[0].create, "create table t0 (pkey int primary key, vkey int, c0 text)");
  EXPECT_EQ(test.schema.tables[0].rows[0][2], "'it''s, so'");
  EXPECT_EQ(test.schema.tables[0].rows[1][2], "(1, 2)");
  EXPECT_EQ(test.transactions[0].statements[0].sql, "update t0 set vkey = 1001 where pkey = 1");
  EXPECT_EQ(test.transactions[0].statements[0].version, 1001);
  EXPECT_EQ(test.transactions[0].statements[0].before, "select pkey from t0 where pkey = 1");
  EXPECT_FALSE(test.transactions[1].commits);
  EXPECT_EQ(test.order, (std::vector<std::uint32_t>{0, 1, 0, 1}));
  EXPECT_EQ(finding->alone, (std::vector<Place>{{1, 0}, {0, 0}}));
  EXPECT_EQ(finding->expected, "1\n\n 2");
  EXPECT_EQ(finding->actual, "");
}

TEST(FindingFile, WhatIsWrittenIsReadAsTheSame) {
  for (const std::uint64_t seed : effort::seeds(0, 3'000)) {
    Rng rng(seed);
    const Finding finding = test::random_finding(rng);
    const std::string text = finding_text(finding);
    const auto read = parse_finding(text, "f");
    ASSERT_TRUE(read) << seed << ": " << read.error().message() << "\n" << text;
    expect_same(finding, *read);
    EXPECT_EQ(finding_text(*read), text) << seed;
    if (HasFailure()) FAIL() << seed << "\n" << text;
  }
}

TEST(FindingFile, LongSqlIsBrokenBeforeItsClausesAndJoinedAgain) {
  const std::string sql =
      "select t0.pkey, count(*) from t0 left join t1 on t0.c0 = t1.c0 where t0.c1 like 'a from b where c' and exists "
      "(select 1 from t2 where t2.pkey = t0.pkey) group by t0.pkey having count(*) > 1";
  const std::string shown = spelled_sql(sql, 6, 6);
  EXPECT_EQ(shown, R"(select t0.pkey, count(*)
      from t0
      left join t1 on t0.c0 = t1.c0
      where t0.c1 like 'a from b where c' and exists (select 1 from t2 where t2.pkey = t0.pkey)
      group by t0.pkey
      having count(*) > 1)");
  std::string joined;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    joined += shown[i] == '\n' ? ' ' : shown[i];
    if (shown[i] == '\n') i += 6;
  }
  EXPECT_EQ(joined, sql);
}

TEST(FindingFile, NoLineOfSqlIsLongerThanItMustBe) {
  std::string sql = "select 1";
  for (int i = 0; i < 200; ++i) sql += " + " + std::to_string(i);
  const std::string shown = spelled_sql(sql, 6, 6);
  for (std::size_t at = 0; at < shown.size();) {
    const std::size_t end = std::min(shown.find('\n', at), shown.size());
    EXPECT_LE(end - at, 120U);
    at = end + 1;
  }
}

TEST(FindingFile, AStatementThatLooksLikeAnEndIsNone) {
  auto finding = parse_finding(kSmall, "f");
  ASSERT_TRUE(finding);
  finding->test.transactions[1].statements[0].sql = "Commit";
  const auto again = parse_finding(finding_text(*finding), "f");
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(again->test.transactions[1].statements[0].sql, "Commit");
}

TEST(FindingFile, AnErrorHasItsPlaceAndSaysWhatWasExpected) {
  EXPECT_EQ(problem(""), "f:1:1: expected \"finding\" somewhere");
  EXPECT_EQ(problem("server x\n"), "f:1:1: expected \"finding\" first, and what is wrong");
  EXPECT_EQ(
      problem_with("finding contents", "finding nothing"),
      "f:1:9: expected what is wrong, one of: result, count, contents, error, predicate, own-writes, rolled-back, "
      "isolation, rerun, plan, against, hang, crash");
  EXPECT_EQ(problem_with("  T2: rollback\n", ""), "f:27:1: expected \"T2: commit\" or \"T2: rollback\" in the run");
  EXPECT_EQ(problem_with("  T2: rollback", "  T2: rollback\n  T2: select 1"), "f:17:3: T2 has ended already");
  EXPECT_EQ(problem_with("  T1: update", "  T1: begin\n  T1: update"),
            "f:12:7: a transaction begins by itself, right before its first statement");
  EXPECT_EQ(problem_with("  T1: update", "  update"), "f:12:3: expected a step like \"T1: commit\"");
  EXPECT_EQ(problem_with("  T1: update", "  T5000: update"), "f:12:3: expected a step like \"T1: commit\"");
  EXPECT_EQ(problem_with("alone T2.1", "alone T2.2"), "f:17:7: expected a statement of the run, like T1.2");
  EXPECT_EQ(problem_with("alone T2.1", "alone T1.1"), "f:17:13: T1.1 stands here twice");
  EXPECT_EQ(problem_with("where T2.1", "where T0.1"), "f:18:7: expected a statement of the run, like T1.2");
  EXPECT_EQ(problem_with("    2, 20, (1, 2)", "    2, 20"), "f:10:5: expected 3 values, found 2");
  EXPECT_EQ(problem_with("    2, 20, (1, 2)", "    2, 20, 'a"),
            "f:10:12: expected a value as SQL writes it, or a text in double quotes");
  EXPECT_EQ(problem_with("T2.1 select, reads t0", "T2.1 choose"),
            "f:27:8: expected select, select-for-update, insert, upsert, update, delete or merge");
  EXPECT_EQ(problem_with("  T2.1 select, reads t0\n", ""), "f:27:1: expected a line about T2.1 in \"statements\"");
  EXPECT_EQ(problem_with("  |\n", "  2\n"), "f:21:3: expected a line that begins with |");
  EXPECT_EQ(problem_with("| 1\n", "| \\1\n"), "f:20:3: expected \\ only as \\n, \\\", \\\\ or \\xNN");
  EXPECT_EQ(problem_with("level serializable", "level \"serializable"),
            "f:4:7: the \" that opens here does not end the text, or an escape is none of \\n \\\" \\\\ \\xNN");
  EXPECT_EQ(problem_with("level serializable\n", ""), "f:27:1: expected \"level\" somewhere");
  EXPECT_EQ(problem_with("table t0 (pkey", "table t0 pkey"), "f:5:10: expected the columns in parentheses");
}

TEST(FindingFile, TheFilesOfTheCorpusAreRead) {
  std::size_t files = 0;
  for (const char* folder : {ISOLDE_SOURCE_DIR "/tests/corpus/hunt", ISOLDE_SOURCE_DIR "/tests/fuzz/seeds/finding"}) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      const auto finding = read_finding(entry.path().string());
      ASSERT_TRUE(finding) << finding.error().message();
      const std::string text = finding_text(*finding);
      const auto again = parse_finding(text, "f");
      ASSERT_TRUE(again) << again.error().message() << text;
      EXPECT_EQ(finding_text(*again), text);
      ++files;
    }
  }
  EXPECT_GE(files, 5U);
}

TEST(FindingFile, AFileThatIsNotThereIsAnError) { EXPECT_FALSE(read_finding("no/such/file")); }

}  // namespace finding_file_test
}  // namespace isolde::hunt
