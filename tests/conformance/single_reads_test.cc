// A single read that is wrong: docs/levels.md says which levels it breaks. The table there is read, and tried on
// histories of each kind by the oracle, by what `isolde check` does, and by every method that can judge them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "check/choose/choose.h"
#include "check/choose/engines.h"
#include "check/choose/strongest.h"
#include "proof/prove.h"
#include "tests/oracle/oracle.h"
#include "tests/support/history_text.h"

namespace isolde {
namespace single_reads_test {

struct WrongRead {
  std::string_view kind;  // as in the head of the table
  std::string_view history;
};

constexpr WrongRead kWrongReads[] = {
    {"aborted", "T1!: w x1 | T2: r x1"},
    {"aborted", "T1!: w x1 w y1 | T2: w y2 | T3: r x1 r y2"},
    {"aborted", "T1!: a x1 | T2: a x2 | T3: r x[1]"},
    {"intermediate", "T1: w x1 w x2 | T2: r x1"},
    {"intermediate", "T1: w x1 w y1 w x2 | T2: r y1 | T3: r x1"},
    {"intermediate", "T1: a x1 a x2 | T2: r x[1]"},
    {"garbage", "T1: r x7"},
    {"garbage", "T1: w x1 | T2: r x1 | T3: w y1 r x7"},
    {"garbage", "T1: a x1 | T2: r x[1 7]"},
    {"own later write", "T1: r x7 w x7"},
    {"own later write", "T1: r x7 w y1 w x7 | T2: r x7 r y1"},
    {"own later write", "T1: w x1 | T2: r x7 w x7"},
    {"own later write", "T1: r x7 w x7 w x8"},
    {"own later write", "T1: r x[7] a x7"},
    {"own write not seen", "T1: w x1 r x_"},
    {"own write not seen", "T1: w x1 | T2: w x2 r x1"},
    {"own write not seen", "T1: w x1 w x2 r x1"},
    {"own write not seen", "T1: w x1 r x1 r x_"},
    {"own write not seen", "T1: a x1 | T2: a x2 r x[1]"},
    {"goes back", "T1: w x1 | T2: r x1 r x_"},
    {"goes back", "T1: w x1 | T2: r x_ r x1 r x_"},
    {"goes back", "T1: a x1 | T2: r x[1] r x_"},
    {"changes", "T1: w x1 | T2: r x_ r x1"},
    {"changes", "T1: w x1 | T2: r x1 w x2 | T3: r x1 r x2"},
    {"changes", "T1: a x1 | T2: r x_ r x[1]"},
};

// By level and kind, whether the document says that it breaks the level.
using Table = std::map<Level, std::map<std::string, bool>>;

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::stringstream in(line);
  for (std::string cell; std::getline(in, cell, '|');) {
    const std::size_t from = cell.find_first_not_of(' ');
    if (from == std::string::npos) continue;
    cells.push_back(cell.substr(from, cell.find_last_not_of(' ') - from + 1));
  }
  return cells;
}

Table table_of_the_document() {
  Table table;
  std::ifstream in(ISOLDE_SOURCE_DIR "/docs/levels.md");
  std::vector<std::string> head;
  for (std::string line; std::getline(in, line);) {
    const std::vector<std::string> cells = cells_of(line);
    if (cells.size() > 1 && cells[1] == "aborted") head = cells;
    if (head.empty() || cells.size() != head.size() || cells[0].starts_with("---") || cells == head) continue;
    const auto level = level_named(cells[0]);
    EXPECT_TRUE(level) << cells[0];
    if (!level) continue;
    for (std::size_t i = 1; i < cells.size(); ++i) {
      EXPECT_TRUE(cells[i] == "✗" || cells[i] == "–") << line;
      table[*level][head[i]] = cells[i] == "✗";
    }
  }
  return table;
}

class SingleRead : public ::testing::TestWithParam<WrongRead> {};

TEST_P(SingleRead, BreaksTheLevelsThatTheDocumentSays) {
  static const Table kTable = table_of_the_document();
  const History h = hist(GetParam().history);
  for (const LevelInfo& level : all_levels()) {
    SCOPED_TRACE(fmt::format("{} at {}", GetParam().history, level.name));
    const auto row = kTable.find(level.level);
    ASSERT_NE(row, kTable.end());
    ASSERT_TRUE(row->second.contains(std::string(GetParam().kind)));
    const bool breaks = row->second.at(std::string(GetParam().kind));
    const OracleVerdict truth = oracle(h, level.level);
    if (truth != OracleVerdict::kNotApplicable) {
      EXPECT_EQ(truth, breaks ? OracleVerdict::kViolated : OracleVerdict::kSatisfied);
    }
    const Verdict verdict = LevelChecks(h, {}).check(choose(h, level.level, {}), level.level, {});
    EXPECT_EQ(name(verdict.outcome), breaks ? "violated" : "satisfied") << verdict.method << ": " << verdict.reason;
    for (const Engine& engine : engines()) {
      if (engine.given == Given::kProfile || !engine.lacks(h, level.level).empty()) continue;
      const Verdict said = engine.check(h, level.level, {});
      EXPECT_NE(said.outcome, breaks ? Outcome::kSatisfied : Outcome::kViolated) << engine.name;
      const auto proved = prove(h, said);
      EXPECT_TRUE(proved) << engine.name << ": " << (proved ? "" : proved.error().message());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, SingleRead, ::testing::ValuesIn(kWrongReads), [](const auto& each) {
  std::string label(each.param.kind);
  std::replace(label.begin(), label.end(), ' ', '_');
  return fmt::format("{}_{}", label, each.index);
});

TEST(SingleReadTable, HasEveryLevelAndEveryKindIsTried) {
  const Table table = table_of_the_document();
  EXPECT_EQ(table.size(), static_cast<std::size_t>(kLevelCount));
  for (const auto& [level, kinds] : table) {
    for (const auto& [kind, breaks] : kinds) {
      EXPECT_TRUE(std::any_of(std::begin(kWrongReads), std::end(kWrongReads), [&](const WrongRead& one) {
        return one.kind == kind;
      })) << kind;
    }
  }
}

}  // namespace single_reads_test
}  // namespace isolde
