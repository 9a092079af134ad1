#include "audit/sql/statement.h"

#include <gtest/gtest.h>

#include "base/rng.h"
#include "tests/support/effort.h"
#include "tests/support/statement_text.h"

namespace isolde::audit {
namespace statement_test {

using testing::MeaningCase;
using testing::small_schema;
using testing::text_of;

std::string mysql(std::string_view sql, Schema schema) {
  learn_schema(sql, SqlDialect::kMysql, schema);
  return text_of(understand(sql, SqlDialect::kMysql, schema), schema);
}

TEST(Statement, OfMysql) {
  const Schema schema = small_schema("cart(id*, customer!, total) item(cart*, sku*, qty) log(at, what)");
  constexpr MeaningCase kCases[] = {
      {"SELECT SQL_NO_CACHE `total` FROM `cart` WHERE `id` = '5' LIMIT 1", "rw(cart.id) r(cart.total) @ cart[id=$1]!"},
      {"SELECT total FROM cart WHERE id=5 LOCK IN SHARE MODE", "rsw(cart.id) rs(cart.total) @ cart[id=$1]!"},
      {"INSERT INTO log SET at = NOW(), what = 'x'", "wi(log.at) wi(log.what) @ log[what=$1]!"},
      {"REPLACE INTO cart (id, total) VALUES (1, 2)",
       "rxwo(cart.id) wid(cart#2.id) wid(cart#2.customer) wid(cart#2.total) @ cart[id=$1]! cart#2[id=$1 total=$2]!"},
      {"INSERT INTO item VALUES (1, 'a', 3) ON DUPLICATE KEY UPDATE qty = qty + VALUES(qty)",
       "rxwo(item.cart) rxwo(item.sku) wi(item#2.cart) wi(item#2.sku) wi(item#2.qty) ru(item.qty) w+(item.qty) @ "
       "item[cart=$1 sku=$2]! item#2[cart=$1 sku=$2 qty=$3]!"},
      {"INSERT INTO cart (id, customer) VALUES (1, 2) ON DUPLICATE KEY UPDATE total = 0",
       "rxwo(cart.id) rxwo(cart.customer) wi(cart#2.id) wi(cart#2.customer) wi(cart#2.total) w(cart.total) @ "
       "cart#2[id=$1 customer=$2]!"},
      {"INSERT IGNORE INTO log (at) VALUES (1)", "wi(log.at) wi(log.what) @ log[at=$1]!"},
      {"INSERT IGNORE INTO cart (id) VALUES (1)",
       "rwo(cart.id) wi(cart#2.id) wi(cart#2.customer) wi(cart#2.total) @ cart[id=$1]! cart#2[id=$1]!"},
      {"UPDATE cart c JOIN item i ON i.cart = c.id SET c.total = c.total + i.qty, i.qty = 0 WHERE c.id = 7",
       "rwo(item.cart) rxwo(cart.id) ru(cart.total) ru(item.qty) w(cart.total) w(item.qty) @ cart[id=$2]! "
       "item[cart=$2]"},
      {"DELETE c, i FROM cart c LEFT JOIN item i ON i.cart = c.id WHERE c.id = 7",
       "rwo(item.cart) rxwo(cart.id) wd(cart.id) wd(cart.customer) wd(cart.total) wd(item.cart) wd(item.sku) "
       "wd(item.qty) @ cart[id=$1]! item[cart=$1]"},
      {"UPDATE cart SET total = IFNULL(total, 0) + 5 WHERE id = 1",
       "rxwo(cart.id) ru(cart.total) w+(cart.total) @ cart[id=$3]!"},
      {"UPDATE cart SET total = IFNULL(total, 7) + 5 WHERE id = 1",
       "rxwo(cart.id) ru(cart.total) w(cart.total) @ cart[id=$3]!"},
      {"SELECT COUNT(*) FROM cart", "rwc(cart.id)"},
      {"SELECT total FROM cart WHERE id = @x", "rw(cart.id) r(cart.total)"},
      {"SET NAMES utf8", ""},
      {"SHOW TABLES LIKE 'x'", ""},
      {"CREATE TABLE x (y int)", ""},
      {"SET @a = (SELECT max(id) FROM cart)", "not understood: a SET that reads tables"},
      {"CALL p(1)", "not understood: what the procedure does is not in the trace"},
      {"", ""},
  };
  for (const MeaningCase& c : kCases) EXPECT_EQ(mysql(c.sql, schema), c.meaning) << c.sql;
}

TEST(Statement, KindsAndTables) {
  Schema schema = small_schema("a(id*, x) b(id*, y)");
  const auto kind = [&](std::string_view sql) { return understand(sql, SqlDialect::kMysql, schema).kind; };
  EXPECT_EQ(kind("SELECT x FROM a"), StatementKind::kSelect);
  EXPECT_EQ(kind("SELECT 1"), StatementKind::kNoData);
  EXPECT_EQ(kind("INSERT INTO a VALUES (1, 2)"), StatementKind::kInsert);
  EXPECT_EQ(kind("REPLACE INTO a VALUES (1, 2)"), StatementKind::kReplace);
  EXPECT_EQ(kind("INSERT INTO a VALUES (1, 2) ON DUPLICATE KEY UPDATE x = 1"), StatementKind::kUpsert);
  EXPECT_EQ(kind("UPDATE a SET x = 1"), StatementKind::kUpdate);
  EXPECT_EQ(kind("DELETE FROM a"), StatementKind::kDelete);
  EXPECT_EQ(kind("TRUNCATE TABLE a"), StatementKind::kDelete);
  EXPECT_EQ(kind("ALTER TABLE a ADD COLUMN z int"), StatementKind::kSchemaChange);
  EXPECT_EQ(kind("no sql at all"), StatementKind::kNotUnderstood);
  const Statement update = understand("UPDATE a JOIN b ON a.id = b.id SET b.y = 1", SqlDialect::kMysql, schema);
  ASSERT_EQ(update.tables.size(), 2U);
  EXPECT_EQ(schema.table(update.tables[0]).name, "b");
}

TEST(Statement, ShapesTeachTheSchemaWhateverTheirOrder) {
  ShapeTable shapes(SqlDialect::kPostgres);
  std::vector<LiteralId> literals;
  // Whose `y` it is, only the last statement tells.
  for (const std::string_view sql :
       {"SELECT y FROM ta a, tb b WHERE a.id = b.a_id", "SELECT count(*) FROM tc", "SELECT y FROM tb WHERE id = 1",
        "CREATE TABLE td (k int, v int, PRIMARY KEY (k))", "SELECT v FROM td WHERE k = 1"}) {
    (void)shapes.intern(sql, literals);
  }
  Schema schema;
  learn_schema(shapes, schema);
  const auto meaning = [&](std::uint32_t i) {
    return text_of(understand(shapes.example(ShapeId(i)), SqlDialect::kPostgres, schema), schema);
  };
  EXPECT_EQ(meaning(0), "rw(ta.id) rw(tb.a_id) r(tb.y)");
  EXPECT_EQ(meaning(1), "rwc(tc.*)");
  EXPECT_EQ(meaning(2), "rw(tb.id) r(tb.y) @ tb[id=$1]!");
  EXPECT_EQ(meaning(4), "rw(td.k) r(td.v) @ td[k=$1]!");
  EXPECT_TRUE(schema.table(*schema.find_table("ta")).learned);
  EXPECT_FALSE(schema.table(*schema.find_table("td")).learned);
}

// Words of SQL thrown together: many do not parse, and what does is strange.
TEST(Statement, WhateverIsUnderstoodIsSound) {
  constexpr std::string_view kWords[] = {"SELECT",
                                         "x",
                                         "FROM",
                                         "a",
                                         "b",
                                         ",",
                                         "WHERE",
                                         "id",
                                         "=",
                                         "5",
                                         "AND",
                                         "(",
                                         ")",
                                         "JOIN",
                                         "ON",
                                         "UPDATE",
                                         "SET",
                                         "a.x",
                                         "b.id",
                                         "DELETE",
                                         "INSERT",
                                         "INTO",
                                         "VALUES",
                                         "LEFT",
                                         "USING",
                                         "UNION",
                                         "ORDER BY",
                                         "LIMIT 1",
                                         "GROUP BY",
                                         "*",
                                         "a.*",
                                         "count(*)",
                                         "IN",
                                         "EXISTS",
                                         "SELECT",
                                         "FROM",
                                         "WHERE",
                                         "RETURNING",
                                         "FOR UPDATE",
                                         "WITH",
                                         "c",
                                         "AS",
                                         "y",
                                         "+",
                                         "REPLACE",
                                         "ON CONFLICT DO NOTHING",
                                         "ON DUPLICATE KEY UPDATE x = 1",
                                         "t",
                                         "nowhere.z",
                                         "OR",
                                         "'s'",
                                         "NOT"};
  constexpr std::string_view kWhole[] = {
      "SELECT x FROM a WHERE id = 5",
      "UPDATE a SET x = x + 1 WHERE id = 5",
      "INSERT INTO a (id, x) VALUES (1, 2)",
      "DELETE FROM a WHERE x = 'x'",
      "SELECT a.x, b.y FROM a LEFT JOIN b ON a.id = b.id WHERE b.y IN (SELECT x FROM a)",
      "UPDATE a JOIN b ON a.id = b.id SET a.x = b.y, b.y = 0 WHERE a.id = 3",
      "INSERT INTO a SELECT id, y FROM b WHERE y > 3 ON DUPLICATE KEY UPDATE x = VALUES(x)"};
  const Schema schema = small_schema("a(id*, x) b(id*, y!, a > a.id)");
  const std::uint64_t rounds = effort::tries(10'000);
  Rng rng(effort::seed(11));
  std::size_t understood = 0;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    const auto dialect = static_cast<SqlDialect>(rng.below(3));
    std::vector<std::string> words;
    std::string_view start = kWhole[rng.below(std::size(kWhole))];
    while (!start.empty()) {
      const std::size_t end = std::min(start.find(' '), start.size());
      words.emplace_back(start.substr(0, end));
      start.remove_prefix(std::min(end + 1, start.size()));
    }
    for (std::uint64_t changes = rng.below(4); changes > 0; --changes) {
      const std::string_view word = kWords[rng.below(std::size(kWords))];
      const auto place = static_cast<std::ptrdiff_t>(rng.below(words.size()));
      if (rng.below(3) == 0) {
        words[static_cast<std::size_t>(place)] = word;
      } else {
        words.insert(words.begin() + place, std::string(word));
      }
    }
    std::string sql;
    for (const std::string& word : words) sql += word + " ";
    Schema own = schema;
    learn_schema(sql, dialect, own);
    const Statement statement = understand(sql, dialect, own);
    ASSERT_EQ(testing::fault_of(statement, own), "") << sql << "\n" << text_of(statement, own);
    ASSERT_EQ(text_of(statement, own), text_of(understand(sql, dialect, own), own)) << sql;
    understood += statement.kind != StatementKind::kNotUnderstood ? 1 : 0;
  }
  EXPECT_TRUE(effort::reaches(0.25, understood, rounds)) << understood << " of " << rounds;
}

}  // namespace statement_test
}  // namespace isolde::audit
