#include "audit/render.h"

#include <gtest/gtest.h>

#include "audit/render_json.h"
#include "audit/render_story.h"

namespace isolde::audit {
namespace render_test {

using Lines = std::vector<std::string>;

TEST(Wrapped, LinesAreBrokenAtBlanksAndElseAnywhere) {
  EXPECT_EQ(wrapped("select a from t", 10), (Lines{"select a", "from t"}));
  EXPECT_EQ(wrapped("12345678901234567890", 10), (Lines{"1234567890", "1234567890"}));
  EXPECT_EQ(wrapped("12345678 x", 8), (Lines{"12345678", "x"}));
  EXPECT_EQ(wrapped("ééééééééé é", 9), (Lines{"ééééééééé", "é"}));
  EXPECT_EQ(wrapped("", 10), Lines{});
}

TEST(OneLine, WhiteSpaceAndControlCharactersBecomeOneBlank) {
  EXPECT_EQ(one_line("select\n\t a \033[31m from  t\n"), "select a [31m from t");
}

TEST(VerdictLine, NothingFoundIsUndecidedOnlyIfALimitCameFirst) {
  Audit audit;
  audit.options.level = WeakLevel::kSnapshotIsolation;
  EXPECT_EQ(audit.finding(), Finding::kNone);
  EXPECT_EQ(verdict_line(audit), "no anomaly found at snapshot-isolation");
  audit.plan.complete = false;
  EXPECT_EQ(audit.finding(), Finding::kUndecided);
  EXPECT_EQ(verdict_line(audit), "undecided at snapshot-isolation: the time ran out, and nothing was found so far");
  EXPECT_NE(audit_json(audit, 1).find(R"("verdict": "undecided", "complete": false)"), std::string::npos);
}

TEST(WeakLevels, NamesAndAliasesAreKnown) {
  EXPECT_EQ(weak_level_named("READ COMMITTED"), WeakLevel::kReadCommitted);
  EXPECT_EQ(weak_level_named("rr"), WeakLevel::kMysqlRepeatableRead);
  EXPECT_EQ(weak_level_named("Snapshot_Isolation"), WeakLevel::kSnapshotIsolation);
  EXPECT_EQ(weak_level_named("serializable"), std::nullopt);
  EXPECT_EQ(dialect_named("MariaDB"), SqlDialect::kMysql);
}

TEST(StepsText, EachTransactionHasItsColumn) {
  using Kind = Event::Kind;
  const Anomaly anomaly = {.name = AnomalyName::kLostUpdate,
                           .cycle = {},
                           .members = {"T1: buy", "T2: buy"},
                           .steps = {{0, Kind::kStart, 0, "BEGIN", ""},
                                     {0, Kind::kStatement, 0, "SELECT a", "reads t.a"},
                                     {1, Kind::kStatement, 0, "SELECT b", ""},
                                     {1, Kind::kStatement, 1, "SELECT c", ""},
                                     {1, Kind::kStatement, 2, "UPDATE t", "writes t.a"},
                                     {0, Kind::kCommit, 0, "COMMIT", ""}},
                           .bindings = {},
                           .words = {}};
  EXPECT_EQ(steps_text(anomaly.steps, 2, "T", 60, Colour::kNever),
            "   T1                          | T2\n"
            "   BEGIN                       |\n"
            "   SELECT a                    |\n"
            "   -- reads t.a                |\n"
            "                               | … 2 statements\n"
            "                               | UPDATE t\n"
            "                               | -- writes t.a\n"
            "   COMMIT                      |\n");
}

}  // namespace render_test
}  // namespace isolde::audit
