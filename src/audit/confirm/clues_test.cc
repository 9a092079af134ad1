#include "audit/confirm/clues.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace isolde::audit {
namespace clues_test {

class CluesOf : public ::testing::Test {
 protected:
  void SetUp() override {
    auto schema = read_schema_text(
        "create table cart (id int primary key, owner int, total int, note varchar(20));"
        "create table item (id int primary key, cart_id int, sku varchar(20), qty int);",
        "schema.sql");
    ASSERT_TRUE(schema) << schema.error().message();
    schema_ = *std::move(schema);
  }
  const Clues& clues(std::string_view sql, SqlDialect dialect = SqlDialect::kMysql) {
    lexer_ = Lexer(dialect);
    clues_ = read_clues(lexer_.tokens(sql), schema_);
    return clues_;
  }
  // "cart.id = #0; item.qty > #1"
  [[nodiscard]] std::string compared() const {
    constexpr std::string_view kHow[] = {
        "=", "<>", "<", "<=", ">", ">=", "like", "is null", "is not null", "is true", "is false"};
    std::string text;
    for (const Comparison& c : clues_.comparisons) {
      text += fmt::format("{}{} {}", text.empty() ? "" : "; ", schema_.full_name(c.column),
                          kHow[static_cast<std::size_t>(c.how)]);
      if (c.literal != kNone32) text += fmt::format(" #{}", c.literal);
    }
    return text;
  }
  [[nodiscard]] std::string equal() const {
    std::string text;
    for (const EqualColumns& e : clues_.equal)
      text += fmt::format("{}{} = {}", text.empty() ? "" : "; ", schema_.full_name(e.first_column),
                          schema_.full_name(e.second_column));
    return text;
  }
  Schema schema_;
  Lexer lexer_{SqlDialect::kMysql};
  Clues clues_;
};

TEST_F(CluesOf, ComparisonsAreToldWithTheirLiterals) {
  clues("SELECT total FROM cart c WHERE c.id = 5 AND 10 < total AND owner IN (7, 8) AND note LIKE 'a%'");
  EXPECT_EQ(compared(), "cart.id = #0; cart.total > #1; cart.owner = #2; cart.note like #4");
}

TEST_F(CluesOf, TruthAndLettersOfEitherCaseAreComparedToo) {
  clues(
      "SELECT * FROM cart WHERE owner = TRUE AND total IS NOT TRUE AND LOWER(note) = 'ann' AND UPPER(note) = "
      "UPPER('b')");
  EXPECT_EQ(compared(), "cart.owner is true; cart.total is false; cart.note = #0; cart.note = #1");
  clues("SELECT * FROM cart WHERE LENGTH(note) = 5");
  EXPECT_EQ(compared(), "");
}

TEST_F(CluesOf, PartsOfTermsSayNothing) {
  clues("SELECT * FROM cart WHERE total + 1 = 5 AND total = 3 * owner");
  EXPECT_EQ(compared(), "");
}

TEST_F(CluesOf, JoinsAndSubqueriesTieColumns) {
  clues("SELECT * FROM cart a JOIN item b ON a.id = b.cart_id WHERE b.sku IS NOT NULL");
  EXPECT_EQ(equal(), "cart.id = item.cart_id");
  EXPECT_EQ(compared(), "item.sku is not null");
  clues("SELECT * FROM cart WHERE id IN (SELECT cart_id FROM item WHERE qty >= 2)");
  EXPECT_EQ(equal(), "cart.id = item.cart_id");
  EXPECT_EQ(compared(), "item.qty >= #0");
}

TEST_F(CluesOf, TablesInListsAndBehindDatabasesAreFound) {
  const Clues& found = clues("SELECT 1 FROM shop.cart AS c, `item` WHERE c.id = 1");
  ASSERT_EQ(found.tables.size(), 2U);
  EXPECT_EQ(found.tables[0].alias, "c");
}

TEST_F(CluesOf, AnUpdateTellsWhatItWrites) {
  const Clues& found = clues("UPDATE cart SET total = 5, owner = owner + 1, note = 'x' WHERE id = 3 AND total = 4");
  ASSERT_EQ(found.written.size(), 2U);
  EXPECT_EQ(schema_.full_name(found.written[0].column), "cart.total");
  EXPECT_EQ(found.written[1].literal, 2U);
  ASSERT_EQ(found.computed.size(), 1U);
  EXPECT_EQ(compared(), "cart.id = #3; cart.total = #4");
}

TEST_F(CluesOf, RowsOfAnInsertAreTold) {
  const Clues& found = clues("INSERT INTO item (id, cart_id, sku) VALUES (NULL, 4, 'a'), (DEFAULT, -5, concat('b'))");
  ASSERT_EQ(found.inserted.size(), 2U);
  EXPECT_EQ(found.inserted[0][0].as, InsertedAs::kNull);
  EXPECT_EQ(found.inserted[0][1].literal, 0U);
  EXPECT_EQ(found.inserted[1][0].as, InsertedAs::kDefault);
  EXPECT_EQ(found.inserted[1][2].as, InsertedAs::kOther);
  EXPECT_TRUE(found.inserts);
  EXPECT_FALSE(found.may_meet);
  EXPECT_TRUE(found.tables[0].inserted_into);
}

TEST_F(CluesOf, UpsertsMayMeetARow) {
  EXPECT_TRUE(clues("INSERT INTO cart VALUES (1, 2, 3, 'n') ON DUPLICATE KEY UPDATE total = 9").may_meet);
  EXPECT_EQ(clues_.written.size(), 1U);
  EXPECT_EQ(clues_.inserted[0].size(), 4U);
  EXPECT_TRUE(clues("REPLACE INTO cart SET id = 1, total = 2").may_meet);
  EXPECT_EQ(clues_.inserted[0].size(), 2U);
  EXPECT_TRUE(clues("INSERT IGNORE INTO cart (id) VALUES (1)").may_meet);
  EXPECT_TRUE(clues("INSERT INTO cart (id) VALUES (1) ON CONFLICT DO NOTHING", SqlDialect::kPostgres).may_meet);
}

TEST_F(CluesOf, ALimitPicksUnlessAKeyDecides) {
  EXPECT_TRUE(clues("SELECT * FROM cart WHERE owner = 1 LIMIT 1").picks);
  EXPECT_TRUE(clues("SELECT * FROM cart WHERE owner = 1 ORDER BY total LIMIT 1").picks);
  EXPECT_FALSE(clues("SELECT * FROM cart WHERE owner = 1 ORDER BY id LIMIT 1").picks);
  EXPECT_FALSE(clues("SELECT * FROM cart WHERE id = 1 LIMIT 1").picks);
}

TEST_F(CluesOf, LocksAndParametersAreSeen) {
  EXPECT_TRUE(clues("SELECT * FROM cart WHERE id = 1 FOR UPDATE").locks);
  EXPECT_TRUE(clues("SELECT * FROM cart WHERE id = 1 LOCK IN SHARE MODE").locks);
  EXPECT_TRUE(clues("SELECT * FROM cart WHERE id = ?").has_parameter);
}

TEST_F(CluesOf, UnfinishedTextIsHarmless) {
  for (const std::string_view sql :
       {"", "INSERT", "INSERT INTO", "INSERT INTO cart (", "INSERT INTO cart (id) VALUES (", "UPDATE cart SET",
        "UPDATE cart SET id =", "SELECT * FROM", "SELECT * FROM cart WHERE id IN (", ") ) )",
        "SELECT 1 FROM cart WHERE id ="})
    static_cast<void>(clues(sql));
}

}  // namespace clues_test
}  // namespace isolde::audit
