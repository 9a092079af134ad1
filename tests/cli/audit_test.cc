// `isolde audit` as its users meet it.
#include <gtest/gtest.h>
#include <simdjson.h>

#include <algorithm>
#include <regex>

#include "tests/cli/run_program.h"

namespace isolde::test {
namespace audit_test {

const std::string kSource = ISOLDE_SOURCE_DIR;
const std::string kTrace = kSource + "/examples/audit/purchase.sql";
const std::string kSchema = kSource + "/examples/audit/shop.ddl";
const std::string kHints = kSource + "/examples/audit/shop_hints.toml";

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(AuditVerb, AnAnomalyIsExitStatus1AndShownAsSqlInColumns) {
  const Answer a = isolde({"audit", kTrace, "--schema", kSchema});
  EXPECT_EQ(a.status, 1) << a.err;
  EXPECT_EQ(a.err, "");
  EXPECT_TRUE(has(a.out, "kinds of anomaly at read-committed")) << a.out;
  EXPECT_TRUE(has(a.out, "lost update on orders.total")) << a.out;
  EXPECT_TRUE(std::regex_search(a.out, std::regex("\n   SELECT total FROM orders WHERE id = \\d +\\|"))) << a.out;
  EXPECT_TRUE(std::regex_search(a.out, std::regex("\n +\\| UPDATE orders SET total = \\d+ WHERE id = \\d"))) << a.out;
  EXPECT_TRUE(has(a.out, "FOR UPDATE")) << a.out;
}

TEST(AuditVerb, NoAnomalyIsExitStatus0) {
  const Answer a = isolde({"audit", kSource + "/tests/corpus/audit/purchase_locked.sql", "--schema",
                           kSource + "/tests/corpus/audit/shop.ddl", "--quiet"});
  EXPECT_EQ(a.status, 0) << a.err;
  EXPECT_TRUE(has(a.out, "no anomaly found at read-committed")) << a.out;
  EXPECT_EQ(std::count(a.out.begin(), a.out.end(), '\n'), 1) << a.out;
}

TEST(AuditVerb, NoLineIsWiderThanTheTerminal) {
  const Answer a = isolde({"audit", kTrace, "--schema", kSchema, "--show", "9", "--classes"});
  std::size_t start = 0;
  while (start < a.out.size()) {
    const std::size_t end = a.out.find('\n', start);
    const std::string line = a.out.substr(start, end - start);
    const auto width = std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xC0) != 0x80; });
    // The title and the verdict are one line each, whatever they hold.
    if (!has(line, "purchase.sql") && !has(line, "kinds of anomaly")) {
      EXPECT_LE(width, 100) << line;
    }
    start = end + 1;
  }
}

TEST(AuditVerb, HintsTakeAwayWhatTheyAreAbout) {
  const Answer a = isolde({"audit", kTrace, "--schema", kSchema, "--hints", kHints});
  EXPECT_EQ(a.status, 1) << a.err;
  EXPECT_FALSE(has(a.out, "lost update on orders.total")) << a.out;
  EXPECT_TRUE(has(a.out, "lost update on stock.quantity")) << a.out;
  EXPECT_TRUE(has(a.out, "[[unique]] column = \"orders.id\"")) << a.out;
}

