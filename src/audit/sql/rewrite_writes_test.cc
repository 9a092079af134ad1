// INSERT, REPLACE, UPDATE and DELETE of MySQL in PostgreSQL's grammar, and what the text alone does not say.
#include <gtest/gtest.h>

#include "tests/support/rewritings.h"

namespace isolde::audit {
namespace rewrite_writes_test {

using testing::Rewriting;
using testing::rewritten;

TEST(ToPostgresWrites, Inserts) {
  constexpr Rewriting kCases[] = {
      {"INSERT t VALUES (1, 'a')", "INSERT INTO t VALUES ($1, $2)"},
      {"INSERT IGNORE INTO t (a, b) VALUES (1, 2), (3, 4)", "INSERT INTO t (a, b) VALUES ($1, $2), ($3, $4)"},
      {"INSERT INTO t () VALUES ()", "INSERT INTO t DEFAULT VALUES"},
      {"INSERT INTO t VALUES ()", "INSERT INTO t DEFAULT VALUES"},
      {"INSERT INTO t SET a = 1, `b` = 'x', c = NOW()", R"sql(INSERT INTO t (a, "b", c) VALUES ($1, $2, NOW()))sql"},
      {"INSERT DELAYED INTO db.t (t.a, t.b) VALUE (1, DEFAULT)", "INSERT INTO db.t (a, b) VALUES ($1, DEFAULT)"},
      {"INSERT INTO t (a, b) VALUES (1, 2) ON DUPLICATE KEY UPDATE b = VALUES(b) + b, c = VALUES(`c`)",
       R"sql(INSERT INTO t (a, b) VALUES ($1, $2) ON CONFLICT DO UPDATE SET b = EXCLUDED.b + b, c = EXCLUDED."c")sql"},
      {"INSERT INTO t SET a = 1 ON DUPLICATE KEY UPDATE t.a = a + 1",
       "INSERT INTO t (a) VALUES ($1) ON CONFLICT DO UPDATE SET a = a + $2"},
      {"INSERT INTO t (a, b) VALUES (1, 2) AS new ON DUPLICATE KEY UPDATE b = new.b",
       "INSERT INTO t (a, b) VALUES ($1, $2) ON CONFLICT DO UPDATE SET b = EXCLUDED.b"},
      {"INSERT INTO t (a) SELECT b FROM u ON DUPLICATE KEY UPDATE a = VALUES(a)",
       "INSERT INTO t (a) SELECT b FROM u ON CONFLICT DO UPDATE SET a = EXCLUDED.a"},
      {"INSERT INTO t (a) (SELECT b FROM u)", "INSERT INTO t (a) (SELECT b FROM u)"},
      {"INSERT INTO t SELECT * FROM u WHERE id = 3", "INSERT INTO t SELECT * FROM u WHERE id = $1"},
      {"INSERT INTO t VALUES ROW(1,2), ROW(3,4)", "INSERT INTO t VALUES($1, $2),($3, $4)"},
      {"REPLACE INTO t (a) VALUES (1)", "INSERT INTO t (a) VALUES ($1)"},
      {"REPLACE t SET a = 1", "INSERT INTO t (a) VALUES ($1)"},
      {"REPLACE INTO t SELECT * FROM u", "INSERT INTO t SELECT * FROM u"},
      {"LOAD DATA LOCAL INFILE 'x' INTO TABLE db.t FIELDS TERMINATED BY ',' (a, b)", "COPY db.t FROM STDIN"},
      {"INSERT INTO t (a) VALUES (CAST('x' AS CHAR)), (DATE_ADD(NOW(), INTERVAL 1 DAY))",
       "INSERT INTO t (a) VALUES (CAST($1 AS text)), ((NOW() + ($2 * INTERVAL '1 DAY')))"},
      {"INSERT INTO t (a, b) VALUES ('x', (SELECT MAX(b) FROM u))",
       "INSERT INTO t (a, b) VALUES ($1, (SELECT MAX(b) FROM u))"},
      {"INSERT INTO t VALUES (1, 2), (), (3, 4)", "INSERT INTO t VALUES ($1, $2), (DEFAULT), ($3, $4)"},
      {"INSERT INTO t (a) SELECT b FROM u JOIN v ON DUPLICATE KEY UPDATE a = IF(VALUES(a) > a, VALUES(a), a), b = b + "
       "VALUES(b)",
       "INSERT INTO t (a) SELECT b FROM u CROSS JOIN v ON CONFLICT DO UPDATE SET a = CASE WHEN EXCLUDED.a > a THEN "
       "EXCLUDED.a ELSE a END, b = b + EXCLUDED.b"},
      {"INSERT INTO t (id, n) VALUES (1, 2) ON DUPLICATE KEY UPDATE id = LAST_INSERT_ID(id), n = n + 1",
       "INSERT INTO t (id, n) VALUES ($1, $2) ON CONFLICT DO UPDATE SET id = LAST_INSERT_ID(id), n = n + $3"},
      {"INSERT INTO `t` (`a`, `b`) VALUES ('x', 'y') ON DUPLICATE KEY UPDATE `a` = VALUES(`a`), `b` = VALUES(`b`)",
       R"sql(INSERT INTO "t" ("a", "b") VALUES ($1, $2) ON CONFLICT DO UPDATE SET "a" = EXCLUDED."a", "b" = EXCLUDED."b")sql"},
  };
  testing::expect_rewritten(kCases, SqlDialect::kMysql);
}

TEST(ToPostgresWrites, Updates) {
  constexpr Rewriting kCases[] = {
      {"UPDATE t SET a = 1 ORDER BY b LIMIT 3", "UPDATE t SET a = $1 WHERE ordered_by(b)"},
      {"UPDATE LOW_PRIORITY IGNORE t SET t.a = t.a + 1, `b` = 'x' WHERE id = 5 ORDER BY c DESC, d LIMIT 1",
       R"sql(UPDATE t SET a = t.a + $1, "b" = $2 WHERE (id = $3) AND ordered_by(c, d))sql"},
      {"UPDATE t AS x SET x.a = 5 WHERE x.b = 3 LIMIT 1", "UPDATE t AS x SET a = $1 WHERE x.b = $2"},
      {"UPDATE a JOIN b ON a.id = b.id SET a.x = b.y WHERE b.z = 3",
       "UPDATE a SET a.x = b.y FROM a JOIN b ON a.id = b.id WHERE b.z = $1"},
      {"UPDATE a, b SET a.x = b.y, b.z = 1 WHERE a.id = b.id",
       "UPDATE a SET a.x = b.y, b.z = $1 FROM a, b WHERE a.id = b.id"},
      {"UPDATE a LEFT JOIN (SELECT id, count(*) n FROM c GROUP BY id) c ON c.id = a.id SET a.x = IFNULL(c.n, 0)",
       "UPDATE a SET a.x = COALESCE(c.n, $1) FROM a LEFT JOIN (SELECT id, count(*) n FROM c GROUP BY id) c ON c.id = "
       "a.id"},
      {"UPDATE db.a INNER JOIN db.b USING (id) SET db.a.x = 1",
       "UPDATE db.a SET a.x = $1 FROM db.a INNER JOIN db.b USING (id)"},
      {"WITH x AS (SELECT 1) UPDATE t JOIN x SET t.a = 1",
       "WITH x AS (SELECT $1) UPDATE t SET t.a = $2 FROM t CROSS JOIN x"},
      {"UPDATE t SET a = IF(b = 1, c, d), e = CASE WHEN f = 1 THEN 2 ELSE 3 END WHERE g = IFNULL(h, 0)",
       "UPDATE t SET a = CASE WHEN b = $1 THEN c ELSE d END, e = CASE WHEN f = $2 THEN $3 ELSE $4 END WHERE g = "
       "COALESCE(h, $5)"},
      {"UPDATE `wp_options` SET `option_value` = '1' WHERE `option_name` = '_transient'",
       R"sql(UPDATE "wp_options" SET "option_value" = $1 WHERE "option_name" = $2)sql"},
  };
  testing::expect_rewritten(kCases, SqlDialect::kMysql);
}

TEST(ToPostgresWrites, Deletes) {
  constexpr Rewriting kCases[] = {
      {"DELETE FROM t WHERE a = 5 ORDER BY b LIMIT 1", "DELETE FROM t WHERE (a = $1) AND ordered_by(b)"},
      {"DELETE LOW_PRIORITY QUICK IGNORE FROM t LIMIT 10", "DELETE FROM t"},
      {"DELETE a, b FROM t1 AS a JOIN t2 AS b ON a.id = b.id WHERE a.x = 1",
       "DELETE FROM a USING t1 AS a JOIN t2 AS b ON a.id = b.id WHERE a.x = $1"},
      {"DELETE a.* FROM t1 a LEFT JOIN t2 b ON a.id = b.id WHERE b.id IS NULL",
       "DELETE FROM a USING t1 a LEFT JOIN t2 b ON a.id = b.id WHERE b.id IS NULL"},
      {"DELETE FROM a, b USING t1 AS a INNER JOIN t2 AS b WHERE a.id = b.id",
       "DELETE FROM a USING t1 AS a CROSS JOIN t2 AS b WHERE a.id = b.id"},
      {"DELETE FROM t", "DELETE FROM t"},
      {"WITH x AS (SELECT id FROM u) DELETE FROM t WHERE id IN (SELECT id FROM x)",
       "WITH x AS (SELECT id FROM u) DELETE FROM t WHERE id IN (SELECT id FROM x)"},
      {"DELETE t FROM t WHERE a = 1", "DELETE FROM t WHERE a = $1"},
  };
  testing::expect_rewritten(kCases, SqlDialect::kMysql);
}

TEST(ToPostgresWrites, SaysWhatTheTextNoLongerDoes) {
  constexpr SqlDialect kMysql = SqlDialect::kMysql;
  EXPECT_TRUE(rewritten("REPLACE INTO t VALUES (1)", kMysql).replaces);
  EXPECT_TRUE(rewritten("INSERT OR REPLACE INTO t VALUES (1)", SqlDialect::kSqlite).replaces);
  EXPECT_TRUE(rewritten("INSERT IGNORE INTO t VALUES (1)", kMysql).ignores);
  EXPECT_TRUE(rewritten("INSERT OR IGNORE INTO t VALUES (1)", SqlDialect::kSqlite).ignores);
  EXPECT_TRUE(rewritten("INSERT INTO t VALUES (1) ON DUPLICATE KEY UPDATE a = 1", kMysql).on_duplicate_key);
  EXPECT_TRUE(rewritten("UPDATE a JOIN b ON a.x = b.x SET a.y = 1", kMysql).multi_table_write);
  EXPECT_TRUE(rewritten("UPDATE a STRAIGHT_JOIN b SET a.y = 1", kMysql).multi_table_write);
  const PostgresText plain = rewritten("INSERT INTO t (a) VALUES (1)", kMysql);
  EXPECT_FALSE(plain.replaces || plain.ignores || plain.on_duplicate_key || plain.multi_table_write);
  EXPECT_FALSE(rewritten("DELETE a FROM t AS a WHERE a.x = 1", kMysql).multi_table_write);
}

TEST(ToPostgresWrites, NamesTheTargetsOfADelete) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(rewritten("DELETE a, `b` FROM t1 a JOIN t2 b", SqlDialect::kMysql).deletes_from, (Names{"a", "b"}));
  EXPECT_EQ(rewritten("DELETE FROM db.a.* USING a JOIN b", SqlDialect::kMysql).deletes_from, (Names{"a"}));
  EXPECT_TRUE(rewritten("DELETE FROM t", SqlDialect::kMysql).deletes_from.empty());
}

TEST(TouchesNoData, TellsStatementsThatReadNoRow) {
  const auto nothing = [](std::string_view sql, SqlDialect dialect = SqlDialect::kMysql) {
    Lexer lexer(dialect);
    return touches_no_data(lexer.tokens(sql), dialect);
  };
  for (const std::string_view sql :
       {"", "-- only words", "SET NAMES utf8", "/*!40101 SET NAMES utf8 */", "SHOW TABLES", "use db",
        "EXPLAIN SELECT 1", "DESC t", "LOCK TABLES t WRITE", "BEGIN", "start transaction", "COMMIT", "ROLLBACK TO x",
        "SAVEPOINT x", "KILL 5", "PRAGMA x", "ANALYZE TABLE t", "GRANT ALL ON t TO u", "EXPLAIN (VERBOSE) SELECT 1"}) {
    EXPECT_TRUE(nothing(sql)) << sql;
  }
  for (const std::string_view sql :
       {"SELECT 1", "(SELECT 1)", "WITH a AS (SELECT 1) SELECT * FROM a", "INSERT INTO t VALUES (1)", "CALL p()",
        "SET @a = (SELECT MAX(id) FROM t)", "EXPLAIN ANALYZE DELETE FROM t", "EXPLAIN (ANALYZE) SELECT 1", "nonsense",
        "ANALYZE SELECT 1", "CREATE TABLE t (a int)", "TRUNCATE t", "`begin`"}) {
    EXPECT_FALSE(nothing(sql)) << sql;
  }
}

}  // namespace rewrite_writes_test
}  // namespace isolde::audit
