#include "audit/fixes/fixes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "audit/fixes/simulation.h"
#include "tests/support/small_classes.h"

namespace isolde::audit {
namespace fixes_test {

using testing::small_classes;

struct Planned {
  Classes classes;
  FixPlan plan;
};

Planned plan(std::string_view text, WeakLevel level, const Hints& hints = {}, SearchOptions options = {}) {
  Planned out{small_classes(text), {}};
  GraphOptions graph_options;
  graph_options.level = level;
  const DependencyGraph graph = build_graph(out.classes, hints, graph_options);
  out.plan = plan_fixes(out.classes, TraceLog(), graph, hints, options);
  return out;
}

std::vector<std::string> targets(const Planned& planned) {
  std::vector<std::string> out;
  for (const TargetColumn& target : planned.plan.targets) {
    out.push_back(fmt::format("{}:{}", target.round, planned.classes.schema.full_name(target.column)));
  }
  return out;
}

const Advice* advice(const TargetColumn& target, Remedy remedy) {
  const auto place = std::ranges::find(target.advice, remedy, &Advice::remedy);
  return place == target.advice.end() ? nullptr : &*place;
}

constexpr std::string_view kPurchase =
    "purchase: rw(order.id) r(order.total) @ order.id=c; rwxo(order.id) w(order.total) @ order.id=c";

TEST(PlanFixes, ThePurchasesTargetIsTheTotal) {
  const Planned planned = plan(kPurchase, WeakLevel::kReadCommitted);
  EXPECT_EQ(targets(planned), std::vector<std::string>{"1:order.total"});
  EXPECT_EQ(planned.plan.rounds, 2);
  EXPECT_EQ(planned.plan.searches.back().valid, 0);
  EXPECT_TRUE(planned.plan.complete);
  EXPECT_EQ(planned.plan.first_round.size(), planned.plan.targets[0].cycles);
}

TEST(PlanFixes, ALostUpdateIsEndedByALockOrACondition) {
  const Planned planned = plan(kPurchase, WeakLevel::kReadCommitted);
  ASSERT_EQ(planned.plan.targets.size(), 1);
  const TargetColumn& target = planned.plan.targets[0];
  for (const Remedy remedy : {Remedy::kForUpdate, Remedy::kConditional, Remedy::kSerializable}) {
    const Advice* one = advice(target, remedy);
    ASSERT_NE(one, nullptr) << static_cast<int>(remedy);
    EXPECT_EQ(one->removes, target.judged);
    EXPECT_TRUE(one->leaves_none);
  }
  EXPECT_EQ(target.advice.front().remedy, Remedy::kForUpdate);
  EXPECT_EQ(target.advice.back().remedy, Remedy::kSerializable);
  EXPECT_LE(target.advice.size(), 3);
  EXPECT_EQ(advice(target, Remedy::kLockParent), nullptr);
  EXPECT_EQ(advice(target, Remedy::kSnapshot), nullptr);
}

TEST(Simulation, ARelativeUpdateEndsTheLostUpdate) {
  const Planned planned = plan(kPurchase, WeakLevel::kReadCommitted);
  std::vector<const Cycle*> cycles;
  for (const Cycle& cycle : planned.plan.first_round) cycles.push_back(&cycle);
  const DependencyGraph graph = build_graph(planned.classes, {}, {});
  const ColumnId total = testing::column_named(planned.classes, "order.total");
  const Hints hints;
  Simulation simulation(planned.classes, graph, hints, {}, cycles, {}, total);
  Fix fix;
  fix.locked = {{ClassId(0), 0}};
  fix.column = total;
  fix.relative = true;
  EXPECT_EQ(simulation.try_fix(fix).removes, cycles.size());
  EXPECT_TRUE(simulation.try_fix(fix).leaves_none);
  EXPECT_EQ(simulation.try_fix({}).removes, 0) << "nothing is changed";
}

TEST(PlanFixes, SkewedReadsAreEndedByASnapshot) {
  const Planned planned = plan("look: r(t.x); r(t.y)\nwrite: w(t.x); w(t.y)", WeakLevel::kReadCommitted);
  ASSERT_FALSE(planned.plan.targets.empty());
  const Advice* one = advice(planned.plan.targets[0], Remedy::kSnapshot);
  ASSERT_NE(one, nullptr);
  EXPECT_TRUE(one->leaves_none);
  EXPECT_EQ(one->classes.size(), 1);
}

TEST(PlanFixes, ASumAndAnInsertNeedARowThatAllShare) {
  const std::string_view classes =
      "table pay(id*, account, amount)\n"
      "spend: rw(pay.account) r(pay.amount) @~ pay.account=a; wi(pay.account) wi(pay.amount) @~ pay.account=a";
  for (const WeakLevel level : {WeakLevel::kReadCommitted, WeakLevel::kSnapshotIsolation}) {
    const Planned planned = plan(classes, level);
    ASSERT_FALSE(planned.plan.targets.empty());
    const TargetColumn& target = planned.plan.targets[0];
    const Advice* one = advice(target, Remedy::kLockParent);
    ASSERT_NE(one, nullptr);
    EXPECT_TRUE(one->leaves_none);
    EXPECT_EQ(advice(target, Remedy::kForUpdate), nullptr) << "no lock keeps a row from being inserted";
  }
}

TEST(PlanFixes, LookingForARowAndInsertingItWantsAUniqueKey) {
  const Planned planned = plan(
      "table users(id*, mail)\n"
      "sign up: rw(users.mail) @~ users.mail=m; wi(users.id) wi(users.mail) @~ users.mail=m",
      WeakLevel::kReadCommitted);
  ASSERT_FALSE(planned.plan.targets.empty());
  const Advice* one = advice(planned.plan.targets[0], Remedy::kUniqueConstraint);
  ASSERT_NE(one, nullptr);
  EXPECT_TRUE(one->leaves_none);
  EXPECT_EQ(one->after, "ALTER TABLE users ADD UNIQUE (mail)");
}

TEST(PlanFixes, OneLockIsNotEnoughForAWriteSkew) {
  const Planned planned = plan(
      "a: r(t.x) @ t.id=p; w(t.y) @ t.id=q\n"
      "b: r(t.y) @ t.id=q; w(t.x) @ t.id=p",
      WeakLevel::kSnapshotIsolation);
  ASSERT_FALSE(planned.plan.targets.empty());
  const TargetColumn& target = planned.plan.targets[0];
  for (const Advice& one : target.advice) {
    EXPECT_FALSE(one.remedy == Remedy::kForUpdate && one.classes.size() == 1 && one.leaves_none) << one.text;
  }
  EXPECT_TRUE(advice(target, Remedy::kSerializable)->leaves_none);
}

TEST(PlanFixes, KeptColumnsAreNoTargets) {
  Hints hints;
  hints.kept_columns = {"order.*"};
  const Planned planned = plan(kPurchase, WeakLevel::kReadCommitted, hints);
  EXPECT_TRUE(planned.plan.targets.empty());
  EXPECT_EQ(planned.plan.not_fixable.size(), planned.plan.first_round.size());
  EXPECT_FALSE(planned.plan.not_fixable.empty());
}

TEST(PlanFixes, ANoteOfWhatItCannotDoIsNotMade) {
  const Planned planned = plan(
      "table s(id*, q)\n"
      "a: r(s.q) @ s.id=i; w(s.q) @ s.id=i\n"
      "b: r(s.q); r(s.q)\n",
      WeakLevel::kReadCommitted);
  for (const TargetColumn& target : planned.plan.targets) {
    for (const Advice& one : target.advice) {
      EXPECT_GT(one.removes, 0);
      EXPECT_LE(one.removes, target.judged);
      EXPECT_TRUE(!one.leaves_none || one.removes == target.judged);
    }
  }
}

TEST(PlanFixes, TheNumberOfThreadsDoesNotMatter) {
  std::string classes;
  for (int i = 0; i < 6; ++i) {
    classes += fmt::format("c{0}: r(t.x{0}) @ t.id=p; r(u.y{1}); w(t.x{0}) @ t.id=p; w(u.y{0})\n", i, (i + 1) % 6);
  }
  SearchOptions options;
  const Planned one = plan(classes, WeakLevel::kReadCommitted, {}, options);
  options.limits.threads = 4;
  const Planned four = plan(classes, WeakLevel::kReadCommitted, {}, options);
  EXPECT_EQ(targets(one), targets(four));
  ASSERT_GT(one.plan.targets.size(), 2);
  for (std::size_t i = 0; i < one.plan.targets.size(); ++i) {
    ASSERT_EQ(one.plan.targets[i].advice.size(), four.plan.targets[i].advice.size());
    for (std::size_t j = 0; j < one.plan.targets[i].advice.size(); ++j) {
      EXPECT_EQ(one.plan.targets[i].advice[j].text, four.plan.targets[i].advice[j].text);
      EXPECT_EQ(one.plan.targets[i].advice[j].removes, four.plan.targets[i].advice[j].removes);
    }
  }
}

TEST(PlanFixes, WithoutTheTargetsNothingIsLeft) {
  // Items, stock and districts, as in TPC-C.
  const std::string_view classes =
      "table district(id*, next, ytd)\n"
      "table stock(id*, q)\n"
      "table customer(id*, balance)\n"
      "table orders(id*, carrier)\n"
      "new order: r(district.next) @ district.id=d; w(district.next) @ district.id=d; r(stock.q) @ stock.id=s; "
      "w(stock.q) @ stock.id=s; wi(orders.id) wi(orders.carrier) @ orders.id=o\n"
      "payment: ru(district.ytd) w+(district.ytd) @ district.id=d; r(customer.balance) @ customer.id=c; "
      "w(customer.balance) @ customer.id=c\n"
      "delivery: w(orders.carrier) @ orders.id=o; ru(customer.balance) w+(customer.balance) @ customer.id=c\n"
      "order status: r(customer.balance) @ customer.id=c; r(orders.carrier) @ orders.id=o";
  const Planned planned = plan(classes, WeakLevel::kReadCommitted);
  const std::vector<std::string> found = targets(planned);
  for (const std::string_view column : {"1:district.next", "1:stock.q", "1:customer.balance"}) {
    EXPECT_NE(std::ranges::find(found, column), found.end()) << column;
  }
  EXPECT_TRUE(planned.plan.complete);
  EXPECT_EQ(planned.plan.searches.back().valid, 0);
  EXPECT_TRUE(plan(classes, WeakLevel::kSnapshotIsolation).plan.targets.empty());
}

}  // namespace fixes_test
}  // namespace isolde::audit
