#include "audit/cycles/correlation.h"

#include <gtest/gtest.h>

#include "tests/support/small_classes.h"

namespace isolde::audit {
namespace correlation_test {

using testing::class_named;
using testing::small_classes;
constexpr WeakLevel kRc = WeakLevel::kReadCommitted, kRr = WeakLevel::kMysqlRepeatableRead,
                    kSi = WeakLevel::kSnapshotIsolation;

// A cycle of the classes, operations given as pairs: edge i goes from operation [i].first of member i to operation
// [i].second of the next.
struct Case {
  Case(std::string_view text, std::vector<std::string_view> names,
       std::vector<std::pair<std::uint32_t, std::uint32_t>> operations)
      : classes(small_classes(text)) {
    for (const std::string_view name : names) cycle.members.push_back(class_named(classes, name));
    const auto n = static_cast<std::uint32_t>(names.size());
    for (std::uint32_t i = 0; i < n; ++i) ends.emplace_back(i, (i + 1) % n, operations[i].first, operations[i].second);
  }
  [[nodiscard]] CorrelationResult check(WeakLevel level, bool as_paper = false, std::uint64_t most_steps = 20'000) {
    GraphOptions options;
    options.level = level;
    options.as_paper = as_paper;
    const DependencyGraph graph = build_graph(classes, {}, options);
    cycle.edges.clear();
    for (const auto& [from, to, from_op, to_op] : ends) {
      const Conflict* conflict = graph.find(cycle.members[from], cycle.members[to], from_op, to_op);
      if (conflict == nullptr) {
        ADD_FAILURE() << "no edge from " << from << "." << from_op << " to " << to << "." << to_op;
        return {};
      }
      cycle.edges.push_back({from, to, *conflict});
    }
    const TimingRule rule = as_paper ? TimingRule::kOperations : TimingRule::kMoments;
    EXPECT_TRUE(can_happen(classes, cycle.members, cycle.edges, level, rule)) << "not even without correlation";
    return check_correlation(classes, graph, cycle, {level, rule, most_steps});
  }
  [[nodiscard]] Possible possible(WeakLevel level, bool as_paper = false) { return check(level, as_paper).possible; }
  Classes classes;
  Cycle cycle;
  std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>> ends;
};

// Both lock the parent first, so that nothing of theirs can be interleaved.
constexpr std::string_view kParentLocked =
    "table cart(id*, total)\ntable item(cart*, line*, n)\n"
    "add: rx(cart.total) @ cart.id=c; r(item.n) @~ item.cart=c; wi(item.n) wi(item.cart) @~ item.cart=c";

TEST(Correlation, ALockOnTheParentRowKeepsThePhantomAway) {
  Case add(kParentLocked, {"add", "add"}, {{1, 2}, {1, 2}});
  EXPECT_EQ(add.possible(kRc), Possible::kNo);
}

TEST(Correlation, WithoutTheSameKeyTheLocksAreOfDifferentRows) {
  Case add(
      "table cart(id*, total)\ntable item(cart*, line*, n)\n"
      "add: rx(cart.total) @ cart.id=d; r(item.n) @~ item.cart=c; wi(item.n) wi(item.cart) @~ item.cart=c",
      {"add", "add"}, {{1, 2}, {1, 2}});
  EXPECT_EQ(add.possible(kRc), Possible::kYes);
}

TEST(Correlation, WriteSkewOnTwoColumnsOfARowDoesNotHappenUnderSnapshots) {
  // Different columns, but the second updater of the row is turned away.
  Case two("a: r(t.x) w(t.y) @ t.id=i\nb: r(t.y) w(t.x) @ t.id=j", {"a", "b"}, {{0, 1}, {0, 1}});
  EXPECT_EQ(two.possible(kSi), Possible::kNo);
  Case apart("a: r(t.x); w(t.y)\nb: r(t.y); w(t.x)", {"a", "b"}, {{0, 1}, {0, 1}});
  EXPECT_EQ(apart.possible(kSi), Possible::kYes);
}

TEST(Correlation, ALostUpdateStaysOne) {
  Case buy("buy: r(t.x) @ t.id=i; w(t.x) @ t.id=i", {"buy", "buy"}, {{0, 1}, {1, 1}});
  const CorrelationResult result = buy.check(kRc);
  EXPECT_EQ(result.possible, Possible::kYes);
  ASSERT_EQ(result.implied.size(), 1U);  // the second's write before the first's, as the cycle says
  EXPECT_EQ(result.implied[0].from, 1U);
  EXPECT_EQ(result.implied[0].conflict.kind, EdgeKind::kWw);
  EXPECT_EQ(buy.possible(kRr), Possible::kYes);
}

TEST(Correlation, WritesInTheSameOrderProtectWhatComesAfterThem) {
  // Both update the account first; the reads of the log come under that lock.
  Case two("a: ru(account.n) w(account.n) @ account.id=i; r(log.n) @ log.account=i; w(log.n) @ log.account=i",
           {"a", "a"}, {{2, 3}, {3, 3}});
  EXPECT_EQ(two.possible(kRc), Possible::kNo);
  EXPECT_EQ(two.possible(kRr), Possible::kNo);  // its snapshot is taken after the lock
}

TEST(Correlation, ARowThatAMemberInsertsIsNotCountedOn) {
  // Both find nothing to lock, then both insert: the lock of an absent row holds nobody off.
  Case two(
      "table t(id*, x)\ntable u(id*, n)\n"
      "a: rx(t.x) @ t.id=i; r(u.n) @ u.id=i; w(u.n) @ u.id=i; wi(t.x) wi(t.id) @ t.id=i\n"
      "b: rx(t.x) @ t.id=i; r(u.n) @ u.id=i; w(u.n) @ u.id=i",
      {"a", "b"}, {{1, 2}, {2, 2}});
  EXPECT_EQ(two.possible(kRc), Possible::kYes);
  Case there(
      "table t(id*, x)\ntable u(id*, n)\n"
      "a: rx(t.x) @ t.id=i; r(u.n) @ u.id=i; w(u.n) @ u.id=i\n"
      "b: rx(t.x) @ t.id=i; r(u.n) @ u.id=i; w(u.n) @ u.id=i",
      {"a", "b"}, {{1, 2}, {2, 2}});
  EXPECT_EQ(there.possible(kRc), Possible::kNo);
}

TEST(Correlation, ARowIsInsertedOnce) {
  // Each looks for the row and inserts it: the second is turned away.
  constexpr std::string_view kText = "table t(id*, x)\nadd: r(t.x) @ t.id=i; wi(t.x) wi(t.id) @ t.id=i";
  EXPECT_EQ(Case(kText, {"add", "add"}, {{0, 1}, {0, 1}}).possible(kRc), Possible::kNo);
  Case other("table t(id*, x)\nadd: r(t.x) @ t.id=i; wi(t.x) wi(t.id) @ t.id=j", {"add", "add"}, {{0, 1}, {0, 1}});
  EXPECT_EQ(other.possible(kRc), Possible::kYes);
}

TEST(Correlation, AForeignKeysCheckDoesNotLockOtherColumns) {
  Case two(
      "table p(id*, n)\ntable u(id*, m)\n"
      "a: rf(p.id) @ p.id=i; r(u.m) @ u.id=i; w(u.m) @ u.id=i\n"
      "b: w(p.n) @ p.id=i; r(u.m) @ u.id=i; w(u.m) @ u.id=i",
      {"a", "b"}, {{1, 2}, {2, 2}});
  EXPECT_EQ(two.possible(kRc), Possible::kYes);
}

TEST(Correlation, MysqlSeesItsOwnChangesWhateverTheSnapshot) {
  // The first changes x and reads it again: it did not miss the second's change, which came before.
  Case two(
      "a: r(u.y) @ u.id=i; w(t.x) @ t.id=i; r(t.x) @ t.id=i\n"
      "b: w(t.x) @ t.id=i",
      {"a", "b"}, {{2, 0}, {0, 1}});
  EXPECT_EQ(two.possible(kRr), Possible::kNo);
}

// Figure 6: whichever way the first write of T1 and the second of T2 go, it cannot be.
TEST(Correlation, ThePapersExample) {
  Case figure(
      "t1: w(t.a) @ t.id=i; r(t.b) @ t.id=i; w(t.c) @ t.id=i\n"
      "t2: w(t.b) @ t.id=i; w(t.a) @ t.id=i; w(t.c) @ t.id=i",
      {"t1", "t2"}, {{1, 0}, {2, 2}});
  EXPECT_EQ(figure.possible(kRc, true), Possible::kNo);
  Case apart(
      "t1: w(t.a) @ t.id=j; r(t.b) @ t.id=i; w(t.c) @ t.id=i\n"
      "t2: w(t.b) @ t.id=i; w(t.a) @ t.id=j; w(t.c) @ t.id=i",
      {"t1", "t2"}, {{1, 0}, {2, 2}});
  EXPECT_EQ(apart.possible(kRc, true), Possible::kYes);
}

TEST(Correlation, ThePapersRuleAtSnapshotIsolationWantsTwoRwInARow) {
  Case skew("a: r(t.x) r(t.y) w(t.y) @ t.id=i\nb: r(t.x) r(t.y) w(t.x) @ t.id=i", {"a", "b"}, {{0, 2}, {1, 2}});
  EXPECT_EQ(skew.possible(kSi, true), Possible::kYes);
  Case lost("a: r(t.x); w(t.x) @ t.id=i\nb: r(t.x) @ t.id=i; w(t.x) @ t.id=i", {"b", "b"}, {{0, 1}, {0, 1}});
  EXPECT_EQ(lost.possible(kSi, true), Possible::kNo);
}

TEST(Correlation, OutOfStepsIsPossibleAndSaysSo) {
  Case two("a: r(t.a) r(t.b) @ t.id=i; w(t.a) w(t.b) @ t.id=i", {"a", "a"}, {{0, 2}, {0, 2}});
  EXPECT_EQ(two.check(kRc, true).possible, Possible::kYes);
  EXPECT_EQ(two.check(kRc, true, 0).possible, Possible::kLimit);
}

}  // namespace correlation_test
}  // namespace isolde::audit
