// `isolde elle-cli`: elle-cli's options, output and exit status (docs/elle-cli.md).
#include <gtest/gtest.h>

#include "tests/cli/run_program.h"
#include "tests/support/index_table.h"

namespace isolde::test {
namespace elle_cli_test {

constexpr const char* kStale =
    R"({"index": 0, "process": 0, "type": "invoke", "f": "txn", "value": [["append", 1, 1]]}
{"index": 1, "process": 0, "type": "ok", "f": "txn", "value": [["append", 1, 1]]}
{"index": 2, "process": 1, "type": "invoke", "f": "txn", "value": [["r", 1, null], ["append", 1, 2]]}
{"index": 3, "process": 1, "type": "ok", "f": "txn", "value": [["r", 1, []], ["append", 1, 2]]}
{"index": 4, "process": 0, "type": "invoke", "f": "txn", "value": [["r", 1, null]]}
{"index": 5, "process": 0, "type": "ok", "f": "txn", "value": [["r", 1, [1, 2]]]}
)";
constexpr const char* kRegister =
    "{:type :invoke, :f :txn, :value [[:w :x 2]], :process 0, :index 1}\n"
    "{:type :ok, :f :txn, :value [[:w :x 2]], :process 0, :index 2}\n"
    "{:type :invoke, :f :txn, :value [[:r :x nil]], :process 0, :index 3}\n"
    "{:type :ok, :f :txn, :value [[:r :x 2]], :process 0, :index 4}\n";

TEST(ElleCli, AnswersAsElleCliDoes) {
  const Scratch scratch;
  const std::string bad = scratch.file("bad.json", kStale), good = scratch.file("good.edn", kRegister);
  const Answer no = isolde({"elle-cli", "--model", "list-append", bad});
  EXPECT_EQ(no.out, bad + " \t false\n");
  EXPECT_EQ(no.status, 1);
  const Answer yes = isolde({"elle-cli", "-m", "rw-register", good});
  EXPECT_EQ(yes.out, good + " \t true\n") << yes.err;
  EXPECT_EQ(yes.status, 0);
  EXPECT_EQ(isolde({"elle-cli", "-m", "list-append", "-c", "read-committed", bad}).out, bad + " \t true\n");
}

TEST(ElleCli, GivesTheVerdictsOfItsOwnTests) {
  if (!has_shared_histories()) GTEST_SKIP() << kNoShared;
  int tried = 0;
  for (const auto& cells : table_rows(kSharedHistories + "/INDEX.tsv", 4)) {
    if (!cells[0].starts_with("elle-cli/")) continue;
    const std::string file = kSharedHistories + "/" + cells[0], model = cells[2].substr(0, cells[2].find(' '));
    if (!model.starts_with("model=")) continue;
    // Balances below zero are no matter of isolation. Elle's registers are blind, and values that nobody wrote do not
    // count (docs/differences.md; tests/corpora_test.cc has these rows, too).
    const bool differs =
        file.find("bank-neg") != std::string::npos || cells[3].find("issue #47") != std::string::npos ||
        file.find("rwregister-ok") != std::string::npos || file.find("elle/rw-register") != std::string::npos;
    if (differs) continue;
    const Answer a = isolde({"elle-cli", "--model", model.substr(6), "--quiet", file});
    EXPECT_EQ(a.out, file + " \t " + (cells[3].starts_with("true") ? "true" : "false") + "\n") << cells[2] << a.err;
    ++tried;
  }
  EXPECT_GT(tried, 10);
}

TEST(ElleCli, JsonHasTheAnomaliesByName) {
  const Scratch scratch;
  const Answer a = isolde({"elle-cli", "-m", "list-append", "-v", "json", scratch.file("bad.json", kStale)});
  EXPECT_TRUE(a.out.starts_with("{\"valid?\": false, \"anomaly-types\": [\"")) << a.out;
  EXPECT_NE(a.out.find("\"not\": [\"strict-serializable\"]"), std::string::npos) << a.out;
}

TEST(ElleCli, WrongOptionsEndWithOneAndUnreadableFilesWithTwo) {
  const Scratch scratch;
  const std::string good = scratch.file("good.edn", kRegister);
  EXPECT_EQ(isolde({"elle-cli", good}).status, 1);
  EXPECT_EQ(isolde({"elle-cli", "-m", "rw-registr", good}).status, 1);
  EXPECT_EQ(isolde({"elle-cli", "-m", "sequential", good}).status, 1);
  EXPECT_EQ(isolde({"elle-cli", "-m", "rw-register", "-c", "read-uncommitted", "-a", "G2-item", good}).status, 1);
  EXPECT_EQ(isolde({"elle-cli", "-m", "rw-register", good, "none.edn"}).status, 2);
}

TEST(ElleCli, WhatHasNoEffectIsSaid) {
  const Scratch scratch;
  const std::string good = scratch.file("good.edn", kRegister);
  const Answer a = isolde({"elle-cli", "-m", "rw-register", "-s", "1000", "--plot-format", "svg", good});
  EXPECT_EQ(a.status, 0) << a.err;
  EXPECT_NE(a.err.find("--cycle-search-timeout has no effect here"), std::string::npos) << a.err;
}

}  // namespace elle_cli_test
}  // namespace isolde::test
