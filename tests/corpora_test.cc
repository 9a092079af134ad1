// The published histories of elle-cli, dbcop, AWDIT, PolySI, IsoVista and Cobra: the verdict that their tools' own
// tests expect. What differs names its entry of docs/differences.md.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "check/choose/choose.h"
#include "check/choose/engines.h"
#include "format/format.h"
#include "proof/prove.h"
#include "tests/support/effort.h"
#include "tests/support/index_table.h"

namespace isolde {
namespace corpora_test {

constexpr std::string_view kFolders[] = {"awdit/", "dbcop/unit/", "elle-cli/", "isovista/", "polysi/"};

struct Expectation {
  std::string file;
  Level level;
  Outcome outcome;
};

// PolySI, IsoVista and dbcop take session order as part of SI and SER, and RC is that of Biswas and Enea. "RR" is
// another level than ours of that name.
std::optional<Level> level_of(std::string_view name) {
  if (name == "SI") return Level::kStrongSessionSnapshotIsolation;
  if (name == "SER") return Level::kStrongSessionSerializable;
  if (name == "RC") return Level::kStrongSessionMonotonicAtomicView;
  if (name == "RR") return std::nullopt;
  return level_named(name);
}

// The level that a row of elle-cli asks for: strict-serializable unless it says otherwise.
Level elle_cli_level(std::string_view options) {
  constexpr std::string_view kOption = "--consistency-models ";
  const std::size_t at = options.find(kOption);
  if (at == std::string_view::npos) return Level::kStrictSerializable;
  return level_named(options.substr(at + kOption.size())).value_or(Level::kStrictSerializable);
}

std::vector<Expectation> expectations() {
  std::vector<Expectation> out;
  for (const auto& cells : table_rows(kSharedHistories + "/INDEX.tsv", 4)) {
    const bool wanted = std::any_of(std::begin(kFolders), std::end(kFolders),
                                    [&](std::string_view folder) { return cells[0].starts_with(folder); });
    if (!wanted) continue;
    const std::string& expected = cells[3];
    if (cells[0].starts_with("elle-cli/")) {
      out.push_back({cells[0], elle_cli_level(cells[2]),
                     expected.starts_with("true") ? Outcome::kSatisfied : Outcome::kViolated});
    } else if (expected == "ACCEPT" || expected == "REJECT") {
      out.push_back(
          {cells[0], level_of(cells[2]).value(), expected == "ACCEPT" ? Outcome::kSatisfied : Outcome::kViolated});
    } else if (expected.find('=') != std::string::npos) {
      std::stringstream cut(expected);
      for (std::string pair; cut >> pair;) {
        const std::size_t at = pair.find('=');
        const auto level = level_of(pair.substr(0, at));
        const std::string says = pair.substr(at + 1);
        if (level)
          out.push_back({cells[0], *level, says == "ok" || says == "pass" ? Outcome::kSatisfied : Outcome::kViolated});
      }
    } else {
      EXPECT_EQ(expected, "loader round-trip only") << cells[0];
    }
  }
  return out;
}

struct Exception {
  std::string_view file;
  Level level;
  std::string_view entry;  // of docs/differences.md
};
constexpr Exception kExceptions[] = {
    {"elle-cli/jepsen/bank.edn", Level::kStrictSerializable, "Models of workloads"},
    {"elle-cli/jepsen/bank.json", Level::kStrictSerializable, "Models of workloads"},
    {"elle-cli/pr-4bbf404/rwregister-ok.edn", Level::kStrictSerializable, "A stale read of a register"},
    {"elle-cli/elle/rw-register.edn", Level::kStrictSerializable, "Values that nobody wrote"},
    {"elle-cli/elle/rw-register.json", Level::kStrictSerializable, "Values that nobody wrote"},
};

// IsoVista's histories write the initial value of every key at first.
const FormatInfo* format_for(std::string_view file) {
  return file.starts_with("isovista/") ? format_named("text-plume") : nullptr;
}

TEST(Corpora, EveryHistoryHasTheVerdictThatItsToolExpects) {
  if (!has_shared_histories()) GTEST_SKIP() << kNoShared;
  std::size_t same = 0;
  std::size_t different = 0, place = 0;
  for (const Expectation& e : expectations()) {
    if (!effort::takes(place++)) continue;
    SCOPED_TRACE(fmt::format("{} at {}: {}", e.file, info(e.level).name, name(e.outcome)));
    const auto loaded = load(kSharedHistories + "/" + e.file, format_for(e.file), {});
    ASSERT_TRUE(loaded) << loaded.error().message();
    const Choice choice = choose(loaded->history, e.level, {});
    const Verdict verdict = choice.engine->check(loaded->history, e.level, {});
    const auto proof = prove(loaded->history, verdict);
    EXPECT_TRUE(proof) << (proof ? "" : proof.error().message());
    const auto exception = std::find_if(std::begin(kExceptions), std::end(kExceptions),
                                        [&](const Exception& x) { return x.file == e.file && x.level == e.level; });
    if (exception == std::end(kExceptions)) {
      EXPECT_EQ(name(verdict.outcome), name(e.outcome)) << verdict.reason;
      for (const Anomaly& a : verdict.anomalies) EXPECT_LE(a.transactions.size(), 10U) << "too many to read";
      ++same;
    } else {
      EXPECT_NE(name(verdict.outcome), name(e.outcome)) << "take it off the list";
      EXPECT_TRUE(is_documented(exception->entry)) << exception->entry;
      ++different;
    }
  }
  RecordProperty("same", static_cast<int>(same));
  RecordProperty("different", static_cast<int>(different));
  EXPECT_GE(same, effort::least_taken(140));
}

void expect_cobra(const std::string& path, Outcome expected) {
  const auto loaded = load(path, nullptr, {});
  ASSERT_TRUE(loaded) << loaded.error().message();
  for (const Level level : {Level::kSerializable, Level::kStrongSessionSerializable}) {
    SCOPED_TRACE(fmt::format("{} at {}", path, info(level).name));
    const Choice choice = choose(loaded->history, level, {});
    const Verdict verdict = choice.engine->check(loaded->history, level, {});
    EXPECT_EQ(name(verdict.outcome), name(expected)) << verdict.reason;
    const auto proof = prove(loaded->history, verdict);
    EXPECT_TRUE(proof) << (proof ? "" : proof.error().message());
    for (const Anomaly& a : verdict.anomalies) EXPECT_LE(a.transactions.size(), 10U);
  }
}

TEST(Corpora, CobrasLogsOfTenThousandTransactionsAreAccepted) {
  if (!has_shared_histories()) GTEST_SKIP() << kNoShared;
  const std::filesystem::path folder = std::filesystem::path(ISOLDE_BINARY_DIR) / "corpora_of_cobra";
  std::filesystem::create_directories(folder);
  const std::string command =
      "tar xf '" + kSharedHistories + "/cobra/one-shot-10k.tar.xz' -C '" + folder.string() + "'";
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
  for (const char* log : {"chengRM-10000", "chengRW-10000", "rubis-10000", "tpcc-10000", "twitter-10000"})
    expect_cobra(folder / "one-shot-10k" / log, Outcome::kSatisfied);
  std::filesystem::remove_all(folder);
}

TEST(Corpora, CobrasViolationsAreRejectedAndItsPolygraphsAccepted) {
  if (!has_shared_histories()) GTEST_SKIP() << kNoShared;
  for (const char* log : {"cock-G2", "cock-blog"})
    expect_cobra(kSharedHistories + "/cobra/ser-violation/" + log, Outcome::kViolated);
  for (const char* size : {"200", "500", "800"})
    expect_cobra(kSharedHistories + "/cobra/polyg/chengRW-" + size + ".polyg", Outcome::kSatisfied);
  expect_cobra(kSharedHistories + "/cobra/chengRW-500", Outcome::kSatisfied);
}

// What the tools leave out of their definition of a level, ours does too where it is asked without sessions.
TEST(Corpora, WithoutSessionsTwoOfPolySisHistoriesSatisfySnapshotIsolation) {
  if (!has_shared_histories()) GTEST_SKIP() << kNoShared;
  for (const char* file : {"polysi/unit/readCommitted.txt", "polysi/unit/readMyWrites.txt"}) {
    const auto loaded = load(kSharedHistories + "/" + file, nullptr, {});
    ASSERT_TRUE(loaded) << loaded.error().message();
    const Verdict verdict = engine_named("graph")->check(loaded->history, Level::kSnapshotIsolation, {});
    EXPECT_EQ(name(verdict.outcome), "satisfied") << file;
  }
}

}  // namespace corpora_test
}  // namespace isolde
