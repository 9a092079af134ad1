#include "audit/graph/graph.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/rng.h"
#include "tests/support/effort.h"
#include "tests/support/small_classes.h"

namespace isolde::audit {
namespace graph_test {

using testing::class_named;
using testing::column_named;
using testing::small_classes;

constexpr std::string_view kPurchase =
    "purchase: rw(order.id) r(order.total) @ order.id=c; rwxo(order.id) w(order.total) @ order.id=c";

GraphOptions at(WeakLevel level) {
  GraphOptions options;
  options.level = level;
  return options;
}

// "rw 1->3 order.total; …" of every pair, with ! for vulnerable.
std::string edges(const Classes& classes, const DependencyGraph& graph) {
  std::string out;
  for (std::uint32_t a = 0; a < graph.classes(); ++a) {
    for (std::uint32_t b = 0; b < graph.classes(); ++b) {
      for (const std::span<const Conflict> all :
           {graph.conflicts(ClassId(a), ClassId(b)), graph.locks(ClassId(a), ClassId(b))}) {
        for (const Conflict& conflict : all) {
          out +=
              fmt::format("{}{}.{} -{}{}-> {}.{}", out.empty() ? "" : "; ", classes.classes[a].name, conflict.from_op,
                          name(conflict.kind), conflict.vulnerable ? "!" : "", classes.classes[b].name, conflict.to_op);
        }
      }
    }
  }
  return out;
}

std::string edges(std::string_view text, WeakLevel level = WeakLevel::kReadCommitted, const Hints& hints = {}) {
  const Classes classes = small_classes(text);
  return edges(classes, build_graph(classes, hints, at(level)));
}

std::uint64_t removed(const DependencyGraph& graph, std::string_view rule) {
  for (const DependencyGraph::Removed& one : graph.removed()) {
    if (one.rule.find(rule) != std::string::npos) return one.edges;
  }
  ADD_FAILURE() << "no rule " << rule;
  return 0;
}

TEST(DependencyGraph, TheFirstFigureHasTheEdgesOfTheThirdAndFourth) {
  const Classes classes = small_classes(kPurchase);
  GraphOptions options = at(WeakLevel::kReadCommitted);
  options.as_paper = true;
  const DependencyGraph graph = build_graph(classes, {}, options);
  EXPECT_EQ(edges(classes, graph),
            "purchase.1 -rw-> purchase.3; purchase.3 -wr-> purchase.1; purchase.3 -ww-> purchase.3");
  EXPECT_EQ(graph.stats().transactions, 2);
  EXPECT_EQ(graph.stats().transaction_edges, 2);
  EXPECT_EQ(graph.stats().operations, 8);
  EXPECT_EQ(graph.stats().operation_edges, 6);
  EXPECT_EQ(graph.stats().dangerous_paths, 2);
}

TEST(DependencyGraph, AReadOfARowThatBothWriteIsNotVulnerable) {
  const Classes classes = small_classes(kPurchase);
  const DependencyGraph graph = build_graph(classes, {}, at(WeakLevel::kSnapshotIsolation));
  EXPECT_EQ(graph.stats().rw_edges, 6);  // three replicas
  EXPECT_EQ(graph.stats().vulnerable_rw_edges, 0);
  EXPECT_EQ(graph.stats().dangerous_paths, 0);
}

TEST(DependencyGraph, AReadOfAnotherRowThanTheOneWrittenIsVulnerable) {
  const std::string_view text =
      "a: r(acc.x) @ acc.id=p; w(acc.x) @ acc.id=q\n"
      "b: r(acc.x) @ acc.id=p; w(acc.y) @ acc.id=p";
  EXPECT_EQ(edges(text, WeakLevel::kSnapshotIsolation),
            "a.0 -rw!-> a.1; a.1 -wr-> a.0; a.1 -ww-> a.1; a.1 -wr-> b.0; b.0 -rw-> a.1; b.1 -ww-> b.1");
}

TEST(DependencyGraph, AsThePaperHasItTheWritesMustBeOfOneColumn) {
  const Classes classes = small_classes(
      "a: w(acc.x) @ acc.id=q\n"
      "b: r(acc.x) @ acc.id=p; w(acc.y) @ acc.id=p");
  GraphOptions options = at(WeakLevel::kSnapshotIsolation);
  EXPECT_EQ(build_graph(classes, {}, options).stats().vulnerable_rw_edges, 0);
  options.as_paper = true;
  EXPECT_EQ(build_graph(classes, {}, options).stats().vulnerable_rw_edges, 9);
}

TEST(DependencyGraph, AnUpdateOfAMissingRowDoesNotProtectFromItsInsert) {
  const std::string_view text =
      "table t(id*, x)\n"
      "a: rw(t.id) @ t.id=p; rwxo(t.id) w(t.x) @ t.id=p\n"
      "b: wi(t.id) wi(t.x) @ t.id=p\n"
      "c: rw(t.id) @ t.id=p; wi(t.id) wi(t.x) @ t.id=p";
  const Classes classes = small_classes(text);
  const DependencyGraph graph = build_graph(classes, {}, at(WeakLevel::kSnapshotIsolation));
  const ClassId a = class_named(classes, "a"), b = class_named(classes, "b"), c = class_named(classes, "c");
  ASSERT_NE(graph.find(a, b, 0, 0), nullptr);
  EXPECT_TRUE(graph.find(a, b, 0, 0)->vulnerable);
  ASSERT_NE(graph.find(c, b, 0, 0), nullptr);
  EXPECT_FALSE(graph.find(c, b, 0, 0)->vulnerable);
}

TEST(DependencyGraph, AnUpdateOfAllRowsWithAValueProtectsWhatWasReadOfThem) {
  const auto vulnerable = [](std::string_view reader) {
    const Classes classes =
        small_classes(fmt::format("table line(id*, order, amount, paid)\n"
                                  "deliver: {}\n"
                                  "change: w(line.amount) @ line.id=i\n"
                                  "add: wi(line.id) wi(line.order) wi(line.amount) @ line.id=i",
                                  reader));
    const DependencyGraph graph = build_graph(classes, {}, at(WeakLevel::kSnapshotIsolation));
    const Conflict* changed = graph.find(ClassId(0), ClassId(1), 1, 0);
    const Conflict* added = graph.find(ClassId(0), ClassId(2), 1, 2);
    EXPECT_TRUE(added != nullptr && added->vulnerable);
    return changed != nullptr && changed->vulnerable;
  };
  EXPECT_FALSE(
      vulnerable("rw(line.order) r(line.amount) @~ line.order=o; rwo(line.order) w(line.paid) @~ line.order=o"));
  EXPECT_TRUE(
      vulnerable("rw(line.order) r(line.amount) @~ line.order=o; rwo(line.order) w(line.paid) @~ line.order=p"));
  EXPECT_TRUE(vulnerable(
      "rw(line.order) r(line.amount) @~ line.order=o; rwo(line.order) rwo(line.id) w(line.paid) @~ line.order=o"));
  EXPECT_TRUE(
      vulnerable("rw(line.order) r(line.amount) @~ line.order=o; rwo(line.order) w(line.paid) w(line.order) @~ "
                 "line.order=o"))
      << "the values that rows are found by may change";
}

TEST(DependencyGraph, AWriterWaitsForALockedReadButNotToInsert) {
  const std::string_view text =
      "a: rx(t.x) @ t.id=p\n"
      "b: w(t.x) @ t.id=p\n"
      "c: wi(t.x) @ t.id=p";
  EXPECT_EQ(edges(text),
            "a.0 -lock-> a.0; a.0 -locked rw!-> b.0; a.0 -rw!-> c.0; b.0 -wr-> a.0; b.0 -ww-> b.0; c.0 -wr-> a.0; "
            "c.0 -ww-> b.0");
  EXPECT_EQ(edges(text, WeakLevel::kMysqlRepeatableRead),
            "a.0 -lock-> a.0; a.0 -locked rw!-> b.0; a.0 -locked rw!-> c.0; b.0 -wr-> a.0; b.0 -ww-> b.0; "
            "c.0 -wr-> a.0; c.0 -ww-> b.0");
}

TEST(DependencyGraph, ShareLocksDoNotWaitForEachOther) {
  EXPECT_EQ(edges("a: rs(t.x)\nb: rx(t.x)"), "a.0 -lock-> b.0; b.0 -lock-> a.0; b.0 -lock-> b.0");
}

TEST(DependencyGraph, MysqlsWritingStatementsLockWhatTheyRead) {
  EXPECT_EQ(edges("a: rwo(t.x) w(t.y)\nb: w(t.x)", WeakLevel::kReadCommitted),
            "a.1 -ww-> a.1; a.0 -rw!-> b.0; b.0 -wr-> a.0; b.0 -ww-> b.0");
  EXPECT_EQ(edges("a: rwo(t.x) w(t.y)\nb: w(t.x)", WeakLevel::kMysqlRepeatableRead),
            "a.1 -ww-> a.1; a.0 -locked rw!-> b.0; b.0 -wr-> a.0; b.0 -ww-> b.0");
}

TEST(DependencyGraph, IncrementsCommuteWithEachOtherAndWithNothingElse) {
  const std::string_view text =
      "pay: ru(d.ytd) w+(d.ytd) @ d.id=p\n"
      "set: w(d.ytd) @ d.id=p\n"
      "sell: rwoux(d.ytd) w+(d.ytd) @ d.id=p";
  const Classes classes = small_classes(text);
  GraphOptions options = at(WeakLevel::kReadCommitted);
  const DependencyGraph graph = build_graph(classes, {}, options);
  const ClassId pay = class_named(classes, "pay"), set = class_named(classes, "set");
  const ClassId sell = class_named(classes, "sell");
  EXPECT_FALSE(graph.connected(pay, pay));
  EXPECT_EQ(graph.conflicts(pay, set).size(), 2);
  EXPECT_EQ(graph.conflicts(set, pay).size(), 2);
  // The condition of the third looks at the value.
  EXPECT_EQ(graph.conflicts(pay, sell).size(), 1);
  EXPECT_EQ(removed(graph, "commute"), 3 + 1 + 2 + 2);
  options.commutative_updates = false;
  EXPECT_EQ(build_graph(classes, {}, options).conflicts(pay, pay).size(), 3);
}

TEST(DependencyGraph, CountingRowsDoesNotSeeTheirUpdates) {
  const std::string_view text = "a: rc(t.id)\nb: w(t.id)\nc: wd(t.id)";
  EXPECT_EQ(edges(text).find("a.0 -rw!-> b.0"), std::string::npos);
  EXPECT_NE(edges(text).find("a.0 -rw!-> c.0"), std::string::npos);
}

TEST(DependencyGraph, InsertsIntoALogDoNotDependOnEachOther) {
  EXPECT_EQ(edges("log: wi(log.id) wi(log.what)"), "");
  EXPECT_EQ(edges("log: wi(log.id)\nclear: wd(log.id)"), "log.0 -ww-> clear.0; clear.0 -ww-> log.0");
}

TEST(DependencyGraph, ADeletedRowIsGoneWhoeverComesFirst) {
  const std::string_view text =
      "clear: rwo(cart.owner) wd(cart.id) wd(cart.owner) @~ cart.owner=c\n"
      "move: rwo(cart.owner) w(cart.place) @~ cart.owner=c\n"
      "look: r(cart.owner) @~ cart.owner=c";
  const Classes classes = small_classes(text);
  GraphOptions options = at(WeakLevel::kReadCommitted);
  // What is left: whoever only looks sees whether the rows are there, and what was moved is deleted after it.
  EXPECT_EQ(edges(classes, build_graph(classes, {}, options)),
            "clear.2 -wr-> look.0; move.1 -ww-> move.1; look.0 -rw!-> clear.2");
  EXPECT_EQ(removed(build_graph(classes, {}, options), "a deleted row is gone"), 6);
  options.deletes_commute = false;
  EXPECT_EQ(build_graph(classes, {}, options).conflicts(ClassId(0), ClassId(0)).size(), 4);
}

TEST(DependencyGraph, AnIdThatTheDatabaseMakesIsNotKnownBefore) {
  Classes classes = small_classes(
      "table t(id*, x)\n"
      "add: wi(t.id) wi(t.x) @ t.x=n\n"
      "give: wi(t.id) wi(t.x) @ t.id=i\n"
      "get: rw(t.id) r(t.x) @ t.id=i");
  classes.schema.column(column_named(classes, "t.id")).generated_id = true;
  const DependencyGraph graph = build_graph(classes, {}, at(WeakLevel::kReadCommitted));
  const ClassId add = class_named(classes, "add"), give = class_named(classes, "give"),
                get = class_named(classes, "get");
  EXPECT_TRUE(graph.conflicts(get, add).empty());
  EXPECT_FALSE(graph.conflicts(add, get).empty());
  EXPECT_FALSE(graph.conflicts(get, give).empty());  // the application gives this one, so it may be known
}

TEST(DependencyGraph, AsThePaperHasItARangeIsTheRowThatIsWrittenByMoreOfItsKey) {
  const Classes classes = small_classes("pay: r(c.balance) @~ c.w=w c.last=l; w(c.balance) @ c.w=w c.id=i");
  GraphOptions options = at(WeakLevel::kSnapshotIsolation);
  EXPECT_EQ(build_graph(classes, {}, options).stats().vulnerable_rw_edges, 6);
  options.as_paper = true;
  EXPECT_EQ(build_graph(classes, {}, options).stats().vulnerable_rw_edges, 0);
}

TEST(DependencyGraph, AForeignKeyFoundItsParent) {
  EXPECT_EQ(edges("child: rf(p.id) wi(c.id)\nparent: wi(p.id)"), "parent.0 -wr-> child.0");
}

TEST(DependencyGraph, UniqueColumnsKeepRowsApart) {
  const std::string_view text =
      "a: r(cart.x) @ cart.customer=c; w(item.n) @~ item.owner=c\n"
      "b: w(cart.x) @ cart.customer=c\n"
      "c: w(item.n) @~ item.owner=o; r(cart.x) @ cart.customer=o\n"
      "d: w(item.n) @~ item.owner=o";
  Hints hints;
  hints.unique_columns = {"cart.customer"};
  // item.owner is told apart only where it is the customer's number.
  EXPECT_EQ(edges(text, WeakLevel::kReadCommitted, hints),
            "a.1 -ww-> d.0; c.0 -ww-> d.0; d.0 -ww-> a.1; d.0 -ww-> c.0; d.0 -ww-> d.0");
}

TEST(DependencyGraph, HintsSayWhatTheyTookAway) {
  const std::string_view text =
      "report: r(t.x) r(t.y)\n"
      "write: w(t.x); w(t.y)\n"
      "find: rw(t.id) @ t.id=p\n"
      "make: wi(t.id) @ t.id=p";
  const Classes classes = small_classes(text);
  Hints hints;
  hints.ignored_classes = {"rep*"};
  hints.single_classes = {"write"};
  hints.existing_tables = {"*"};
  const DependencyGraph graph = build_graph(classes, hints, at(WeakLevel::kReadCommitted));
  EXPECT_EQ(edges(classes, graph), "make.0 -wr-> find.0");
  EXPECT_EQ(removed(graph, "[[ignore]] class = \"rep*\""), 4);
  EXPECT_EQ(removed(graph, "[[once]] class = \"write\""), 2);
  EXPECT_EQ(removed(graph, "[[existing]] table = \"*\""), 1);
  EXPECT_EQ(graph.stats().transactions, 1 + 2 + 2);

  hints = {};
  hints.removed = {{"report", "*", "t.x", "rw"}};
  const DependencyGraph other = build_graph(classes, hints, at(WeakLevel::kReadCommitted));
  EXPECT_EQ(removed(other, "[[remove]]"), 1);
  EXPECT_EQ(other.conflicts(class_named(classes, "report"), class_named(classes, "write")).size(), 1);
}

TEST(DependencyGraph, CommutingColumnsAreTheDevelopersWord) {
  const std::string_view text = "a: ru(t.x) w(t.x)\nb: r(t.x)";
  Hints hints;
  hints.commuting_columns = {"t.x"};
  EXPECT_EQ(edges(text, WeakLevel::kReadCommitted, hints), "a.0 -lock-> a.0; a.1 -wr-> b.0; b.0 -rw!-> a.1");
}

// Classes of reads and writes of a few columns, by chance.
Classes random_classes(Rng& rng) {
  std::string text;
  const std::uint64_t classes = 1 + rng.below(5);
  for (std::uint64_t i = 0; i < classes; ++i) {
    text += fmt::format("class{}:", i);
    const std::uint64_t statements = 1 + rng.below(4);
    for (std::uint64_t s = 0; s < statements; ++s) {
      static constexpr std::string_view kinds[] = {"r", "rx", "w", "w+", "wi", "wd", "rwo", "rs"};
      const std::uint64_t table = rng.below(2);
      text += fmt::format("{} {}(t{}.c{})", s == 0 ? "" : ";", kinds[rng.below(8)], table, rng.below(3));
      if (rng.chance(0.6)) text += fmt::format(" @ t{}.c0=v{}", table, rng.below(2));
    }
    text += "\n";
  }
  return small_classes(text);
}

TEST(DependencyGraph, WithoutAColumnIsTheGraphOfARemovedColumn) {
  const std::uint64_t rounds = effort::tries(300);
  Rng rng(effort::seed(5));
  for (std::uint64_t round = 0; round < rounds; ++round) {
    const Classes classes = random_classes(rng);
    GraphOptions options = at(static_cast<WeakLevel>(rng.below(3)));
    options.as_paper = rng.chance(0.3);
    const DependencyGraph graph = build_graph(classes, {}, options);
    const ColumnId column{static_cast<std::uint32_t>(rng.below(classes.schema.columns()))};
    Hints hints;
    hints.removed = {{"*", "*", classes.schema.full_name(column), ""}};
    const std::array<ColumnId, 1> gone{column};
    const DependencyGraph without = graph.without(gone);
    const DependencyGraph rebuilt = build_graph(classes, hints, options);
    for (std::uint32_t a = 0; a < graph.classes(); ++a) {
      for (std::uint32_t b = 0; b < graph.classes(); ++b) {
        ASSERT_TRUE(
            std::ranges::equal(without.conflicts(ClassId(a), ClassId(b)), rebuilt.conflicts(ClassId(a), ClassId(b))));
      }
    }
    EXPECT_EQ(without.stats(), rebuilt.stats());
  }
}

TEST(DependencyGraph, FindGivesEveryConflictAndNoOther) {
  const std::uint64_t rounds = effort::tries(100);
  Rng rng(effort::seed(6));
  for (std::uint64_t round = 0; round < rounds; ++round) {
    const Classes classes = random_classes(rng);
    const DependencyGraph graph = build_graph(classes, {}, at(WeakLevel::kReadCommitted));
    for (std::uint32_t a = 0; a < graph.classes(); ++a) {
      for (std::uint32_t b = 0; b < graph.classes(); ++b) {
        std::size_t found = 0;
        for (std::uint32_t i = 0; i < classes.classes[a].operations.size(); ++i) {
          for (std::uint32_t j = 0; j < classes.classes[b].operations.size(); ++j) {
            const Conflict* conflict = graph.find(ClassId(a), ClassId(b), i, j);
            if (conflict == nullptr) continue;
            ++found;
            EXPECT_EQ(conflict->from_op, i);
            EXPECT_EQ(conflict->to_op, j);
            EXPECT_EQ(conflict->column, classes.classes[a].operations[i].access.column);
            EXPECT_EQ(conflict->column, classes.classes[b].operations[j].access.column);
          }
        }
        EXPECT_EQ(found, graph.conflicts(ClassId(a), ClassId(b)).size());
      }
    }
  }
}

}  // namespace graph_test
}  // namespace isolde::audit