TEST(AuditVerb, JsonIsOneObjectWithEverything) {
  const Answer a = isolde({"audit", kTrace, "--schema", kSchema, "--json"});
  EXPECT_EQ(a.status, 1) << a.err;
  EXPECT_EQ(std::count(a.out.begin(), a.out.end(), '\n'), 1);
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  ASSERT_EQ(parser.parse(a.out).get(root), simdjson::SUCCESS) << a.out;
  EXPECT_EQ(std::string_view(root["level"]), "read-committed");
  EXPECT_EQ(std::string_view(root["verdict"]), "anomalies");
  EXPECT_TRUE(bool(root["complete"]));
  EXPECT_EQ(std::uint64_t(root["trace"]["statements"]), 9U);
  EXPECT_EQ(std::uint64_t(root["trace"]["understood"]), 9U);
  EXPECT_EQ(root["classes"].get_array().size(), 2U);
  EXPECT_EQ(std::string_view(root["classes"].at(0)["operations"].at(0)), "r(orders.id)");
  ASSERT_GT(root["anomalies"].get_array().size(), 0U);
  const simdjson::dom::element first = root["anomalies"].at(0);
  EXPECT_EQ(std::string_view(first["name"]), "lost update");
  EXPECT_GT(first["steps"].get_array().size(), 4U);
  EXPECT_TRUE(first["confirmation"].is_null());
  EXPECT_EQ(root["targets"].get_array().size(), 2U);
  EXPECT_GT(root["dependencies"].get_array().size(), 0U);
  EXPECT_GT(std::uint64_t(root["graph"]["dangerous_paths"]), 0U);
}

TEST(AuditVerb, TheSameSeedGivesTheSameReportWhateverTheThreads) {
  const auto times_out = [](std::string text) {
    return std::regex_replace(text, std::regex("[0-9.]+ s\\b|\"(reading|searching|peak_mib)\": [0-9.]+"), "N");
  };
  const Answer one = isolde({"audit", kTrace, "--threads", "1", "--seed", "7", "--json"});
  const Answer two = isolde({"audit", kTrace, "--threads", "2", "--seed", "7", "--json"});
  EXPECT_EQ(times_out(one.out), times_out(two.out));
}

TEST(AuditVerb, WhatIsNotUnderstoodIsListedWithItsLine) {
  const Scratch scratch;
  const std::string trace = scratch.file("t.sql", "BEGIN;\nSELECT a FROM t WHERE id = 1;\nSELEKT b FROM t;\nCOMMIT;\n");
  const Answer a = isolde({"audit", trace});
  EXPECT_EQ(a.status, 0) << a.err << a.out;
  EXPECT_TRUE(has(a.out, "2 statements in 1 transaction; 1 understood (50.0 %)")) << a.out;
  EXPECT_TRUE(has(a.out, "line 3, 1 time: ")) << a.out;
  EXPECT_TRUE(has(a.out, "SELEKT b FROM t")) << a.out;
}

TEST(AuditVerb, ADatabaseWithoutTablesIsNoSchema) {
  const Scratch scratch;
  const Answer a = isolde({"audit", kTrace, "--schema", "sqlite:" + scratch.path("empty.db")});
  EXPECT_EQ(a.status, 2) << a.out;
  EXPECT_TRUE(has(a.err, "the database has no tables")) << a.err;
}

TEST(AuditVerb, TheGraphOfClassesIsWritten) {
  const Scratch scratch;
  const Answer a = isolde({"audit", kTrace, "--schema", kSchema, "--dot", scratch.path("g.dot"), "--quiet"});
  EXPECT_EQ(a.status, 1) << a.err;
  const std::string dot = content_of(scratch.path("g.dot"));
  EXPECT_TRUE(dot.starts_with("graph audit {")) << dot;
  EXPECT_TRUE(has(dot, "c0 -- c0 [label=\"orders.total, stock.quantity\", penwidth=3")) << dot;
}

TEST(AuditVerb, ARecordingOfIsoldeIsATrace) {
  const Scratch scratch;
  const Answer recorded =
      isolde({"record", "--workload", "smallbank", "--transactions", "200", "--out", "run.jsonl"}, {}, scratch.path());
  ASSERT_EQ(recorded.status, 0) << recorded.err;
  const Answer a = isolde({"audit", "run.jsonl", "--level", "si", "--quiet"}, {}, scratch.path());
  EXPECT_EQ(a.status, 1) << a.err << a.out;
  EXPECT_TRUE(has(a.out, "at snapshot-isolation")) << a.out;
}

