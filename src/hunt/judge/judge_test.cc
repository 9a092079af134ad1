#include "hunt/judge/judge.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "hunt/judge/at_once.h"
#include "hunt/judge/effects.h"
#include "hunt/judge/isolation.h"
#include "hunt/judge/latest.h"
#include "tests/hunt/toy_arena.h"
#include "tests/support/effort.h"

namespace isolde::hunt {
namespace judge_test {

using toy::Fault;
using toy::test_case;
using toy::ToyArena;

Execution run(const Case& test, Level level, Fault fault = Fault::kNone) {
  ToyArena arena(level, fault);
  EXPECT_TRUE(arena.prepare(test.schema).has_value());
  return arena.run(test, true);
}

// "T1.1 -item-read-> T2.1", sorted.
std::set<std::string> edges(const Case& test, const Execution& execution) {
  std::set<std::string> all;
  for (const Dependency& d : statement_graph(test, execution).dependencies)
    all.insert(fmt::format("{} -{}-> {}", name(d.from), name(d.kind), name(d.to)));
  return all;
}

using Edges = std::set<std::string>;

TEST(StatementGraph, AReadOfAWrittenRowDependsOnItsWriter) {
  const Case test = test_case("add t = 1 5 / select t = 6", "1 1 2 2");
  EXPECT_EQ(edges(test, run(test, Level::kReadCommitted)), Edges{"T1.1 -item-read-> T2.1"});
}

TEST(StatementGraph, ARowThatThePredicateRejectsIsAPredicateRead) {
  const Case test = test_case("add t = 1 5 / select t = 1", "1 1 2 2");
  EXPECT_EQ(edges(test, run(test, Level::kReadCommitted)), Edges{"T1.1 -predicate-read-> T2.1"});
}

TEST(StatementGraph, AReadOfAnOldRowComesBeforeItsOverwriter) {
  const Case test = test_case("select t = 1 / add t = 1 5", "1 2 2 1");
  EXPECT_EQ(edges(test, run(test, Level::kSnapshotIsolation)), Edges{"T1.1 -item-anti-> T2.1"});
}

TEST(StatementGraph, ARejectedOldRowIsAPredicateAntiDependency) {
  const Case test = test_case("select t = 6 / add t = 1 5", "1 2 2 1");
  EXPECT_EQ(edges(test, run(test, Level::kSnapshotIsolation)), Edges{"T1.1 -predicate-anti-> T2.1"});
}

TEST(StatementGraph, TwoWritersOfARowAreInItemWriteDependency) {
  const Case test = test_case("add t = 1 5 / add t = 6 1", "1 1 2 2");
  EXPECT_EQ(edges(test, run(test, Level::kReadCommitted)), Edges{"T1.1 -item-write-> T2.1"});
}

TEST(StatementGraph, AnUpdateThatRejectsAWrittenRowIsInPredicateWriteDependency) {
  const Case test = test_case("add t = 1 5 / add t = 1 1", "1 1 2 2");
  EXPECT_EQ(edges(test, run(test, Level::kReadCommitted)), Edges{"T1.1 -predicate-write-> T2.1"});
}

TEST(StatementGraph, AnUpdateThatRejectsARowComesBeforeItsOverwriter) {
  const Case test = test_case("add t = 9 1 ; sum u / add t = 1 5", "1 2 2 1 1");
  EXPECT_EQ(edges(test, run(test, Level::kReadCommitted)), Edges{"T1.1 -predicate-write-> T2.1"});
}

TEST(StatementGraph, AWriteOfAnotherTablesValuesIsInValueWriteDependency) {
  const Case after = test_case("add u = 10 5 / setsum t = 1 u", "1 1 2 2");
  EXPECT_EQ(edges(after, run(after, Level::kReadCommitted)), Edges{"T1.1 -value-write-> T2.1"});
  const Case before = test_case("setsum t = 1 u / add u = 10 5", "1 1 2 2");
  EXPECT_EQ(edges(before, run(before, Level::kReadCommitted)), Edges{"T1.1 -value-write-> T2.1"});
}

TEST(StatementGraph, ARowThatIsAbsentDependsOnItsDeleterAndComesBeforeItsInserter) {
  const Case deleted = test_case("delete t = 1 / sum t", "1 1 2 2");
  EXPECT_EQ(edges(deleted, run(deleted, Level::kReadCommitted)), Edges{"T1.1 -predicate-read-> T2.1"});
  const Case inserted = test_case("sum t / insert t 9 9", "1 2 2 1");
  EXPECT_EQ(edges(inserted, run(inserted, Level::kSnapshotIsolation)), Edges{"T1.1 -predicate-anti-> T2.1"});
}

TEST(StatementGraph, InsertsAndDeletesOfOtherRowsMakeNoEdgesToReadsOfOtherTables) {
  const Case test = test_case("insert t 9 9; delete t = 1 / sum u; select u > 0", "1 2 1 2 1 2");
  EXPECT_EQ(edges(test, run(test, Level::kReadCommitted)), Edges{"T1.1 -predicate-write-> T1.2"});
}

TEST(StatementGraph, TransactionsThatDoNotCommitAreLeftOut) {
  const Case test = test_case("add t = 1 5 rollback / sum t", "1 1 2 2");
  const Execution execution = run(test, Level::kReadCommitted);
  EXPECT_EQ(statement_graph(test, execution).statements, (std::vector<Place>{{1, 0}}));
  EXPECT_EQ(edges(test, execution), Edges{});
}

TEST(StatementGraph, DeletedAndInsertedAgainIsAChainOfThreeStates) {
  const Case test = test_case("delete t = 1 / insert t 1 7 / select t = 7", "1 1 2 2 3 3");
  const Edges all = edges(test, run(test, Level::kReadCommitted));
  EXPECT_TRUE(all.contains("T1.1 -item-write-> T2.1")) << fmt::format("{}", fmt::join(all, ", "));
  EXPECT_TRUE(all.contains("T2.1 -item-read-> T3.1"));
  EXPECT_FALSE(all.contains("T2.1 -item-write-> T1.1"));
}

TEST(Decycle, WriteSkewLosesOneStatementAndNothingElse) {
  const Case test = test_case("sum t; add u = 10 1 / sum u; add t = 1 1", "1 2 1 2 1 2");
  const Execution execution = run(test, Level::kSnapshotIsolation);
  const StatementGraph graph = statement_graph(test, execution);
  for (const std::uint64_t seed : effort::seeds(0, 20)) {
    Rng rng(seed);
    const std::vector<Place> drop = statements_to_drop(graph, test, rng);
    EXPECT_LE(drop.size(), 1U);
    const std::vector<Place> order = draw_order(without(graph, drop), rng);
    EXPECT_EQ(order.size() + drop.size(), 4U);
    EXPECT_EQ(why_no_oracle(test, execution, order), std::nullopt);
  }
}

TEST(Decycle, ReadsAreDroppedBeforeWrites) {
  // T1 reads t before and u after T2, which writes both.
  const Case test = test_case("add t = 1 5; add u = 10 5 / setsum t = 9 u; sum t", "2 1 1 1 2 2");
  const Execution execution = run(test, Level::kReadCommitted);
  StatementGraph graph = statement_graph(test, execution);
  graph.dependencies.push_back({{1, 1}, {0, 0}, DependencyKind::kPredicateAnti, "t", 1});
  Rng rng(1);
  EXPECT_EQ(statements_to_drop(graph, test, rng), (std::vector<Place>{{1, 1}}));
}

TEST(Decycle, LargeRandomGraphsComeOutAcyclicAndMinimal) {
  for (const std::uint64_t seed : effort::seeds(0, 60)) {
    Rng rng(seed);
    Case test;
    test.schema = toy::schema(1);
    test.transactions.resize(1);
    StatementGraph graph;
    const auto count = static_cast<std::uint32_t>(2 + rng.below(30));
    for (std::uint32_t i = 0; i < count; ++i) {
      test.transactions[0].statements.push_back(toy::statement(rng.below(2) == 0 ? "sum t" : "add t = 1 1", 1000 + i));
      graph.statements.push_back({0, i});
    }
    const std::uint64_t pairs = rng.below(4 * count);
    for (std::uint64_t i = 0; i < pairs; ++i) {
      const auto from = static_cast<std::uint32_t>(rng.below(count)), to = static_cast<std::uint32_t>(rng.below(count));
      if (from != to) graph.dependencies.push_back({{0, from}, {0, to}, DependencyKind::kItemRead, "t", 1});
    }
    const std::vector<Place> drop = statements_to_drop(graph, test, rng);
    EXPECT_EQ(draw_order(without(graph, drop), rng).size(), count - drop.size());
    for (const Place spared : drop) {  // none is dropped without need
      std::vector<Place> fewer = drop;
      std::erase(fewer, spared);
      EXPECT_LT(draw_order(without(graph, fewer), rng).size(), count - fewer.size());
    }
  }
}

TEST(Orders, EveryDependencyPointsForwardAndSeveralOrdersComeUp) {
  const Case test = test_case("add t = 1 5; sum u / select t = 6; sum u / sum u", "1 1 1 2 2 2 3 3");
  const StatementGraph graph = statement_graph(test, run(test, Level::kReadCommitted));
  std::set<std::vector<Place>> orders;
  Rng rng(7);
  for (int i = 0; i < 50; ++i) {
    const std::vector<Place> order = draw_order(graph, rng);
    ASSERT_EQ(order.size(), 5U);
    EXPECT_LT(std::find(order.begin(), order.end(), Place{0, 0}), std::find(order.begin(), order.end(), Place{1, 0}));
    orders.insert(order);
  }
  EXPECT_GT(orders.size(), 10U);
}

TEST(Validation, AnOrderAgainstADependencyIsRefusedWithTheRow) {
  const Case test = test_case("add t = 1 5 / select t = 6", "1 1 2 2");
  const Execution execution = run(test, Level::kReadCommitted);
  EXPECT_EQ(why_no_oracle(test, execution, {{0, 0}, {1, 0}}), std::nullopt);
  EXPECT_EQ(why_no_oracle(test, execution, {{1, 0}, {0, 0}}),
            "T2.1: it saw version 1001 of row 1 of t, and would see 1");
}

TEST(Validation, AnOrderWithoutAWriterOrWithAStatementTwiceIsRefused) {
  const Case test = test_case("add t = 1 5 / sum u", "1 1 2 2");
  const Execution execution = run(test, Level::kReadCommitted);
  EXPECT_TRUE(why_no_oracle(test, execution, {{1, 0}}).has_value());
  EXPECT_TRUE(why_no_oracle(test, execution, {{0, 0}, {0, 0}}).has_value());
  EXPECT_TRUE(why_no_oracle(test, execution, {{0, 0}, {7, 0}}).has_value());
  EXPECT_EQ(why_no_oracle(test, execution, {{0, 0}}), std::nullopt);  // a read may be left out
}

TEST(Validation, OtherContentsUnderTheSameVersionAreSeen) {
  const Case test = test_case("add t = 1 5 / sum t", "1 1 2 2");
  Execution execution = run(test, Level::kReadCommitted);
  execution.runs[1][0].seen["t"][0].cells = "something else";
  EXPECT_EQ(why_no_oracle(test, execution, {{0, 0}, {1, 0}}),
            "T2.1: version 1001 of row 1 of t has other contents here");
}

TEST(Validation, StatementsThatWaitedAreNoOracle) {
  const Case test = test_case("add t = 1 5 / add t = 1 1", "1 2 1 2");
  const Execution execution = run(test, Level::kReadCommitted);
  ASSERT_TRUE(execution.runs[1][0].apart);
  EXPECT_TRUE(why_no_oracle(test, execution, {{0, 0}, {1, 0}}).has_value());
}

TEST(HistoryOf, EveryKnownRowIsReadAndDeletionsHaveValuesOfTheirOwn) {
  const Case test = test_case("delete t = 1 / sum t", "1 1 2 2", 2);
  const auto history = history_of(test, run(test, Level::kReadCommitted));
  ASSERT_TRUE(history.has_value()) << history.error().text;
  EXPECT_EQ(history->txn_count(), 3U);  // and the end
}

std::string anomaly(const Case& test, Level level, Fault fault) {
  const auto broken = broken_level(test, run(test, level, fault), level);
  if (!broken) return broken.error().text;
  return *broken ? (*broken)->anomaly : "";
}

TEST(Isolation, ALostUpdateBreaksSnapshotIsolation) {
  const Case test = test_case("add t = 1 5; sum u / add t = 1 7", "1 2 2 1 1");
  EXPECT_EQ(anomaly(test, Level::kSnapshotIsolation, Fault::kNone), "");
  const Case both = test_case("sum t; add t = 1 5 / add t = 1 7", "1 2 2 1 1");
  EXPECT_EQ(anomaly(both, Level::kSnapshotIsolation, Fault::kNone), "");
  EXPECT_NE(anomaly(both, Level::kSnapshotIsolation, Fault::kLostUpdate), "");
}

TEST(Isolation, WriteSkewBreaksSerializabilityAndNotSnapshots) {
  const Case test = test_case("sum t; add u = 10 1 / sum u; add t = 1 1", "1 2 1 2 1 2");
  EXPECT_EQ(anomaly(test, Level::kSerializable, Fault::kNone), "");
  EXPECT_NE(anomaly(test, Level::kSerializable, Fault::kWriteSkew), "");
  EXPECT_EQ(anomaly(test, Level::kSnapshotIsolation, Fault::kWriteSkew), "");
}

TEST(Isolation, ASnapshotFromThePastIsSeen) {
  const Case test = test_case("add t = 1 5 / sum t", "1 1 2 2");
  EXPECT_EQ(anomaly(test, Level::kSnapshotIsolation, Fault::kNone), "");
  EXPECT_NE(anomaly(test, Level::kSnapshotIsolation, Fault::kStaleSnapshot), "");
  EXPECT_NE(anomaly(test, Level::kSerializable, Fault::kStaleSnapshot), "");
}

TEST(Latest, OnlyStatementsWithAnOldSnapshotAreNamed) {
  const Case test = test_case("sum u; sum t / add t = 1 5", "1 2 2 1 1");
  EXPECT_TRUE(old_tables(test, run(test, Level::kReadCommitted)).empty());
  const Execution execution = run(test, Level::kSnapshotIsolation);
  const auto old = old_tables(test, execution);
  ASSERT_EQ(old.size(), 1U);
  EXPECT_EQ(old.begin()->first, (Place{0, 1}));
}

// Row 1 stands twice for T1 after its upsert: the old one, and the one that it inserted.
Execution with_two_rows(const Case& test) {
  Execution execution = run(test, Level::kSnapshotIsolation);
  StatementRun& upsert = execution.runs[0][1];
  upsert.ran = Ran::kDone;
  upsert.reply = {};
  upsert.reply.changed = 1;
  upsert.left = upsert.seen;
  upsert.left["t"].insert(upsert.left["t"].begin() + 1, Version{1, 1002, "1,1002,5"});
  execution.ends[0] = Ended::kCommitted;
  execution.answered.push_back({0, 2});
  return execution;
}

TEST(Latest, AKeyThatSomebodyFreedSinceTheSnapshotIsExcusedAndAnUpdatedOneIsNot) {
  const Case freed = test_case("sum u; upsert t 1 5 / delete t = 1", "1 2 2 1 1");
  EXPECT_EQ(beyond_their_snapshot(freed, with_two_rows(freed), "postgres"), (std::vector<Place>{{0, 1}}));
  EXPECT_TRUE(beyond_their_snapshot(freed, with_two_rows(freed), "mariadb").empty());
  const Case updated = test_case("sum u; upsert t 1 5 / add t = 1 5", "1 2 2 1 1");
  EXPECT_TRUE(beyond_their_snapshot(updated, with_two_rows(updated), "postgres").empty());
  const auto broken = broken_level(updated, with_two_rows(updated), Level::kSnapshotIsolation);
  ASSERT_TRUE(broken && *broken);
  EXPECT_EQ((*broken)->anomaly, "lost-update");
}

TEST(Latest, AStatementUnderForeignKeysMustHaveSeenTheLatestRows) {
  Case test = test_case("sum u; add t = 1 5 / add u = 10 5", "1 2 2 1 1");
  EXPECT_TRUE(beyond_their_snapshot(test, run(test, Level::kSnapshotIsolation), "postgres").empty());
  test.schema.tables[1].foreign_keys.push_back({"a", "t", true});
  test.transactions[0].statements[1].reads.emplace_back("u");
  EXPECT_EQ(beyond_their_snapshot(test, run(test, Level::kSnapshotIsolation), "postgres"),
            (std::vector<Place>{{0, 1}}));
  EXPECT_TRUE(beyond_their_snapshot(test, run(test, Level::kReadCommitted), "postgres").empty());
}

TEST(Isolation, PhantomsAreNoConcernOfRepeatableRead) {
  const Case test = test_case("sum t; add u = 10 1 / sum u; insert t 9 1", "1 2 1 2 1 2");
  const auto at_repeatable_read = [&](const Case& of) {
    const auto broken = broken_level(of, run(of, Level::kSnapshotIsolation), Level::kRepeatableRead);
    return broken && *broken ? (*broken)->anomaly : "";
  };
  EXPECT_EQ(at_repeatable_read(test), "");
  EXPECT_EQ(at_repeatable_read(test_case("sum t; add u = 10 1 / sum u; add t = 1 1", "1 2 1 2 1 2")), "G2-item");
}

TEST(AtOnce, ACorrectRunShowsNothing) {
  const Case test =
      test_case("add t = 1 5; delete t = 2 / insert t 9 1; upsert t 9 2 rollback / upsert u 1 4", "1 2 1 3 2 1 3 2");
  for (const Level level : {Level::kReadCommitted, Level::kSnapshotIsolation, Level::kSerializable})
    EXPECT_TRUE(wrong_at_once(test, run(test, level), "postgres", level).empty());
}

std::string first_wrong(const Case& test, const Execution& execution) {
  const auto all = wrong_at_once(test, execution, "postgres", Level::kReadCommitted);
  return all.empty() ? "" : std::string(name(all.front().wrong));
}

TEST(AtOnce, EachKindIsNamed) {
  const Case count = test_case("add t = 1 5", "1 1");
  EXPECT_EQ(first_wrong(count, run(count, Level::kReadCommitted, Fault::kWrongCount)), "own-writes");
  const Case own = test_case("add t = 1 5; add t = 6 1", "1 1 1");
  EXPECT_EQ(first_wrong(own, run(own, Level::kSnapshotIsolation, Fault::kMissesOwnWrites)), "predicate");
  const Case rollback = test_case("add t = 1 5 rollback", "1 1");
  EXPECT_EQ(first_wrong(rollback, run(rollback, Level::kReadCommitted, Fault::kLostRollback)), "rolled-back");
  const Case dirty = test_case("add t = 1 5 rollback / sum t", "1 2 2 1");
  EXPECT_EQ(first_wrong(dirty, run(dirty, Level::kReadCommitted, Fault::kDirtyRead)), "rolled-back");
  const Case lost = test_case("add t = 1 5; add u = 10 1", "1 1 1");
  EXPECT_EQ(first_wrong(lost, run(lost, Level::kReadCommitted, Fault::kLostCommit)), "contents");
}

TEST(AtOnce, AnUpsertOfMariadbCountsAnUpdatedRowTwice) {
  const Case test = test_case("upsert t 1 5", "1 1");
  Execution execution = run(test, Level::kReadCommitted);
  EXPECT_EQ(wrong_at_once(test, execution, "mariadb", Level::kReadCommitted).size(), 1U);
  execution.runs[0][0].reply.changed = 2;
  EXPECT_TRUE(wrong_at_once(test, execution, "mariadb", Level::kReadCommitted).empty());
}

void tear(ContentsByTable& contents, Rng& rng) {
  for (auto& [table, rows] : contents) {
    if (rows.empty() || rng.below(3) != 0) continue;
    Version& row = rows[rng.below(rows.size())];
    switch (rng.below(4)) {
      case 0:
        row.vkey = rng.between(0, 1010);
        break;
      case 1:
        row.cells += "x";
        break;
      case 2:
        rows.insert(rows.begin() + (&row - rows.data()), Version(row));
        break;
      default:
        rows.erase(rows.begin() + (&row - rows.data()));
    }
  }
  if (rng.below(20) == 0) contents.clear();
}

// Whatever a server shows, it is judged or not judged: nothing breaks, and no order is handed out against the versions.
TEST(JudgeProperty, TornExecutionsBreakNothing) {
  for (const std::uint64_t seed : effort::seeds(0, 600)) {
    Rng rng(seed);
    const Case test = toy::random_case(rng, 3, 4);
    Execution execution = run(test, rng.below(2) == 0 ? Level::kReadCommitted : Level::kSnapshotIsolation);
    for (auto& transaction : execution.runs) {
      for (StatementRun& statement : transaction) {
        if (rng.below(3) == 0) tear(statement.seen, rng);
        if (rng.below(3) == 0) tear(statement.left, rng);
        if (rng.below(15) == 0) statement.ran = static_cast<Ran>(rng.below(4));
      }
    }
    for (Ended& end : execution.ends)
      if (rng.below(6) == 0) end = static_cast<Ended>(rng.below(4));
    if (!execution.answered.empty() && rng.below(4) == 0)
      execution.answered.resize(rng.below(execution.answered.size()));
    tear(execution.final, rng);
    (void)wrong_at_once(test, execution, "mariadb", Level::kReadCommitted);
    (void)beyond_their_snapshot(test, execution, "postgres");
    (void)broken_level(test, execution, Level::kSerializable);
    const StatementGraph graph = statement_graph(test, execution);
    const std::vector<Place> drop = statements_to_drop(graph, test, rng);
    const std::vector<Place> order = draw_order(without(graph, drop), rng);
    EXPECT_EQ(order.size() + drop.size(), graph.statements.size());
    (void)why_no_oracle(test, execution, order);
  }
}

// Random cases on a correct server: whatever order is drawn is valid, and nothing is wrong.
TEST(JudgeProperty, OnACorrectServerEveryDrawnOrderIsValidAndAnswersTheSame) {
  std::uint64_t tried = 0, orders = 0, cycles = 0, refused = 0;
  for (const Level level : {Level::kReadCommitted, Level::kSnapshotIsolation, Level::kSerializable}) {
    for (const std::uint64_t seed : effort::seeds(0, 400)) {
      ++tried;
      Rng rng(seed);
      const Case test = toy::random_case(rng, 3, 4);
      ToyArena arena(level);
      ASSERT_TRUE(arena.prepare(test.schema).has_value());
      const Execution execution = arena.run(test, true);
      const auto wrong = wrong_at_once(test, execution, "postgres", level);
      EXPECT_TRUE(wrong.empty()) << seed << " " << name(wrong.front().wrong) << ": " << wrong.front().actual;
      const auto broken = broken_level(test, execution, level);
      if (broken && *broken) ADD_FAILURE() << seed << " " << (*broken)->text;
      bool apart = false;
      for (const Place place : counted_statements(test, execution)) apart = apart || at(execution, place).apart;
      if (apart) continue;
      const StatementGraph graph = statement_graph(test, execution);
      const std::vector<Place> drop = statements_to_drop(graph, test, rng);
      cycles += drop.empty() ? 0 : 1;
      if (std::any_of(drop.begin(), drop.end(), [&](Place p) { return writes(at(test, p)); })) continue;
      const std::vector<Place> order = draw_order(without(graph, drop), rng);
      if (const auto why = why_no_oracle(test, execution, order)) {
        ++refused;
        ADD_FAILURE() << seed << " level " << info(level).name << ": " << *why;
        continue;
      }
      ASSERT_TRUE(arena.reset().has_value());
      const Compared compared = compare(test, execution, order, arena.run_alone(test, order));
      EXPECT_TRUE(compared.decided);
      EXPECT_FALSE(compared.difference.has_value()) << seed;
      ++orders;
    }
  }
  EXPECT_TRUE(effort::reaches(0.25, orders, tried)) << orders << " of " << tried;
  EXPECT_TRUE(effort::reaches(1.0 / 60, cycles, tried)) << cycles << " of " << tried;
}

}  // namespace judge_test
}  // namespace isolde::hunt
