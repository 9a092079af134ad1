#include "audit/cycles/moments.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/small_classes.h"

namespace isolde::audit {
namespace moments_test {

using testing::class_named;
using testing::small_classes;
constexpr WeakLevel kRc = WeakLevel::kReadCommitted, kRr = WeakLevel::kMysqlRepeatableRead,
                    kSi = WeakLevel::kSnapshotIsolation;

// Edges as "0.1 rw 1.0": operation 1 of member 0 to operation 0 of member 1. lrw: locked rw.
struct Case {
  Case(std::string_view text, std::vector<std::string_view> names) : classes(small_classes(text)) {
    for (const std::string_view name : names) members.push_back(class_named(classes, name));
  }
  Case& with(const std::vector<std::string_view>& texts) {
    edges.clear();
    for (const std::string_view text : texts) {
      unsigned from, from_op, to, to_op;
      char kind[8];
      if (std::sscanf(std::string(text).c_str(), "%u.%u %7s %u.%u", &from, &from_op, kind, &to, &to_op) != 5) {
        ADD_FAILURE() << text;
        continue;
      }
      const std::string word = kind;
      const EdgeKind edge = word == "ww"    ? EdgeKind::kWw
                            : word == "wr"  ? EdgeKind::kWr
                            : word == "rw"  ? EdgeKind::kRw
                            : word == "lrw" ? EdgeKind::kLockedRw
                                            : EdgeKind::kLock;
      const ColumnId column = classes.classes[raw(members[from])].operations[from_op].access.column;
      edges.push_back({from, to, {from_op, to_op, column, edge, false}});
    }
    return *this;
  }
  [[nodiscard]] bool can(WeakLevel level) const {
    const bool can = can_happen(classes, members, edges, level, TimingRule::kMoments);
    EXPECT_EQ(can, schedule(classes, members, edges, level).has_value());
    return can;
  }
  [[nodiscard]] bool by_paper() const { return can_happen(classes, members, edges, kRc, TimingRule::kOperations); }
  // "b0 0.0 b1 1.0 c1 …"; a statement that waits has a w behind it.
  [[nodiscard]] std::string order(WeakLevel level) const {
    const auto events = schedule(classes, members, edges, level);
    if (!events) return "none";
    std::string out;
    for (const Event& event : *events) {
      if (!out.empty()) out += ' ';
      switch (event.kind) {
        case Event::Kind::kStart:
          out += fmt::format("b{}", event.member);
          break;
        case Event::Kind::kStatement:
          out += fmt::format("{}.{}{}", event.member, event.statement, event.waits ? "w" : "");
          break;
        case Event::Kind::kContinues:
          out += fmt::format("+{}.{}", event.member, event.statement);
          break;
        case Event::Kind::kCommit:
          out += fmt::format("c{}", event.member);
          break;
      }
    }
    return out;
  }
  Classes classes;
  std::vector<ClassId> members;
  std::vector<CycleEdge> edges;
};

// P4, X3: read, then write what the client computed.
TEST(Moments, ALostUpdateHappensUnlessTheFirstUpdaterWins) {
  Case lost("buy: r(t.x) @ t.id=i; w(t.x) @ t.id=i", {"buy", "buy"});
  lost.with({"0.0 rw 1.1", "1.1 ww 0.1"});
  EXPECT_TRUE(lost.can(kRc));
  EXPECT_TRUE(lost.can(kRr));
  EXPECT_FALSE(lost.can(kSi));
  EXPECT_TRUE(lost.by_paper());
  EXPECT_EQ(lost.order(kRc), "b0 0.0 b1 1.0 1.1 c1 0.1 c0");
}

TEST(Moments, AnIncrementLosesNothing) {
  Case add("add: ru(t.x) w+(t.x) @ t.id=i", {"add", "add"});
  EXPECT_FALSE(add.with({"0.0 lrw 1.1", "1.1 ww 0.1"}).can(kRc));
  EXPECT_FALSE(add.with({"0.0 lrw 1.1", "1.1 ww 0.1"}).can(kRr));
}

TEST(Moments, ForUpdateWaits) {
  Case buy("buy: rx(t.x) @ t.id=i; w(t.x) @ t.id=i", {"buy", "buy"});
  EXPECT_FALSE(buy.with({"0.0 lrw 1.1", "1.1 ww 0.1"}).can(kRc));
  EXPECT_FALSE(buy.with({"0.0 lock 1.0", "1.1 ww 0.1"}).can(kRc));
  EXPECT_FALSE(buy.with({"0.0 lrw 1.1", "1.1 ww 0.1"}).can(kRr));
}

// X6 is other: only one of the two locks.
TEST(Moments, ForUpdateDoesNotKeepOthersFromReading) {
  Case two("locks: rx(t.x) @ t.id=i; w(t.x) @ t.id=i\nreads: r(t.x) @ t.id=i; w(t.x) @ t.id=i", {"reads", "locks"});
  EXPECT_TRUE(two.with({"0.0 rw 1.1", "1.1 ww 0.1"}).can(kRc));
}

// G2-item, G2.
TEST(Moments, WriteSkewHappensAtEveryWeakLevel) {
  Case skew("a: r(t.x) @ t.id=i; w(u.y) @ u.id=j\nb: r(u.y) @ u.id=j; w(t.x) @ t.id=i", {"a", "b"});
  skew.with({"0.0 rw 1.1", "1.0 rw 0.1"});
  for (const WeakLevel level : {kRc, kRr, kSi}) EXPECT_TRUE(skew.can(level));
  EXPECT_EQ(skew.order(kSi), "b0 0.0 0.1 b1 1.0 1.1 c1 c0");
}

// G-single: the second read is of a later snapshot only at read committed.
TEST(Moments, ReadSkewNeedsASnapshotAStatement) {
  Case skew("reads: r(t.x) @ t.id=i; r(u.y) @ u.id=j\nmoves: w(t.x) @ t.id=i; w(u.y) @ u.id=j", {"reads", "moves"});
  skew.with({"0.0 rw 1.0", "1.1 wr 0.1"});
  EXPECT_TRUE(skew.can(kRc));
  EXPECT_FALSE(skew.can(kRr));
  EXPECT_FALSE(skew.can(kSi));
  EXPECT_EQ(skew.order(kRc), "b0 0.0 b1 1.0 1.1 c1 0.1 c0");
}

TEST(Moments, OneSelectSeesOneSnapshot) {
  Case skew("reads: r(t.x) r(u.y)\nmoves: w(t.x) @ t.id=i; w(u.y) @ u.id=j", {"reads", "moves"});
  EXPECT_FALSE(skew.with({"0.0 rw 1.0", "1.1 wr 0.1"}).can(kRc));
}

// G-single-write: what writes acts on the present.
TEST(Moments, AWritingStatementAtMysqlsRepeatableReadSeesThePresent) {
  Case skew("reads: r(t.x) @ t.id=i; rxwo(u.y) w(u.z) @ u.id=j\nmoves: w(t.x) @ t.id=i; w(u.y) @ u.id=j",
            {"reads", "moves"});
  skew.with({"0.0 rw 1.0", "1.1 wr 0.1"});
  EXPECT_TRUE(skew.can(kRc));
  EXPECT_TRUE(skew.can(kRr));
  EXPECT_FALSE(skew.can(kSi));
}

// X1, X2: its own update brings the row up to date, the other row stays as of the snapshot.
TEST(Moments, OwnUpdatesMakeAFracturedReadAtMysqlsRepeatableRead) {
  Case two(
      "looks: r(u.y) @ u.id=j; w(t.z) @ t.id=i; r(t.x) @ t.id=i; r(u.y) @ u.id=j\n"
      "moves: w(t.x) @ t.id=i; w(u.y) @ u.id=j",
      {"looks", "moves"});
  two.with({"1.0 wr 0.2", "0.3 rw 1.1"});
  EXPECT_TRUE(two.can(kRr));
  EXPECT_FALSE(two.can(kRc));  // the second read is the later one
  EXPECT_FALSE(two.can(kSi));
}

// X7: rows that match only now are not found, those that were waited for are looked at again.
TEST(Moments, TheWhereOfAnUpdateMayBeOfTwoMoments) {
  Case two("close: rwo(t.x) w(t.y)\nmoves: w(t.x) @ t.id=i; w(t.x) @ t.id=j", {"close", "moves"});
  two.with({"0.0 rw 1.0", "1.1 wr 0.0"});
  EXPECT_TRUE(two.can(kRc));
  EXPECT_FALSE(two.can(kSi));
  EXPECT_EQ(two.order(kRc), "b1 1.0 1.1 b0 0.0w c1 +0.0 c0");
}

TEST(Moments, WhatADeleteFoundItHasDeleted) {
  // T1 finds the rows of a cart and deletes them; T2 does the same: it waits, and finds nothing.
  Case two("clear: rwo(t.x) wd(t.x); rwo(u.y) wd(u.y)", {"clear", "clear"});
  EXPECT_FALSE(two.with({"0.0 rw 1.1", "1.3 ww 0.3"}).can(kRc));
  // But a row that comes to match is not found.
  Case moved("clear: rwo(t.x) wd(t.x); rwo(u.y) wd(u.y)\nmoves: w(t.x); w(u.y)", {"clear", "moves"});
  EXPECT_TRUE(moved.with({"0.0 rw 1.0", "1.1 ww 0.3"}).can(kRc));
}

TEST(Moments, AnInsertedRowIsFoundOrNotByOneLook) {
  Case two("adds: wi(t.x) wi(t.y)\nclears: rwo(t.x) wd(t.x) wd(t.y)", {"adds", "clears"});
  EXPECT_FALSE(two.with({"0.1 ww 1.2", "1.0 rw 0.0"}).can(kRc));
  EXPECT_FALSE(two.with({"0.1 wr 1.0", "1.0 rw 0.0"}).can(kRc));
}

// G2-fekete.
TEST(Moments, TheReadOnlyAnomalyHappensUnderSnapshots) {
  Case three(
      "report: r(t.x) @ t.id=i; r(u.y) @ u.id=j\n"
      "withdraw: r(t.x) @ t.id=i; r(u.y) @ u.id=j; w(t.x) @ t.id=i\n"
      "deposit: w(u.y) @ u.id=j",
      {"report", "withdraw", "deposit"});
  three.with({"0.0 rw 1.2", "1.1 rw 2.0", "2.0 wr 0.1"});
  for (const WeakLevel level : {kRc, kRr, kSi}) EXPECT_TRUE(three.can(level));
}

// G1c, OTV and G0: no cycle without an rw.
TEST(Moments, NothingUncommittedIsSeenOrOverwritten) {
  Case two("a: w(t.x) @ t.id=i; r(u.y) @ u.id=j\nb: w(u.y) @ u.id=j; r(t.x) @ t.id=i", {"a", "b"});
  EXPECT_FALSE(two.with({"0.0 wr 1.1", "1.0 wr 0.1"}).can(kRc));
  Case both("a: w(t.x) @ t.id=i; w(u.y) @ u.id=j", {"a", "a"});
  EXPECT_FALSE(both.with({"0.0 ww 1.0", "1.1 ww 0.1"}).can(kRc));
}

TEST(Moments, ThePaperForbidsReadingTheOldVersionBesideTheNewOne) {
  // Figure 5 has it the other way: that cannot happen by either rule.
  Case figure("one: w(t.x); r(t.y)\ntwo: w(t.y); w(t.x)", {"one", "two"});
  EXPECT_FALSE(figure.with({"0.1 rw 1.0", "1.1 ww 0.0"}).by_paper());
  EXPECT_FALSE(figure.can(kRc));
  // The old y is read between the write of y and the commit.
  Case late("one: r(t.a); r(t.y)\ntwo: w(t.y); r(t.b)\nthree: w(t.b); w(t.a)", {"one", "two", "three"});
  late.with({"0.1 rw 1.0", "1.1 rw 2.0", "2.1 wr 0.0"});
  EXPECT_FALSE(late.by_paper());
  EXPECT_TRUE(late.can(kRc));
}

TEST(Moments, AStatementThatMustWaitIsSentWhenTheOtherHasTheLock) {
  // It reads the old u by its subquery and updates t after the other's commit.
  Case two("copies: ro(u.y) w(t.x)\nmoves: w(t.x) @ t.id=i; w(u.y) @ u.id=j", {"copies", "moves"});
  two.with({"0.0 rw 1.1", "1.0 ww 0.1"});
  EXPECT_TRUE(two.can(kRc));
  EXPECT_EQ(two.order(kRc), "b1 1.0 1.1 b0 0.0w c1 +0.0 c0");
  EXPECT_FALSE(two.can(kRr));
  EXPECT_FALSE(two.can(kSi));
}

TEST(Moments, MoreMembersThanBitsAreOrderedToo) {
  Case many("a: r(t.x); w(t.x)", std::vector<std::string_view>(130, "a"));
  for (std::uint32_t i = 0; i < 130; ++i) {
    many.edges.push_back({i, (i + 1) % 130, {0, 1, ColumnId(0), EdgeKind::kRw, true}});
  }
  EXPECT_TRUE(many.can(kSi));
  for (CycleEdge& edge : many.edges) edge.conflict = {1, 1, ColumnId(0), EdgeKind::kWw, false};
  EXPECT_FALSE(many.can(kRc));
  EXPECT_FALSE(many.by_paper());
}

}  // namespace moments_test
}  // namespace isolde::audit
