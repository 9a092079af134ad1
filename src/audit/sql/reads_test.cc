#include <gtest/gtest.h>

#include "tests/support/statement_text.h"

namespace isolde::audit {
namespace reads_test {

using testing::meaning_of;
using testing::MeaningCase;
using testing::small_schema;

const Schema& shop() {
  static const Schema schema = small_schema(
      "orders(id*, customer, total, status) lines(order_id*, no*, item, qty) items(id*, name, stock) "
      "customers(id*, email!, city)");
  return schema;
}

void expect_all(std::span<const MeaningCase> cases) {
  for (const MeaningCase& c : cases) EXPECT_EQ(meaning_of(c.sql, shop()), c.meaning) << c.sql;
}

TEST(Reads, WhereComesBeforeTheSelectList) {
  constexpr MeaningCase kCases[] = {
      {"SELECT total FROM orders WHERE id = $1", "rw(orders.id) r(orders.total) @ orders[id=$1]!"},
      {"SELECT id, total FROM orders WHERE id = $1", "rw(orders.id) r(orders.total) @ orders[id=$1]!"},
      {"SELECT * FROM customers", "r(customers.id) r(customers.email) r(customers.city)"},
      {"SELECT c.* FROM customers c WHERE c.city = $1",
       "rw(customers.city) r(customers.id) r(customers.email) @ customers[city=$1]"},
      {"SELECT total + qty FROM orders, lines WHERE id = order_id",
       "rw(orders.id) rw(lines.order_id) r(orders.total) r(lines.qty)"},
      {"SELECT max(total) FROM orders GROUP BY customer HAVING sum(total) > $1 ORDER BY status",
       "r(orders.total) r(orders.customer) r(orders.status)"},
      {"SELECT total AS t, upper(status) s FROM orders GROUP BY t HAVING s > $1 ORDER BY s, t LIMIT $2",
       "r(orders.total) r(orders.status)"},
      {"SELECT status AS total FROM orders ORDER BY total", "r(orders.status)"},
      {"SELECT CASE WHEN total > $1 THEN status ELSE customer END FROM orders",
       "r(orders.total) r(orders.status) r(orders.customer)"},
      {"SELECT rank() OVER (PARTITION BY customer ORDER BY total) FROM orders", "r(orders.customer) r(orders.total)"},
      {"SELECT sum(total) OVER w FROM orders WINDOW w AS (PARTITION BY status)", "r(orders.total) r(orders.status)"},
      {"SELECT DISTINCT ON (customer) total FROM orders", "r(orders.total) r(orders.customer)"},
      {"SELECT orders FROM orders WHERE orders.id = $1",
       "rw(orders.id) r(orders.customer) r(orders.total) r(orders.status) @ orders[id=$1]!"},
      {"TABLE customers", "r(customers.id) r(customers.email) r(customers.city)"},
      {"SELECT public.orders.total FROM public.orders", "r(orders.total)"},
      {"SELECT T.TOTAL FROM Orders AS T", "r(orders.total)"},
      {"SELECT x FROM orders AS o(x, y)", "r(orders.id)"},
      {"SELECT ctid, total FROM orders", "r(orders.total)"},
      {"SELECT rowid FROM orders WHERE rowid = $1", "rw(orders.id) @ orders[id=$1]!"},
  };
  expect_all(kCases);
}

TEST(Reads, JoinConditionsComeFirst) {
  constexpr MeaningCase kCases[] = {
      {"SELECT o.total FROM orders o JOIN customers c ON c.id = o.customer WHERE c.email = $1",
       "rw(customers.id) rw(orders.customer) rw(customers.email) r(orders.total) @ customers[email=$1]!"},
      {"SELECT name FROM items JOIN lines ON items.id = lines.item JOIN orders o ON o.id = order_id",
       "rw(items.id) rw(lines.item) rw(orders.id) rw(lines.order_id) r(items.name)"},
      {"SELECT name FROM items a CROSS JOIN orders WHERE total = $1",
       "rw(orders.total) r(items.name) @ orders[total=$1]"},
      {"SELECT name, total FROM items JOIN orders USING (id) WHERE id = $1",
       "rw(items.id) rw(orders.id) r(items.name) r(orders.total) @ items[id=$1]! orders[id=$1]!"},
      {"SELECT name FROM items NATURAL JOIN orders", "rw(items.id) rw(orders.id) r(items.name)"},
      {"SELECT a.total, b.total FROM orders a, orders b WHERE a.id = $1 AND b.id = $2",
       "rw(orders.id) rw(orders#2.id) r(orders.total) r(orders#2.total) @ orders[id=$1]! orders#2[id=$2]!"},
      {"SELECT j.total FROM (orders JOIN lines ON orders.id = order_id) AS j",
       "rw(orders.id) rw(lines.order_id) r(orders.customer) r(orders.total) r(orders.status) r(lines.no) r(lines.item) "
       "r(lines.qty)"},
  };
  expect_all(kCases);
}

TEST(Reads, SubqueriesComeBeforeTheirOuterStatement) {
  constexpr MeaningCase kCases[] = {
      {"SELECT total FROM orders WHERE customer IN (SELECT id FROM customers WHERE city = $1)",
       "rw(customers.city) r(customers.id) rw(orders.customer) r(orders.total) @ customers[city=$1]"},
      {"SELECT total, (SELECT email FROM customers c WHERE c.id = o.customer) FROM orders o WHERE o.id = $1",
       "rw(customers.id) rw(orders.customer) r(customers.email) rw(orders.id) r(orders.total) @ orders[id=$1]!"},
      {"SELECT name FROM items WHERE EXISTS (SELECT 1 FROM lines WHERE item = items.id)",
       "rw(lines.item) rw(items.id) r(items.name)"},
      {"SELECT t.total FROM (SELECT total, status FROM orders WHERE customer = $1) t WHERE t.status = $2",
       "rw(orders.customer) r(orders.total) r(orders.status) @ orders[customer=$1 status=$2]"},
      {"SELECT name FROM items WHERE stock > (SELECT max(qty) FROM lines) LIMIT (SELECT count(no) FROM lines)",
       "r(lines.qty) r(lines.no) rw(items.stock) r(items.name)"},
      {"SELECT name FROM items WHERE stock = ANY (SELECT qty FROM lines)",
       "r(lines.qty) rw(items.stock) r(items.name)"},
      {"SELECT name FROM items, LATERAL (SELECT qty FROM lines WHERE item = items.id) l",
       "rw(lines.item) rw(items.id) r(lines.qty) r(items.name)"},
      {"SELECT name FROM items ORDER BY (SELECT sum(qty) FROM lines WHERE item = items.id)",
       "rw(lines.item) rw(items.id) r(lines.qty) r(items.name)"},
      {"SELECT 1 FROM (VALUES ($1, $2)) AS v(a, b) JOIN orders ON id = v.a", "rw(orders.id) @ orders[id=$1]!"},
      {"SELECT g FROM generate_series($1, $2) g, orders WHERE id = g", "rw(orders.id)"},
      {"SELECT u.k FROM orders, unnest(string_to_array(status, $1)) AS u(k)", "rw(orders.status)"},
  };
  expect_all(kCases);
}

TEST(Reads, WithQueriesAndSetOperations) {
  constexpr MeaningCase kCases[] = {
      {"WITH big AS (SELECT id FROM orders WHERE total > $1) SELECT qty FROM lines JOIN big ON big.id = order_id",
       "rw(lines.order_id) rw(orders.total) r(orders.id) r(lines.qty)"},
      {"WITH RECURSIVE t(n) AS (SELECT id FROM items WHERE id = $1 UNION ALL SELECT no FROM lines, t WHERE item = n) "
       "SELECT n FROM t",
       "rw(items.id) rw(lines.item) r(lines.no) @ items[id=$1]!"},
      {"WITH orders AS (SELECT 1 AS x) SELECT x FROM orders", ""},
      {"SELECT id FROM orders UNION SELECT id FROM items ORDER BY id", "r(orders.id) r(items.id)"},
      {"(SELECT id FROM orders LIMIT 1) UNION ALL (SELECT no FROM lines) EXCEPT SELECT stock FROM items",
       "r(orders.id) r(lines.no) r(items.stock)"},
      {"WITH gone AS (DELETE FROM items WHERE id = $1 RETURNING name) SELECT name FROM gone",
       "rxwo(items.id) ru(items.name) wd(items.id) wd(items.name) wd(items.stock) @ items[id=$1]!"},
  };
  expect_all(kCases);
}

TEST(Reads, ATableOfWhichNoColumnIsReadTellsWhetherItHasRows) {
  constexpr MeaningCase kCases[] = {
      {"SELECT count(*) FROM orders", "rwc(orders.id)"},
      {"SELECT count(*) FROM orders WHERE status = $1", "rw(orders.status) @ orders[status=$1]"},
      {"SELECT count(total) FROM orders", "r(orders.total)"},
      {"SELECT 1 FROM lines", "rwc(lines.order_id)"},
      {"SELECT name FROM items, orders", "r(items.name) rwc(orders.id)"},
      {"SELECT name FROM items WHERE EXISTS (SELECT 1 FROM lines)", "rwc(lines.order_id) r(items.name)"},
  };
  expect_all(kCases);
}

TEST(Reads, LockingSelects) {
  constexpr MeaningCase kCases[] = {
      {"SELECT total FROM orders WHERE id = $1 FOR UPDATE", "rxw(orders.id) rx(orders.total) @ orders[id=$1]!"},
      {"SELECT total FROM orders WHERE id = $1 FOR NO KEY UPDATE", "rxw(orders.id) rx(orders.total) @ orders[id=$1]!"},
      {"SELECT total FROM orders WHERE id = $1 FOR SHARE", "rsw(orders.id) rs(orders.total) @ orders[id=$1]!"},
      {"SELECT total FROM orders WHERE id = $1 FOR KEY SHARE", "rsw(orders.id) rs(orders.total) @ orders[id=$1]!"},
      {"SELECT total, qty FROM orders o JOIN lines l ON o.id = l.order_id FOR UPDATE OF l SKIP LOCKED",
       "rw(orders.id) rxw(lines.order_id) r(orders.total) rx(lines.qty)"},
      {"SELECT total FROM orders WHERE customer IN (SELECT id FROM customers) FOR UPDATE",
       "r(customers.id) rxw(orders.customer) rx(orders.total)"},
  };
  expect_all(kCases);
}

TEST(Reads, SystemTablesAndDualAreNoData) {
  const Schema schema = shop();
  for (const std::string_view sql :
       {"SELECT relname FROM pg_class WHERE oid = 5", "SELECT table_name FROM information_schema.tables",
        "SELECT 1 FROM dual", "SELECT now(), $1", "SELECT name FROM sqlite_master", "SELECT current_role_name"}) {
    EXPECT_EQ(meaning_of(sql, schema), "") << sql;
  }
}

TEST(Reads, WhatTheSchemaLacksIsLearned) {
  const Schema empty;
  constexpr MeaningCase kCases[] = {
      {"SELECT total FROM orders WHERE id = $1", "rw(orders.id) r(orders.total) @ orders[id=$1]!"},
      {"SELECT x FROM things WHERE thing_id = $1", "rw(things.thing_id) r(things.x) @ things[thing_id=$1]!"},
      {"SELECT * FROM things", "r(things.*)"},
      {"SELECT count(*) FROM things", "rwc(things.*)"},
      {"SELECT a.x, y FROM ta a, tb b WHERE a.id = b.a_id", "rw(ta.id) rw(tb.a_id) r(ta.x) r(ta.y)"},
      {"SELECT ol_i_id FROM oorder, order_line WHERE oorder.o_id = order_line.ol_o_id",
       "rw(oorder.o_id) rw(order_line.ol_o_id) r(order_line.ol_i_id)"},
      // Which value is whose is not known.
      {"WITH x AS (SELECT b, a FROM t) INSERT INTO t VALUES ($1, $2)", "ro(t.b) ro(t.a) wi(t#2.b) wi(t#2.a) @ t#2[]!"},
  };
  for (const MeaningCase& c : kCases) EXPECT_EQ(meaning_of(c.sql, empty), c.meaning) << c.sql;
  EXPECT_EQ(meaning_of("SELECT colour FROM orders o JOIN paint p ON p.order_id = o.id", shop()),
            "rw(paint.order_id) rw(orders.id) r(paint.colour)");
}

TEST(Reads, WhatIsNotUnderstoodSaysWhy) {
  EXPECT_EQ(meaning_of("SELECT FROM WHERE", shop()),
            "not understood: PostgreSQL's grammar: syntax error at or near \"WHERE\"");
  EXPECT_EQ(meaning_of("SELECT nowhere.x FROM orders", shop()),
            "not understood: no table of the statement is known to have the column nowhere.x");
  EXPECT_EQ(meaning_of("CALL ship($1)", shop()), "not understood: what the procedure does is not in the trace");
  EXPECT_EQ(meaning_of("EXECUTE ship($1)", shop()), "not understood: what was prepared is not in the trace");
  EXPECT_EQ(meaning_of("DO $$ begin end $$", shop()), "not understood: what the procedure does is not in the trace");
}

TEST(Reads, DeepTreesAreRefusedAndLongOnesAreNot) {
  std::string sum = "SELECT 1", unions = "SELECT id FROM orders", joins = "SELECT 1 FROM orders",
              nested = "SELECT total FROM orders WHERE id = $1", ors = "SELECT total FROM orders WHERE id = 1";
  for (int i = 0; i < 1900; ++i) unions += " UNION SELECT id FROM orders";
  for (int i = 0; i < 5000; ++i) sum += "+1";
  for (int i = 0; i < 400; ++i) joins += " JOIN orders o" + std::to_string(i) + " ON true";
  for (int i = 0; i < 1000; ++i) nested = "SELECT total FROM orders WHERE id = (" + nested + ")";
  for (int i = 0; i < 5000; ++i) ors += " OR id = 1";
  EXPECT_EQ(meaning_of(sum, shop()), "not understood: PostgreSQL's grammar: nested too deeply");
  EXPECT_EQ(meaning_of(nested, shop()), "not understood: PostgreSQL's grammar: nested too deeply");
  EXPECT_EQ(meaning_of(unions, shop()), "r(orders.id)");
  EXPECT_EQ(meaning_of(joins, shop()), "rwc(orders.id)");
  EXPECT_EQ(meaning_of(ors, shop()), "rw(orders.id) r(orders.total)");
}

}  // namespace reads_test
}  // namespace isolde::audit
