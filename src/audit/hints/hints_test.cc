#include "audit/hints/hints.h"

#include <gtest/gtest.h>

namespace isolde::audit {
namespace hints_test {

Hints good(std::string_view text) {
  auto hints = read_hints_text(text, "h.toml");
  EXPECT_TRUE(hints) << (hints ? "" : hints.error().message());
  return hints ? *std::move(hints) : Hints{};
}

std::string error_of(std::string_view text) {
  const auto hints = read_hints_text(text, "h.toml");
  return hints ? "none" : hints.error().message();
}

TEST(Hints, EveryKindOfHintIsRead) {
  const Hints h = good(R"(
[[ignore]]
class = "stock level*"
why = "the specification lets it"
[[once]]
class = "delivery*"
[[unique]]
column = "cart.customer_id"
[[commutes]]
column = "district.d_ytd"
[[commutes]]
column = "warehouse.*"
[[existing]]
table = "*"
[[remove]]
from = "order status*"
kind = "rw"
[[exclusive]]
first = { from = "order status*", to = "new order*", column = "orders.o_id", kind = "rw" }
second = { from = "new order*", column = "order_line.*" }
why = "other orders"
[[correlated]]
first = { column = "a.b" }
second = { column = "a.c" }
[[keep]]
column = "warehouse.w_ytd"
)");
  EXPECT_EQ(h.ignored_classes, std::vector<std::string>{"stock level*"});
  EXPECT_EQ(h.single_classes, std::vector<std::string>{"delivery*"});
  EXPECT_EQ(h.unique_columns, std::vector<std::string>{"cart.customer_id"});
  EXPECT_EQ(h.commuting_columns, (std::vector<std::string>{"district.d_ytd", "warehouse.*"}));
  EXPECT_EQ(h.existing_tables, std::vector<std::string>{"*"});
  ASSERT_EQ(h.removed.size(), 1u);
  EXPECT_EQ(h.removed[0].from, "order status*");
  EXPECT_EQ(h.removed[0].to, "*");
  EXPECT_EQ(h.removed[0].kind, "rw");
  ASSERT_EQ(h.exclusive.size(), 1u);
  EXPECT_EQ(h.exclusive[0].first.column, "orders.o_id");
  EXPECT_EQ(h.exclusive[0].second.column, "order_line.*");
  EXPECT_EQ(h.exclusive[0].why, "other orders");
  ASSERT_EQ(h.correlated.size(), 1u);
  EXPECT_EQ(h.kept_columns, std::vector<std::string>{"warehouse.w_ytd"});
}

TEST(Hints, AnEmptyFileHasNoHints) { EXPECT_TRUE(good("# nothing\n").removed.empty()); }

TEST(Hints, AnUnknownWordIsRefusedWithTheNearestKnownOne) {
  EXPECT_EQ(error_of("[[ignroe]]\nclass = \"a\"\n"),
            "h.toml:1:3: \"ignroe\" is no hint that is known; did you mean ignore?");
  EXPECT_EQ(error_of("[[ignore]]\nclas = \"a\"\n"),
            "h.toml:2:1: \"clas\" is no word that is known; did you mean class?");
  EXPECT_EQ(error_of("[[keep]]\nxyzzy = 1\n"),
            "h.toml:2:1: \"xyzzy\" is no word that is known; expected one of: column, why");
}

TEST(Hints, AnErrorSaysWhatWasExpectedAndWhere) {
  EXPECT_EQ(error_of("[[unique]]\ncolumn = 5\n"), "h.toml:2:10: expected column = \"…\", a text that is not empty");
  EXPECT_EQ(error_of("[[unique]]\ncolumn = \"id\"\n"),
            "h.toml:2:10: expected column = \"table.column\" (* stands for anything), not \"id\"");
  EXPECT_EQ(error_of("[[remove]]\nfrom=\"a\"\nkind = \"xx\"\n"),
            "h.toml:3:8: expected kind = \"ww\", \"wr\" or \"rw\", not \"xx\"");
  EXPECT_EQ(error_of("[once]\nclass=\"a\"\n").substr(0, 9), "h.toml:1:");
  EXPECT_EQ(error_of("[[once]]\n").substr(0, 9), "h.toml:1:");
  EXPECT_EQ(error_of("[[remove]]\nkind = \"rw\"\n").substr(0, 9), "h.toml:1:");
  EXPECT_EQ(error_of("[[exclusive]]\nfirst = 1\n").substr(0, 11), "h.toml:2:9:");
  EXPECT_EQ(error_of("[[[ignore]]\nc[[ignore]]\n").substr(0, 9), "h.toml:1:");
  EXPECT_EQ(error_of("[[once]\nclass = \"a\"").substr(0, 9), "h.toml:1:");
}

TEST(Hints, ValuesNestedWithoutEndAreRefused) {
  EXPECT_EQ(error_of("a = " + std::string(100000, '[')).substr(0, 9), "h.toml:1:");
}

TEST(Hints, ANameThatNothingHasIsRefusedWithItsPlace) {
  Schema schema;
  schema.add_column(schema.add_table("orders"), "o_id");
  const std::vector<std::string_view> classes = {"new order: INSERT orders", "delivery: DELETE new_order"};
  const auto check = [&](std::string_view text) {
    const auto checked = check_names(good(text), classes, schema);
    return checked ? "fine" : checked.error().message();
  };
  EXPECT_EQ(check("[[once]]\nclass = \"delivery*\"\n[[existing]]\ntable=\"*\"\n[[keep]]\ncolumn=\"ORDERS.*\"\n"),
            "fine");
  EXPECT_EQ(check("[[once]]\nclass = \"stock*\"\n"), "h.toml:2:9: no class is called \"stock*\"");
  EXPECT_EQ(check("[[keep]]\ncolumn = \"order.o_id\"\n"),
            "h.toml:2:10: no column is called \"order.o_id\"; did you mean orders.o_id?");
  EXPECT_EQ(check("[[exclusive]]\nfirst = { from = \"new*\" }\nsecond = { to = \"x\" }\n"),
            "h.toml:3:17: no class is called \"x\"");
}

TEST(Matches, AStarStandsForAnyRun) {
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("new order*", "New Order: INSERT orders"));
  EXPECT_TRUE(matches("*.id", "cart.ID"));
  EXPECT_TRUE(matches("a*b*c", "aXbYbZc"));
  EXPECT_FALSE(matches("a*b", "abc"));
  EXPECT_FALSE(matches("", "a"));
  EXPECT_FALSE(matches("a", "ab"));
}

}  // namespace hints_test
}  // namespace isolde::audit
