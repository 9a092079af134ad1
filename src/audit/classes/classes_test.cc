#include "audit/classes/classes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "audit/classes/names.h"
#include "tests/support/small_classes.h"
#include "tests/support/small_trace.h"

namespace isolde::audit {
namespace classes_test {

using testing::classes_of;
using testing::small_trace;
using testing::text_of;

std::vector<std::string> texts(std::string_view trace, const ClassOptions& options = {}) {
  const Classes classes = classes_of(small_trace(trace), options);
  std::vector<std::string> out;
  for (const TransactionClass& one : classes.classes) out.push_back(text_of(classes, one));
  return out;
}

using Texts = std::vector<std::string>;

TEST(Classes, TransactionsThatDoTheSameAreOne) {
  const Classes classes = classes_of(small_trace(R"(
    T1: rw(cart.id) r(cart.total) @ cart.id=7; rwo(cart.id) w(cart.total) @ cart.id=7
    T2: rw(cart.id) r(cart.total) @ cart.id=8
    T3: rw(cart.id) r(cart.total) @ cart.id=9; rwo(cart.id) w(cart.total) @ cart.id=9
  )"));
  ASSERT_EQ(classes.classes.size(), 2);
  EXPECT_EQ(classes.class_of, (std::vector<std::uint32_t>{0, 1, 0}));
  const TransactionClass& one = classes.classes[0];
  EXPECT_EQ(text_of(classes, one), "rw(cart.id) r(cart.total) @ cart.id=0; rwo(cart.id) w(cart.total) @ cart.id=0");
  EXPECT_EQ(one.transactions, 2);
  EXPECT_EQ(one.example, 0);
  EXPECT_EQ(one.example_statements, (std::vector<std::uint32_t>{0, 1}));
  ASSERT_EQ(one.example_values.size(), 1);
  EXPECT_FALSE(one.autocommit);
  EXPECT_FALSE(one.reads_only);
  EXPECT_TRUE(classes.classes[1].autocommit);
  EXPECT_TRUE(classes.classes[1].reads_only);
  EXPECT_EQ(classes.data_statements, 5);
}

TEST(Classes, AnExampleHasItsValues) {
  const testing::SmallTrace trace = small_trace("T1: r(a.x) @ a.id=41; r(b.x) @ b.id=42");
  const Classes classes = classes_of(trace);
  ASSERT_EQ(classes.classes[0].example_values.size(), 2);
  EXPECT_EQ(trace.log.shapes.literal(classes.classes[0].example_values[0]), "41");
  EXPECT_EQ(trace.log.shapes.literal(classes.classes[0].example_values[1]), "42");
}

TEST(Classes, OnlyCommittedTransactionsCount) {
  const std::string_view trace = "T1: w(a.x)\n-T2: w(a.y)\n?T3: w(a.z)";
  EXPECT_EQ(texts(trace), (Texts{"w(a.x)"}));
  EXPECT_EQ(texts(trace, {.rolled_back_too = true}), (Texts{"w(a.x)", "w(a.y)"}));
  EXPECT_EQ(classes_of(small_trace(trace)).class_of[1], kNone32);
}

TEST(Classes, LocksAndIncrementsTellClassesApart) {
  EXPECT_EQ(texts("T1: r(a.x)\nT2: rx(a.x)\nT3: w(a.x)\nT4: w+(a.x)\nT5: wi(a.x)\nT6: wd(a.x)\nT7: rs(a.x)").size(), 7);
}

TEST(Classes, StatementsTellClassesApart) { EXPECT_EQ(texts("T1: r(a.x) r(a.y)\nT2: r(a.x); r(a.y)").size(), 2); }

TEST(Classes, WhichColumnIsToldDoesNotCountIfNobodyWritesIt) {
  const std::string_view reads = "T1: rw(a.id) r(a.one) @ a.id=1; w(b.x)\nT2: rw(a.id) r(a.two) @ a.id=2; w(b.x)";
  EXPECT_EQ(texts(reads), (Texts{"rw(a.id) r(a.one) @ a.id=0; w(b.x)"}));
  EXPECT_EQ(texts(std::string(reads) + "\nT3: w(a.two)").size(), 3);
  EXPECT_EQ(texts(std::string(reads) + "\nT3: rw(a.two)").size(), 3);  // it may find other rows
}

TEST(Classes, LoopsAreCutToTwoRounds) {
  const Classes classes = classes_of(small_trace(R"(
    T1: r(a.x) @ a.id=1; w(a.x) @ a.id=1
    T2: r(a.x) @ a.id=2; w(a.x) @ a.id=2; r(a.x) @ a.id=3; w(a.x) @ a.id=3; r(a.x) @ a.id=4; w(a.x) @ a.id=4
    T3: r(a.x) @ a.id=2; w(a.x) @ a.id=2; r(a.x) @ a.id=3; w(a.x) @ a.id=3
  )"));
  ASSERT_EQ(classes.classes.size(), 1);
  const TransactionClass& one = classes.classes[0];
  EXPECT_EQ(text_of(classes, one), "r(a.x) @ a.id=0; w(a.x) @ a.id=0; r(a.x) @ a.id=1; w(a.x) @ a.id=1");
  EXPECT_EQ(one.transactions, 3);
  EXPECT_EQ(one.example, 1);  // the first that has two rounds
  EXPECT_EQ(one.example_statements, (std::vector<std::uint32_t>{2, 3, 4, 5}));
}

TEST(Classes, RoundsCanBeKept) {
  const std::string_view trace = "T1: r(a.x); r(a.x)\nT2: r(a.x); r(a.x); r(a.x)";
  EXPECT_EQ(texts(trace, {.rounds = 0}), (Texts{"r(a.x); r(a.x)", "r(a.x); r(a.x); r(a.x)"}));
  EXPECT_EQ(texts(trace, {.rounds = 1}), (Texts{"r(a.x)"}));
  EXPECT_EQ(texts(trace, {.rounds = 3}), (Texts{"r(a.x); r(a.x); r(a.x)"}));
}

TEST(Classes, LoopsOfWhichNeitherHoldsTheOtherAreTwoClasses) {
  EXPECT_EQ(texts("T1: r(a.x); r(a.x); r(b.x)\nT2: r(a.x); r(b.x); r(b.x)\nT3: r(a.x); r(b.x)"),
            (Texts{"r(a.x); r(a.x); r(b.x)", "r(a.x); r(b.x); r(b.x)"}));
  EXPECT_EQ(texts("T1: r(a.x); r(a.x); r(b.x)\nT2: r(a.x); r(b.x); r(b.x)\nT3: r(a.x); r(a.x); r(b.x); r(b.x)"),
            (Texts{"r(a.x); r(a.x); r(b.x); r(b.x)"}));
}

TEST(Variables, ARoundThatDiffersLaterTellsThemApart) {
  // The first two rounds touch the same row, by chance; the last does not.
  EXPECT_EQ(texts("T1: r(a.x) @ a.id=5; r(a.x) @ a.id=5; r(a.x) @ a.id=6"),
            (Texts{"r(a.x) @ a.id=0; r(a.x) @ a.id=1"}));
  EXPECT_EQ(texts("T1: r(a.x) @ a.id=5; r(a.x) @ a.id=5"), (Texts{"r(a.x) @ a.id=0; r(a.x) @ a.id=0"}));
}

TEST(Variables, ASingleRoundIsBothRounds) {
  // In T2 the row of the loop is not that of the first statement.
  EXPECT_EQ(texts(R"(
    T1: w(b.x) @ b.id=1; r(a.x) @ a.id=1; r(a.x) @ a.id=1
    T2: w(b.x) @ b.id=2; r(a.x) @ a.id=3
  )"),
            (Texts{"w(b.x) @ b.id=0; r(a.x) @ a.id=1; r(a.x) @ a.id=1"}));
}

TEST(Variables, DifferentColumnsNeedMoreThanChance) {
  EXPECT_EQ(texts("T1: r(a.x) @ a.id=7; r(b.x) @ b.a_id=7"), (Texts{"r(a.x) @ a.id=0; r(b.x) @ b.a_id=1"}));
  EXPECT_EQ(texts("T1: r(a.x) @ a.id=7; r(b.x) @ b.a_id=7\nT2: r(a.x) @ a.id=7; r(b.x) @ b.a_id=7"),
            (Texts{"r(a.x) @ a.id=0; r(b.x) @ b.a_id=1"}));
  // Two values may be chance, even though the name says what the column means.
  EXPECT_EQ(texts("T1: r(a.x) @ a.id=7; r(b.x) @ b.a_id=7\nT2: r(a.x) @ a.id=8; r(b.x) @ b.a_id=8"),
            (Texts{"r(a.x) @ a.id=0; r(b.x) @ b.a_id=1"}));
  const auto many = [](int times, std::string_view column) {
    std::string out;
    for (int i = 1; i <= times; ++i) out += fmt::format("T{0}: r(a.x) @ a.id={0}; r(b.x) @ b.{1}={0}\n", i, column);
    return out;
  };
  // Here nothing says that a.id is a key, so b.a_id does not mean it. Then it takes many more: what is equal ten times
  // may be usual, and no more.
  EXPECT_EQ(texts(many(6, "a_id")), (Texts{"r(a.x) @ a.id=0; r(b.x) @ b.a_id=1"}));
  EXPECT_EQ(texts(many(10, "other")), (Texts{"r(a.x) @ a.id=0; r(b.x) @ b.other=1"}));
  EXPECT_EQ(texts(many(60, "other")), (Texts{"r(a.x) @ a.id=0; r(b.x) @ b.other=0"}));
}

TEST(Variables, OneValueIsEnoughForThePaper) {
  EXPECT_EQ(texts("T1: r(a.x) @ a.id=7; r(b.x) @ b.a_id=7", {.one_value_is_enough = true}),
            (Texts{"r(a.x) @ a.id=0; r(b.x) @ b.a_id=0"}));
}

TEST(Variables, TheSameColumnNeedsOneValue) {
  EXPECT_EQ(texts("T1: r(a.x) @ a.id=7; r(b.x) @ b.id=7; w(a.x) @ a.id=7"),
            (Texts{"r(a.x) @ a.id=0; r(b.x) @ b.id=1; w(a.x) @ a.id=0"}));
}

TEST(Variables, OneTransactionThatDiffersIsEnough) {
  EXPECT_EQ(texts(R"(
    T1: r(a.x) @ a.id=1 a.w=1; w(a.x) @ a.id=1 a.w=1; r(b.x) @ b.w=1
    T2: r(a.x) @ a.id=2 a.w=2; w(a.x) @ a.id=2 a.w=2; r(b.x) @ b.w=2
    T3: r(a.x) @ a.id=3 a.w=4; w(a.x) @ a.id=3 a.w=4; r(b.x) @ b.w=4
    T4: r(a.x) @ a.id=3 a.w=4; w(a.x) @ a.id=5 a.w=4; r(b.x) @ b.w=4
  )"),
            (Texts{"r(a.x) @ a.id=0 a.w=1; w(a.x) @ a.id=2 a.w=1; r(b.x) @ b.w=3"}));
}

TEST(Variables, OnlyKeysThatAllHaveStay) {
  // The same operations by two shapes: the second knows less of the rows.
  EXPECT_EQ(texts("T1: r(a.x) @ a.id=1 a.w=1\nT2: r(a.x) @ a.id=2"), (Texts{"r(a.x) @ a.id=0"}));
  EXPECT_EQ(texts("T1: r(a.x) @ a.id=1\nT2: r(a.x) @~ a.id=2"), (Texts{"r(a.x) @~ a.id=0"}));
  EXPECT_EQ(texts("T1: r(a.x) @ a.id=1\nT2: r(a.x)"), (Texts{"r(a.x)"}));
}

TEST(Variables, AShapeInTheMiddleOfALoopCounts) {
  EXPECT_EQ(texts("T1: r(a.x) @ a.id=1; r(a.x) @ a.id=2; r(a.x) @~ a.id=3; r(a.x) @ a.id=4; r(a.x) @ a.id=5"),
            (Texts{"r(a.x) @~ a.id=0; r(a.x) @~ a.id=1"}));
}

TEST(Classes, WhatIsNotSureOfAllIsNotSaid) {
  const Classes classes = classes_of(small_trace("T1: rc(a.x) ru(a.y) w(a.y)\nT2: r(a.x) rx(a.y) w(a.y)"));
  ASSERT_EQ(classes.classes.size(), 1);
  EXPECT_EQ(text_of(classes, classes.classes[0]), "r(a.x) rx(a.y) w(a.y)");
}

TEST(Names, SayWhatIsWrittenThenWhatIsRead) {
  const Classes classes = classes_of(small_trace(R"(
    T1: r(item.x); w(stock.q); wi(line.a) wi(line.b); w(stock.r)
    T2: r(item.x); r(stock.q)
    T3: rw(item.y) r(item.x)
    T4: r(stock.q); r(item.x); r(a.a); r(b.b); r(c.c)
    T5: rx(item.x); r(stock.q)
    T6: wd(a.a); w(b.b); wi(c.c); w(d.d)
    T7: r(item.x); rc(stock.q); r(item.x)
  )"));
  std::vector<std::string> names;
  for (const TransactionClass& one : classes.classes) names.push_back(one.name);
  EXPECT_EQ(names, (Texts{"UPDATE stock, INSERT line", "read item, stock (2 statements)", "read item by y",
                          "read stock, item, a and 2 more", "read item, stock for update",
                          "DELETE a, UPDATE b, INSERT c and 1 more", "read item, stock (3 statements)"}));
}

TEST(Names, ClassesOfTheSameNameAreToldApart) {
  const Classes classes = classes_of(small_trace(R"(
    T1: rw(c.id) r(c.x) @ c.id=1; w(c.x) @ c.id=1
    T2: rw(c.last) r(c.x) @~ c.last=1; w(c.x) @ c.id=1
    T3: rw(c.id) r(c.x) @ c.id=1; w(c.x) w(c.data) @ c.id=1
    T4: rw(c.last) r(c.x) @~ c.last=1; w(c.x) w(c.data) @ c.id=1
    T5: w(d.x); w(d.y)
    T6: w(d.y); w(d.x)
    T7: w(d.y); w(d.x); w(d.y)
  )"));
  std::vector<std::string> names;
  for (const TransactionClass& one : classes.classes) names.push_back(one.name);
  EXPECT_EQ(names, (Texts{"UPDATE c (by id, not writing data)", "UPDATE c (by last, not writing data)",
                          "UPDATE c (writing data, by id)", "UPDATE c (writing data, by last)",
                          "UPDATE d (2 statements)", "UPDATE d (2 statements) (2)", "UPDATE d (3 statements)"}));
}

TEST(Names, CommentsSayWhoSentAStatement) {
  EXPECT_EQ(tag_of("SELECT 1 /*action='pay',controller='cart',framework='rails'*/"), "cart#pay");
  EXPECT_EQ(tag_of("/*application:Shop,controller:cart,action:pay*/ SELECT 1"), "cart#pay");
  EXPECT_EQ(tag_of("/* a note */ SELECT 1 /*route='/cart/pay'*/"), "/cart/pay");
  EXPECT_EQ(tag_of("SELECT 1 /*transaction:1*/"), "");
  EXPECT_EQ(tag_of("SELECT 1 /*action='x y'*/"), "");
  EXPECT_EQ(tag_of("SELECT 1 /*action"), "");
  EXPECT_EQ(tag_of("SELECT 1 /*action='"), "");
  EXPECT_EQ(tag_of("SELECT 'action=1'"), "");
}

TEST(Classes, WhatIsNotUnderstoodIsListed) {
  testing::SmallTrace trace = small_trace("T1: r(a.x)\nT2: r(a.y)\nT3: r(a.y); r(a.x)\nT4: r(a.z)");
  trace.statements[1] = {
      .kind = StatementKind::kNotUnderstood, .row_sets = {}, .accesses = {}, .tables = {}, .why_not = "no"};
  trace.statements[2].kind = StatementKind::kNoData;
  const Classes classes = classes_of(trace);
  EXPECT_EQ(classes.classes.size(), 1);
  EXPECT_EQ(classes.class_of, (std::vector<std::uint32_t>{0, kNone32, 0, kNone32}));
  EXPECT_EQ(classes.classes[0].example_statements, (std::vector<std::uint32_t>{0}));
  EXPECT_EQ(classes.data_statements, 2);
  EXPECT_EQ(classes.no_data_statements, 1);
  EXPECT_EQ(classes.not_understood_statements, 2);
  ASSERT_EQ(classes.not_understood.size(), 1);
  EXPECT_EQ(classes.not_understood[0].times, 2);
  EXPECT_EQ(classes.not_understood[0].line, 2);
  EXPECT_EQ(classes.not_understood[0].why, "no");
}

TEST(Concurrent, OverlappingTransactionsAreCountedOnce) {
  const Classes classes = classes_of(small_trace(R"(
    T1 [1-5]: w(a.x) @ a.id=1; r(b.x) @ b.id=9
    T2 [2-3]: w(a.x) @ a.id=1
    T3 [4-9]: w(a.x) @ a.id=2
    T4 [6-7]: r(b.x) @ b.id=9
    T5 [10-11]: w(a.x) @ a.id=1
  )"));
  ASSERT_EQ(classes.classes.size(), 3);  // T1; T2, T3, T5; T4
  const ClassId a{0}, b{1}, c{2};
  EXPECT_EQ(classes.concurrent(a, b), 2);
  EXPECT_EQ(classes.concurrent(b, a), 2);
  EXPECT_EQ(classes.concurrent(b, b), 0);
  EXPECT_EQ(classes.concurrent(b, c), 1);
  EXPECT_EQ(classes.concurrent(a, c), 0);
  EXPECT_EQ(classes.same_row(a, b), 1);
  EXPECT_EQ(classes.same_row(b, c), 0);
}

TEST(Concurrent, RowsThatBothReadDoNotMeet) {
  const Classes classes = classes_of(small_trace("T1 [1-5]: r(a.x) @ a.id=1\nT2 [2-3]: r(a.x) @ a.id=1"));
  EXPECT_EQ(classes.concurrent(ClassId{0}, ClassId{0}), 1);
  EXPECT_EQ(classes.same_row(ClassId{0}, ClassId{0}), 0);
}

TEST(Unique, ColumnsThatAlwaysDifferAreFound) {
  const std::string_view trace = R"(
    T1 [1-5]: rw(a.id) rw(a.w) @ a.id=1 a.w=1
    T2 [2-6]: rw(a.id) rw(a.w) @ a.id=2 a.w=1
    T3 [7-9]: rw(a.id) rw(a.w) @ a.id=1 a.w=1
    T4 [8-9]: rw(a.id) rw(a.w) @ a.id=3 a.w=2
  )";
  const auto unique = [&](std::uint64_t pairs) {
    const Classes classes = classes_of(small_trace(trace), {.pairs_for_unique = pairs});
    std::string out;
    for (const UniqueColumn& one : classes.unique) {
      out += classes.schema.full_name(one.column) + " " + std::to_string(one.pairs) + ";";
    }
    return out;
  };
  EXPECT_EQ(unique(2), "a.id 2;");
  EXPECT_EQ(unique(3), "");
}

TEST(Unique, AColumnThatNobodyLooksForIsNone) {
  const Classes classes =
      classes_of(small_trace("T1 [1-5]: wi(a.id) @ a.id=1\nT2 [2-6]: wi(a.id) @ a.id=2"), {.pairs_for_unique = 1});
  EXPECT_TRUE(classes.unique.empty());
}

TEST(Unique, NothingConcurrentMakesNothingUnique) {
  EXPECT_TRUE(
      classes_of(small_trace("T1: r(a.x) @ a.id=1\nT2: r(a.x) @ a.id=2"), {.pairs_for_unique = 0}).unique.empty());
}

}  // namespace classes_test
}  // namespace isolde::audit