TEST(AuditVerb, ATimeLimitThatCameFirstIsSaid) {
  const Answer a = isolde({"audit", kTrace, "--schema", kSchema, "--timeout", "0", "--quiet"});
  EXPECT_TRUE(a.status == 1 || a.status == 3) << a.out;
  EXPECT_TRUE(has(a.out, "the time ran out")) << a.out;
}

TEST(AuditVerb, WhatIsWrongIsSaidInOneLineWithItsPlace) {
  const Scratch scratch;
  const std::string bad_schema = scratch.file("bad.csv", "t,a,int,,\nt,,int,,\n");
  const std::string bad_hints = scratch.file("bad.toml", "[[ignore]]\nclas = \"x\"\n");
  const std::string lost_hint = scratch.file("lost.toml", "[[keep]]\ncolumn = \"orders.totl\"\n");
  const std::string binary = scratch.file("binary", std::string("\x7f\x45\x4c\x46\0\0\1\2", 8));
  const struct {
    std::vector<std::string> args;
    std::string says;
  } cases[] = {
      {{"audit"}, "`isolde audit` needs TRACE"},
      {{"audit", "nowhere.log"}, "nowhere.log"},
      {{"audit", binary}, "binary"},
      {{"audit", kTrace, "--level", "serializable"}, "--level takes read-committed, repeatable-read"},
      {{"audit", kTrace, "--level", "snapshot-isolatoin"}, "did you mean snapshot-isolation?"},
      {{"audit", kTrace, "--schema", "nowhere.csv"}, "nowhere.csv"},
      {{"audit", kTrace, "--schema", bad_schema}, "bad.csv:2:3: expected table,column,type,default,key"},
      {{"audit", kTrace, "--schema", "nosuch://x"}, "nosuch"},
      {{"audit", kTrace, "--hints", bad_hints}, "bad.toml:2:1: \"clas\" is no word that is known; did you mean class?"},
      {{"audit", kTrace, "--hints", lost_hint},
       "lost.toml:2:10: no column is called \"orders.totl\"; did you mean orders.total"},
      {{"audit", kTrace, "--format", "oracle"}, "--format takes "},
      {{"audit", kTrace, "--dialect", "oracle"}, "--dialect takes mysql, postgres or sqlite"},
      {{"audit", kTrace, "-k", "0"}, "--k takes a whole number"},
      {{"audit", kTrace, "--spawn", "oracle"}, "no scratch server of kind"},
      {{"audit", kTrace, "--spawn", "postgres", "--confirm", "sqlite:"}, "it cannot be used with --confirm"},
  };
  for (const auto& one : cases) {
    const Answer a = isolde(one.args);
    EXPECT_EQ(a.status, 2) << one.says << a.out;
    EXPECT_TRUE(has(a.err, one.says)) << a.err << "expected: " << one.says;
    EXPECT_EQ(std::count(a.err.begin(), a.err.end(), '\n'), 1) << a.err;
  }
}

// docs/audit.md shows one run; numbers aside it is what comes.
TEST(AuditVerb, TheDocumentShowsWhatComes) {
  const std::string document = content_of(kSource + "/docs/audit.md");
  const std::size_t command = document.find("$ isolde audit examples/audit/purchase.sql");
  ASSERT_NE(command, std::string::npos);
  const std::size_t start = document.find('\n', command) + 1;
  const std::string shown = document.substr(start, document.find("```", start) - start);
  const Answer a = isolde(
      {"audit", "examples/audit/purchase.sql", "--schema", "examples/audit/shop.ddl", "--show", "1"}, {}, kSource);
  const auto without_times = [](const std::string& text) {
    return std::regex_replace(text, std::regex("[0-9]+\\.[0-9] s\\b"), "N s");
  };
  EXPECT_EQ(without_times(a.out), without_times(shown));
}

}  // namespace audit_test
}  // namespace isolde::test
