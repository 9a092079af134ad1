#include "audit/story/naming.h"

#include <gtest/gtest.h>

#include "audit/story/wording.h"
#include "tests/support/small_classes.h"

namespace isolde::audit {
namespace naming_test {

using testing::class_named;
using testing::small_classes;

// Edge i goes from operation [i].first of member i to operation [i].second of the next.
struct Case {
  Case(std::string_view text, std::vector<std::string_view> names,
       std::vector<std::pair<std::uint32_t, std::uint32_t>> operations)
      : classes(small_classes(text)) {
    GraphOptions options;
    options.deletes_commute = false;  // so that there is an edge to give a name
    const DependencyGraph graph = build_graph(classes, {}, options);
    for (const std::string_view name : names) cycle.members.push_back(class_named(classes, name));
    const auto n = static_cast<std::uint32_t>(names.size());
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t to = (i + 1) % n;
      const Conflict* conflict =
          graph.find(cycle.members[i], cycle.members[to], operations[i].first, operations[i].second);
      if (conflict == nullptr) {
        ADD_FAILURE() << "no edge " << i;
      } else {
        cycle.edges.push_back({i, to, *conflict});
      }
    }
  }
  [[nodiscard]] AnomalyName name() const {
    if (cycle.edges.size() != cycle.members.size()) return AnomalyName::kOther;
    const RowFacts facts(classes);
    SameRows rows(classes, facts);
    return name_of(classes, rows, cycle);
  }
  [[nodiscard]] std::string words() const { return words_of(classes, name(), cycle); }
  Classes classes;
  Cycle cycle;
};

constexpr std::string_view kBuy = "buy: r(t.x) @ t.id=i; w(t.x) @ t.id=i";

TEST(Naming, OverwritingWhatOneHasReadIsALostUpdate) {
  const Case buy(kBuy, {"buy", "buy"}, {{0, 1}, {1, 1}});
  EXPECT_EQ(buy.name(), AnomalyName::kLostUpdate);
  EXPECT_EQ(buy.words(),
            "T1 reads t.x and writes it later. In between, T2 writes t.x too and commits; T1 does not know and "
            "overwrites it. What T2 wrote is lost.");
  EXPECT_EQ(Case(kBuy, {"buy", "buy"}, {{0, 1}, {0, 1}}).name(), AnomalyName::kLostUpdate);
}

TEST(Naming, WhatOnlyAddsLosesNothing) {
  const Case add("add: r(t.x) @ t.id=i; w+(t.x) @ t.id=i", {"add", "add"}, {{0, 1}, {0, 1}});
  EXPECT_EQ(add.name(), AnomalyName::kStaleRead);
  // One of the two sets it: it is the one that overwrites.
  const Case two("add: r(t.x) @ t.id=i; w+(t.x) @ t.id=i\nset: r(t.x) @ t.id=i; w(t.x) @ t.id=i", {"add", "set"},
                 {{0, 1}, {0, 1}});
  EXPECT_EQ(two.name(), AnomalyName::kLostUpdate);
  EXPECT_EQ(lost_update(two.classes, two.cycle)->from, 0U);
  EXPECT_TRUE(two.words().starts_with("T2 reads t.x and writes it later.")) << two.words();
}

TEST(Naming, TheSameColumnOfTwoRowsIsWriteSkew) {
  const Case skew("move: r(t.x) @ t.id=i; w(t.x) @ t.id=j", {"move", "move"}, {{0, 1}, {0, 1}});
  EXPECT_EQ(skew.name(), AnomalyName::kWriteSkew);
  EXPECT_NE(skew.words().find("T1 reads t.x of one row, which T2 changes"), std::string::npos) << skew.words();
}

TEST(Naming, ReadingOldAndNewIsReadSkew) {
  const Case skew("reads: r(t.x); r(t.y)\nwrites: w(t.x); w(t.y)", {"reads", "writes"}, {{0, 0}, {1, 1}});
  EXPECT_EQ(skew.name(), AnomalyName::kReadSkew);
  EXPECT_EQ(skew.words(),
            "T1 reads t.x before T2's change and t.y after it: it sees one part of what T2 did without the other.");
}

TEST(Naming, WritingBesideAChangeIsAStaleRead) {
  const Case stale("one: r(t.x) @ t.id=i; w(u.y) @ u.id=j\ntwo: w(t.x) @ t.id=i; w(u.y) @ u.id=j", {"one", "two"},
                   {{0, 0}, {1, 1}});
  EXPECT_EQ(stale.name(), AnomalyName::kStaleRead);
}

TEST(Naming, RowsThatComeArePhantoms) {
  const Case twice("table t(id*, a)\nadd: rw(t.a) @~ t.a=v; wi(t.id) wi(t.a) @~ t.a=v", {"add", "add"},
                   {{0, 2}, {0, 2}});
  EXPECT_EQ(twice.name(), AnomalyName::kPhantom);
  EXPECT_EQ(twice.words(),
            "T1 looks for rows of t, and does not find the one that T2 inserts. T2 looks for rows of t, and does not "
            "find the one that T1 inserts, too. Neither sees what the other does, so what each of them found no longer "
            "holds when both have committed.");
}

TEST(Naming, ADeletedRowIsNotALostUpdate) {
  const Case gone("a: r(t.x) @ t.id=i; w(t.x) @ t.id=i\nb: wd(t.x) wd(t.id) @ t.id=i", {"a", "b"}, {{0, 0}, {0, 1}});
  EXPECT_EQ(gone.name(), AnomalyName::kStaleRead);
}

TEST(Naming, AReaderBetweenTwoWritersIsTheReadOnlyAnomaly) {
  const Case three(
      "report: r(t.x) @ t.id=i; r(u.y) @ u.id=j\n"
      "withdraw: r(t.x) @ t.id=i; r(u.y) @ u.id=j; w(t.x) @ t.id=i\n"
      "deposit: w(u.y) @ u.id=j",
      {"report", "withdraw", "deposit"}, {{0, 2}, {1, 0}, {0, 1}});
  EXPECT_EQ(three.name(), AnomalyName::kReadOnlyAnomaly);
  EXPECT_EQ(
      three.words(),
      "T1 reads t.x, which T2 changes; T2 reads u.y, which T3 changes, and T1 sees T3's u.y. T1 only reads, yet it "
      "sees a state that the others, in whatever order, never make.");
}

}  // namespace naming_test
}  // namespace isolde::audit
