// Every list-append and register history of Elle's own tests, at each level that its index names: the verdict that Elle
// gives. How the two differ otherwise: docs/differences.md.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "check/choose.h"
#include "format/format.h"
#include "proof/prove.h"

namespace isolde {
namespace {

namespace fs = std::filesystem;

const std::string kShared = ISOLDE_SOURCE_DIR "/../shared/histories";

struct Row {
  std::string file, level, expected;
};

std::vector<Row> elle_rows() {
  std::vector<Row> rows;
  std::ifstream in(kShared + "/INDEX.tsv");
  for (std::string line; std::getline(in, line);) {
    std::vector<std::string> cells;
    std::stringstream cut(line);
    for (std::string cell; std::getline(cut, cell, '\t');) cells.push_back(cell);
    if (cells.size() < 4) continue;
    if (cells[0].rfind("elle/list_append/", 0) == 0 || cells[0].rfind("elle/rw_register/", 0) == 0)
      rows.push_back({cells[0], cells[2], cells[3]});
  }
  return rows;
}

TEST(Elle, EveryRowOfItsTestsHasTheVerdictThatTheDefinitionsGive) {
  if (!fs::exists(kShared)) GTEST_SKIP() << "the folder shared is not beside this checkout";
  std::size_t judged = 0;
  for (const Row& row : elle_rows()) {
    const auto level = level_named(row.level);
    if (!level) continue;  // asked by anomaly, or with options that change what Elle infers
    SCOPED_TRACE(row.file + " at " + row.level + ": " + row.expected);
    const auto loaded = load(kShared + "/" + row.file, nullptr, {});
    ASSERT_TRUE(loaded) << loaded.error().message();
    const Choice choice = choose(loaded->history, *level, {});
    ASSERT_NE(choice.engine, nullptr);
    const Verdict verdict = choice.engine->check(loaded->history, *level, {});
    const auto proof = prove(loaded->history, verdict);
    EXPECT_TRUE(proof) << (proof ? "" : proof.error().message());
    // "unknown" is an empty graph: nothing contradicts the level.
    const Outcome expected = row.expected.rfind("invalid", 0) == 0 ? Outcome::kViolated : Outcome::kSatisfied;
    EXPECT_EQ(name(verdict.outcome), name(expected))
        << verdict.method << " " << verdict.reason
        << (verdict.anomalies.empty() ? std::string() : full_name(verdict.anomalies[0]));
    ++judged;
  }
  EXPECT_GT(judged, 25U);
}

TEST(Elle, ItsTwoHardHistoriesAreJudgedAtOnce) {
  if (!fs::exists(kShared)) GTEST_SKIP() << "the folder shared is not beside this checkout";
  const std::pair<const char*, Level> kHard[] = {
      {"elle/histories/huge-scc.edn", Level::kStrictSerializable},
      {"elle/list_append/unfindable_g_single.edn", Level::kSnapshotIsolation}};
  for (const auto& [file, level] : kHard) {
    SCOPED_TRACE(file);
    const auto loaded = load(kShared + "/" + file, nullptr, {});
    ASSERT_TRUE(loaded) << loaded.error().message();
    const auto start = std::chrono::steady_clock::now();
    const Verdict verdict = engine_named("graph")->check(loaded->history, level, {});
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
    EXPECT_EQ(verdict.outcome, Outcome::kViolated);
    const auto proof = prove(loaded->history, verdict);
    EXPECT_TRUE(proof) << (proof ? "" : proof.error().message());
  }
}

}  // namespace
}  // namespace isolde
