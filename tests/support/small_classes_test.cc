#include "tests/support/small_classes.h"

#include <gtest/gtest.h>

namespace isolde::audit::testing {
namespace small_classes_test {

TEST(SmallClasses, ALineIsAClass) {
  const Classes classes = small_classes(R"(
    table log(id*, text)
    buy [7]: rw(cart.id) r(cart.total) @ cart.id=c; rwo(cart.id) ru(cart.total) w+(cart.total) @ cart.id=c
    look: rw(cart.owner) rc(cart.id) @~ cart.owner=o
  )");
  ASSERT_EQ(classes.classes.size(), 2);
  const TransactionClass& buy = classes.classes[raw(class_named(classes, "buy"))];
  EXPECT_EQ(text_of(classes, buy),
            "rw(cart.id) r(cart.total) @ cart.id=0; rwo(cart.id) ru(cart.total) w+(cart.total) @ cart.id=0");
  EXPECT_EQ(buy.variables, 1);
  EXPECT_EQ(buy.transactions, 7);
  EXPECT_FALSE(buy.reads_only);
  EXPECT_FALSE(buy.autocommit);
  const TransactionClass& look = classes.classes[raw(class_named(classes, "look"))];
  EXPECT_EQ(text_of(classes, look), "rw(cart.owner) rc(cart.id) @~ cart.owner=0");
  EXPECT_TRUE(look.reads_only);
  EXPECT_TRUE(look.autocommit);
  EXPECT_FALSE(look.rows[0].single);
  const Schema& schema = classes.schema;
  EXPECT_EQ(schema.table(*schema.find_table("cart")).primary_key, std::vector{column_named(classes, "cart.id")});
  EXPECT_EQ(schema.table(*schema.find_table("log")).columns.size(), 2);
  EXPECT_EQ(classes.statements.size(), 3);
  EXPECT_EQ(classes.statements[1].kind, StatementKind::kUpdate);
}

}  // namespace small_classes_test
}  // namespace isolde::audit::testing
