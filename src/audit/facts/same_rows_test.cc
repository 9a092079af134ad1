#include "audit/facts/same_rows.h"

#include <gtest/gtest.h>

#include "tests/support/small_classes.h"

namespace isolde::audit {
namespace same_rows_test {

using testing::class_named;
using testing::small_classes;

// Row sets are numbered as statements name them: one a table and statement.
struct Two {
  explicit Two(std::string_view text, std::string_view a = "a", std::string_view b = "b")
      : classes(small_classes(text)), facts(classes), rows(classes, facts) {
    const ClassId members[] = {class_named(classes, a), class_named(classes, b)};
    rows.reset(members);
  }
  Classes classes;
  RowFacts facts;
  SameRows rows;
};

TEST(SameRows, NothingIsTheSameBeforeAnythingMeets) {
  Two two("a: w(t.x) @ t.id=i\nb: w(t.x) @ t.id=j");
  EXPECT_FALSE(two.rows.same(0, 0, 1, 0));
  EXPECT_TRUE(two.rows.same(0, 0, 0, 0));
}

TEST(SameRows, SingleRowsThatMeetAreOne) {
  Two two("a: w(t.x) @ t.id=i\nb: w(t.x) @ t.id=j");
  two.rows.meet(0, 0, 1, 0);
  EXPECT_TRUE(two.rows.same(0, 0, 1, 0));
}

TEST(SameRows, RowsOfOtherTablesFollowByEqualVariables) {
  Two two("a: r(t.x) @ t.id=i; w(u.y) @ u.owner=i\nb: w(t.x) @ t.id=j; w(u.y) @ u.owner=j");
  EXPECT_FALSE(two.rows.same(0, 1, 1, 1));
  two.rows.meet(0, 0, 1, 0);
  EXPECT_TRUE(two.rows.same(0, 1, 1, 1));
}

TEST(SameRows, APartOfAKeyIsNotEnough) {
  Two two(
      "a: r(t.x) @ t.id=i; w(u.y) @ u.owner=i u.line=k\n"
      "b: w(t.x) @ t.id=j; w(u.y) @ u.owner=j u.line=l");
  two.rows.meet(0, 0, 1, 0);
  EXPECT_FALSE(two.rows.same(0, 1, 1, 1));
}

TEST(SameRows, RangesThatMeetHaveEqualKeysButAreNotOneRow) {
  Two two(
      "table item(cart*, line*, n)\n"
      "a: r(item.n) @~ item.cart=c; w(cart.total) @ cart.id=c\n"
      "b: wi(item.n) @~ item.cart=d; w(cart.total) @ cart.id=d");
  two.rows.meet(0, 0, 1, 0);
  EXPECT_FALSE(two.rows.same(0, 0, 1, 0));
  EXPECT_TRUE(two.rows.same(0, 1, 1, 1));
}

TEST(SameRows, AColumnThatIsUpdatedSaysNothing) {
  Two two(
      "table item(id*, cart, n)\n"
      "a: r(item.n) @~ item.cart=c; w(cart.total) @ cart.id=c\n"
      "b: w(item.n) @~ item.cart=d; w(cart.total) @ cart.id=d\n"
      "moves: w(item.cart) @ item.id=i");
  two.rows.meet(0, 0, 1, 0);
  EXPECT_FALSE(two.rows.same(0, 1, 1, 1));
  EXPECT_FALSE(two.facts.stable(testing::column_named(two.classes, "item.cart")));
  EXPECT_TRUE(two.facts.stable(testing::column_named(two.classes, "cart.id")));
}

TEST(SameRows, ARowFoundByTwoKeysCarriesOneToTheOther) {
  Classes classes = small_classes(
      "table person(id*, mail, name)\n"
      "a: r(person.name) @ person.mail=m; w(person.name) @ person.id=i person.mail=m; w(log.n) @ log.who=i\n"
      "b: w(person.name) @ person.mail=k person.id=j; w(log.n) @ log.who=j");
  const ColumnId mail = testing::column_named(classes, "person.mail");
  classes.schema.table(classes.schema.column(mail).table).unique_keys.push_back({mail});
  const RowFacts facts(classes);
  SameRows rows(classes, facts);
  const ClassId members[] = {class_named(classes, "a"), class_named(classes, "b")};
  EXPECT_TRUE(facts.same_in(members[0], 0, 1));
  rows.reset(members);
  rows.meet(0, 0, 1, 0);  // by mail
  EXPECT_TRUE(rows.same(0, 1, 1, 0));
  EXPECT_TRUE(rows.same(0, 2, 1, 1));  // by the id that the row has
}

TEST(SameRows, AnInsertedRowWithoutItsKeyIsOnlyTheOneThatMeets) {
  Two two(
      "table t(id*, a, x)\n"
      "a: wi(t.x) @ t.a=i\n"
      "b: wi(t.x) @ t.a=j; r(t.x) @ t.a=j");
  two.rows.meet(0, 0, 1, 0);
  EXPECT_TRUE(two.rows.same(0, 0, 1, 0));
  EXPECT_FALSE(two.rows.same(0, 0, 1, 1));  // the same a; the key is id
}

TEST(SameRows, ReplicasOfAClassHaveVariablesOfTheirOwn) {
  Two two("a: r(t.x) @ t.id=i; w(t.x) @ t.id=i", "a", "a");
  EXPECT_TRUE(two.rows.same(0, 0, 0, 1));
  EXPECT_FALSE(two.rows.same(0, 0, 1, 1));
  two.rows.meet(0, 0, 1, 1);
  EXPECT_TRUE(two.rows.same(0, 1, 1, 0));
  EXPECT_EQ(two.rows.value(0, 0), two.rows.value(1, 0));
}

}  // namespace same_rows_test
}  // namespace isolde::audit
