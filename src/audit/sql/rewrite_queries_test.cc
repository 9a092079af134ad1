// Queries of MySQL in PostgreSQL's grammar.
#include <gtest/gtest.h>

#include "tests/support/rewritings.h"

namespace isolde::audit {
namespace rewrite_queries_test {

using testing::Rewriting;

TEST(ToPostgresQueries, ClausesAndNames) {
  constexpr Rewriting kCases[] = {
      {"SELECT SQL_CALC_FOUND_ROWS DISTINCT SQL_NO_CACHE a FROM `t` LIMIT 5, 10",
       R"sql(SELECT DISTINCT a FROM "t" LIMIT $2 OFFSET $1)sql"},
      {"SELECT * FROM t PARTITION (p0, p1) WHERE a = 1", "SELECT * FROM t WHERE a = $1"},
      {"SELECT * FROM t WHERE a = 1 LOCK IN SHARE MODE", "SELECT * FROM t WHERE a = $1 FOR SHARE"},
      {"SELECT * FROM t WHERE a = 1 LIMIT 1 FOR UPDATE", "SELECT * FROM t WHERE a = $1 LIMIT $2 FOR UPDATE"},
      {"SELECT * FROM t WHERE a = 1 FOR UPDATE NOWAIT", "SELECT * FROM t WHERE a = $1 FOR UPDATE NOWAIT"},
      {"SELECT * FROM t WHERE a = 1 FOR UPDATE SKIP LOCKED", "SELECT * FROM t WHERE a = $1 FOR UPDATE SKIP LOCKED"},
      {"SELECT * FROM t WHERE a = 1 FOR UPDATE WAIT 5", "SELECT * FROM t WHERE a = $1 FOR UPDATE"},
      {"SELECT * FROM t FOR SHARE OF t", "SELECT * FROM t FOR SHARE OF t"},
      {"SELECT a, COUNT(*) FROM t GROUP BY a DESC, b ASC WITH ROLLUP HAVING COUNT(*) > 1 ORDER BY NULL",
       "SELECT a, COUNT(*) FROM t GROUP BY a, b HAVING COUNT(*) > $1 ORDER BY NULL"},
      {"(SELECT a FROM t) UNION (SELECT b FROM u) ORDER BY 1 LIMIT 3",
       "(SELECT a FROM t) UNION (SELECT b FROM u) ORDER BY 1 LIMIT $2"},
      {"(SELECT a FROM t LIMIT 1) UNION ALL (SELECT b FROM u ORDER BY b DESC LIMIT 2)",
       "(SELECT a FROM t LIMIT $1) UNION ALL (SELECT b FROM u ORDER BY b DESC LIMIT $2)"},
      {"SELECT a AS 'x y', b 'z', 5 'five', COUNT(*) 'n' FROM t",
       R"sql(SELECT a AS "x y", b AS "z", $3 AS "five", COUNT(*) AS "n" FROM t)sql"},
      {R"sql(SELECT 'x' AS 'alias', a "b" FROM t)sql", R"sql(SELECT $1 AS "alias", a AS "b" FROM t)sql"},
      {"EXECUTE s", "EXECUTE s"},
      {"SELECT a, ROW_NUMBER() OVER (PARTITION BY b ORDER BY c DESC) rn, SUM(d) OVER w FROM t WINDOW w AS (PARTITION "
       "BY e)",
       "SELECT a, ROW_NUMBER() OVER (PARTITION BY b ORDER BY c DESC) rn, SUM(d) OVER w FROM t WINDOW w AS (PARTITION "
       "BY e)"},
      {"WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 5) SELECT * FROM c",
       "WITH RECURSIVE c (n) AS (SELECT $1 UNION ALL SELECT n + $2 FROM c WHERE n < $3) SELECT * FROM c"},
      {"SELECT t.user, user, u.end, `key`, end, offset, value, position FROM user u",
       R"sql(SELECT t."user", "user", u."end", "key", "end", "offset", value, position FROM "user" u)sql"},
      {"SELECT a, b FROM t INTO OUTFILE '/tmp/x' FIELDS TERMINATED BY ','", "SELECT a, b FROM t"},
      {"SELECT * FROM 0_debtors, 1_x.2_y WHERE 0_debtors.a = 5 AND 0_debtors.b = 2_y.1c",
       R"sql(SELECT * FROM "0_debtors", "1_x"."2_y" WHERE "0_debtors".a = $1 AND "0_debtors".b = "2_y"."1c")sql"},
      {"SELECT a FROM t WHERE b IN (1, 2, 3) AND c NOT IN ('x') AND d BETWEEN 1 AND 5 AND e IS NOT NULL AND f IS TRUE",
       "SELECT a FROM t WHERE b IN ($1, $2, $3) AND c NOT IN ($4) AND d BETWEEN $5 AND $6 AND e IS NOT NULL AND f IS "
       "TRUE"},
      {"SELECT COUNT(DISTINCT a, b), COUNT(*), SUM(DISTINCT a) FROM t",
       "SELECT COUNT(DISTINCT a, b), COUNT(*), SUM(DISTINCT a) FROM t"},
      {"SELECT STD(a), BIT_AND(b), ANY_VALUE(c) FROM t", "SELECT STD(a), BIT_AND(b), ANY_VALUE(c) FROM t"},
      {"SELECT 1;", "SELECT $1"},
      {"SELECT * FROM t ORDER BY 2 DESC, a, 3", "SELECT * FROM t ORDER BY 2 DESC, a, 3"},
      {"SELECT t1.* FROM t t1 WHERE EXISTS (SELECT 1 FROM u WHERE u.id = t1.id LIMIT 0, 1)",
       "SELECT t1.* FROM t t1 WHERE EXISTS (SELECT $1 FROM u WHERE u.id = t1.id LIMIT $3 OFFSET $2)"},
      {"TRUNCATE TABLE t", "TRUNCATE TABLE t"},
      {"TRUNCATE t", "TRUNCATE t"},
      {"EXPLAIN ANALYZE SELECT * FROM t", "SELECT * FROM t"},
      {"SELECT * FROM t WHERE (a, b) IN ((1, 2), (3, 4)) AND ROW(a, b) = ROW(1, 2)",
       "SELECT * FROM t WHERE (a, b) IN (($1, $2), ($3, $4)) AND ROW(a, b) = ROW($5, $6)"},
      {"SELECT * FROM t LIMIT 10 OFFSET 5", "SELECT * FROM t LIMIT $1 OFFSET $2"},
      {"SELECT NULL AS x, t.`select`, t.from FROM t", R"sql(SELECT NULL AS x, t."select", t.from FROM t)sql"},
      {"SELECT * FROM t AS `order` WHERE `order`.`group` = 1",
       R"sql(SELECT * FROM t AS "order" WHERE "order"."group" = $1)sql"},
      {"SELECT a AS user, b AS end, c AS offset FROM t",
       R"sql(SELECT a AS "user", b AS "end", c AS "offset" FROM t)sql"},
      {"SELECT * FROM t WHERE id = 5 UNION SELECT * FROM u", "SELECT * FROM t WHERE id = $1 UNION SELECT * FROM u"},
      {"(SELECT 1)", "(SELECT $1)"},
      {"((SELECT 1) UNION (SELECT 2))", "((SELECT $1) UNION (SELECT $2))"},
      {"TABLE t", "TABLE t"},
      {"SELECT NEXT VALUE FOR seq", "SELECT nextval()"},
      {"SELECT * FROM t FORCE INDEX FOR ORDER BY (x) ORDER BY a", "SELECT * FROM t ORDER BY a"},
      {"SELECT `a`.`b`.`c` FROM `a`.`b`", R"sql(SELECT "a"."b"."c" FROM "a"."b")sql"},
      {"SELECT COUNT(*)FROM t WHERE a=-1 AND b=- 1", "SELECT COUNT(*) FROM t WHERE a = - $1 AND b = - $2"},
      {R"sql(SELECT * FROM t WHERE a = "x" AND b = "it's")sql", "SELECT * FROM t WHERE a = $1 AND b = $2"},
      {"SELECT * FROM information_schema.tables WHERE table_schema = 'x'",
       "SELECT * FROM information_schema.tables WHERE table_schema = $1"},
      {"SELECT SQL_CALC_FOUND_ROWS wp_posts.ID FROM wp_posts WHERE 1=1 AND wp_posts.post_type = 'x' GROUP BY "
       "wp_posts.ID ORDER BY wp_posts.menu_order ASC, wp_posts.post_title ASC LIMIT 0, 10",
       "SELECT wp_posts.ID FROM wp_posts WHERE $1 = $2 AND wp_posts.post_type = $3 GROUP BY wp_posts.ID ORDER BY "
       "wp_posts.menu_order ASC, wp_posts.post_title ASC LIMIT $5 OFFSET $4"},
      {"SELECT * FROM t WHERE a = 1 UNION DISTINCT SELECT * FROM u WHERE b = 2 LIMIT 1",
       "SELECT * FROM t WHERE a = $1 UNION DISTINCT SELECT * FROM u WHERE b = $2 LIMIT $3"},
      {"SELECT IF(a IN (SELECT b FROM u WHERE c = 1), 1, 0) FROM t",
       "SELECT CASE WHEN a IN (SELECT b FROM u WHERE c = $1) THEN $2 ELSE $3 END FROM t"},
      {R"sql(SELECT CONCAT(a, ' ', b) 'full name', COUNT(*) AS "n" FROM t)sql",
       R"sql(SELECT CONCAT(a, $1, b) AS "full name", COUNT(*) AS "n" FROM t)sql"},
      {"SELECT (SELECT COUNT(*) FROM u WHERE u.id = t.id) AS n, EXISTS (SELECT 1 FROM v) FROM t",
       "SELECT (SELECT COUNT(*) FROM u WHERE u.id = t.id) AS n, EXISTS (SELECT $1 FROM v) FROM t"},
      {"SELECT a.*, b.x AS `b.x` FROM `db`.`a` AS a, `db`.`b` AS b WHERE a.id = b.a_id AND a.`date` >= '2020-01-01'",
       R"sql(SELECT a.*, b.x AS "b.x" FROM "db"."a" AS a, "db"."b" AS b WHERE a.id = b.a_id AND a."date" >= $1)sql"},
  };
  testing::expect_rewritten(kCases, SqlDialect::kMysql);
}

TEST(ToPostgresQueries, Joins) {
  constexpr Rewriting kCases[] = {
      {"SELECT DISTINCTROW a FROM t STRAIGHT_JOIN u ON t.a = u.a", "SELECT DISTINCT a FROM t JOIN u ON t.a = u.a"},
      {"SELECT HIGH_PRIORITY STRAIGHT_JOIN * FROM t USE INDEX FOR JOIN (x, y) IGNORE KEY (z) WHERE a = 1",
       "SELECT * FROM t WHERE a = $1"},
      {"SELECT * FROM t AS x FORCE INDEX (PRIMARY) JOIN u USE INDEX () ON x.a = u.a",
       "SELECT * FROM t AS x JOIN u ON x.a = u.a"},
      {"SELECT * FROM (SELECT a FROM t) AS x", "SELECT * FROM (SELECT a FROM t) AS x"},
      {"SELECT * FROM a NATURAL JOIN b", "SELECT * FROM a NATURAL JOIN b"},
      {"SELECT * FROM a NATURAL LEFT JOIN b", "SELECT * FROM a NATURAL LEFT JOIN b"},
      {"SELECT * FROM a JOIN b", "SELECT * FROM a CROSS JOIN b"},
      {"SELECT * FROM a JOIN b WHERE a.x = b.x", "SELECT * FROM a CROSS JOIN b WHERE a.x = b.x"},
      {"SELECT * FROM a INNER JOIN b JOIN c ON a.x = c.x", "SELECT * FROM a CROSS JOIN b JOIN c ON a.x = c.x"},
      {"SELECT * FROM a CROSS JOIN b ON a.x = b.x LEFT JOIN c USING (y)",
       "SELECT * FROM a JOIN b ON a.x = b.x LEFT JOIN c USING (y)"},
      {"SELECT * FROM a LEFT JOIN (b, c) ON (a.x = b.x AND a.y = c.y)",
       "SELECT * FROM a LEFT JOIN (b CROSS JOIN c) ON (a.x = b.x AND a.y = c.y)"},
      {"SELECT * FROM (a, b) LEFT JOIN c ON c.x = a.x", "SELECT * FROM (a CROSS JOIN b) LEFT JOIN c ON c.x = a.x"},
      {"SELECT * FROM (a)", "SELECT * FROM a"},
      {"SELECT * FROM ((a JOIN b ON a.x = b.x) LEFT JOIN c ON b.y = c.y)",
       "SELECT * FROM ((a JOIN b ON a.x = b.x) LEFT JOIN c ON b.y = c.y)"},
      {"SELECT * FROM ((a))", "SELECT * FROM a"},
      {"SELECT * FROM (a CROSS JOIN b) LEFT JOIN c ON 1=1", "SELECT * FROM (a CROSS JOIN b) LEFT JOIN c ON $1 = $2"},
      {"SELECT * FROM a LEFT JOIN b JOIN c ON b.x = c.x ON a.y = b.y",
       "SELECT * FROM a LEFT JOIN b JOIN c ON b.x = c.x ON a.y = b.y"},
      {"SELECT 1 FROM DUAL", "SELECT $1"},
      {"SELECT 1 FROM DUAL WHERE NOT EXISTS (SELECT * FROM t)", "SELECT $1 WHERE NOT EXISTS (SELECT * FROM t)"},
      {"WITH x AS (SELECT a FROM t), y (b) AS (SELECT 1) SELECT * FROM x JOIN y ON x.a = y.b",
       "WITH x AS (SELECT a FROM t), y (b) AS (SELECT $1) SELECT * FROM x JOIN y ON x.a = y.b"},
      {"SELECT * FROM {oj a LEFT OUTER JOIN b ON a.x = b.x}", "SELECT * FROM a LEFT OUTER JOIN b ON a.x = b.x"},
      {"SELECT * FROM ((SELECT 1 AS a) UNION (SELECT 2)) AS x",
       "SELECT * FROM ((SELECT $1 AS a) UNION (SELECT $2)) AS x"},
      {"SELECT * FROM a JOIN b ON a.x = LEFT(b.y, 3) JOIN c ON IF(a.x, b.y, c.z) = 1",
       "SELECT * FROM a JOIN b ON a.x = LEFT(b.y, $1) JOIN c ON CASE WHEN a.x THEN b.y ELSE c.z END = $2"},
      {"SELECT DISTINCT t0.id FROM t t0 LEFT OUTER JOIN u t1 ON t0.id = t1.id AND (t1.a IN ('x','y'))",
       "SELECT DISTINCT t0.id FROM t t0 LEFT OUTER JOIN u t1 ON t0.id = t1.id AND (t1.a IN ($1, $2))"},
      {"SELECT * FROM a JOIN b ON MATCH (a.x) AGAINST ('y' IN BOOLEAN MODE) JOIN c WHERE MATCH (a) AGAINST ('z') ORDER "
       "BY 1",
       "SELECT * FROM a JOIN b ON MATCH (a.x, $1) CROSS JOIN c WHERE MATCH (a, $2) ORDER BY 1"},
      {"SELECT * FROM a INNER JOIN (b LEFT JOIN c ON b.x = c.x) ON a.x = b.x",
       "SELECT * FROM a INNER JOIN (b LEFT JOIN c ON b.x = c.x) ON a.x = b.x"},
  };
  testing::expect_rewritten(kCases, SqlDialect::kMysql);
}

TEST(ToPostgresQueries, OperatorsAndLiterals) {
  constexpr Rewriting kCases[] = {
      {"SELECT @a := @a + 1 AS rank, t.* FROM t, (SELECT @a := 0) r",
       "SELECT $3 + $1 AS rank, t.* FROM t, (SELECT $2) r"},
      {"SELECT @@session.sql_mode, @x", "SELECT $1, $2"},
      {"SELECT BINARY a = 'x', BINARY 'y' FROM t WHERE BINARY `b` = 'z' AND c LIKE BINARY 'q'",
       R"sql(SELECT a = $1, $2 FROM t WHERE "b" = $3 AND c LIKE $4)sql"},
      {"SELECT a COLLATE utf8_bin, _utf8'x' COLLATE utf8_general_ci, N'y', _latin1 'z' FROM t ORDER BY a COLLATE "
       "utf8_bin DESC",
       "SELECT a, $1, $2, $3 FROM t ORDER BY a DESC"},
      {"SELECT a REGEXP 'x', b NOT REGEXP 'y', c RLIKE 'z', d NOT RLIKE 'w', e LIKE 'a|%' ESCAPE '|', f SOUNDS LIKE "
       "'g' FROM t",
       "SELECT a ~ $1, b !~ $2, c ~ $3, d !~ $4, e LIKE $5 ESCAPE $6, f = $7 FROM t"},
      {"CALL p(1, @x)", "CALL p($1, $2)"},
      {"EXECUTE s USING @a, @b", "EXECUTE s ($1, $2)"},
      {"SELECT CASE WHEN a = 1 THEN 'x' ELSE 'y' END AS z, CASE b WHEN 1 THEN 2 END FROM t",
       "SELECT CASE WHEN a = $1 THEN $2 ELSE $3 END AS z, CASE b WHEN $4 THEN $5 END FROM t"},
      {"SELECT a FROM t WHERE a = ANY (SELECT b FROM u) OR c > ALL (SELECT d FROM v) OR e = SOME (SELECT 1)",
       "SELECT a FROM t WHERE a = ANY (SELECT b FROM u) OR c > ALL (SELECT d FROM v) OR e = SOME (SELECT $1)"},
      {"SELECT a INTO @x FROM t LIMIT 1", "SELECT a FROM t LIMIT $1"},
      {"SELECT DATE '2020-01-01', TIMESTAMP '2020-01-01 00:00:00', {d '2020-01-01'}, {ts '2020-01-01 00:00:00'}",
       "SELECT $1, $2, $3, $4"},
      {R"sql(SELECT 0x1F, b'101', x'4D', 1.5e10, .5, -3, TRUE, NULL, \N)sql",
       "SELECT $1, $2, $3, $4, $5, - $6, TRUE, NULL, NULL"},
      {"SELECT a->'$.x', a->>'$.y' FROM t", "SELECT a -> $1, a ->> $2 FROM t"},
      {"SELECT a FROM t WHERE b = 'x' COLLATE 'utf8_bin' AND c LIKE '%y%' COLLATE utf8_bin ESCAPE '!'",
       "SELECT a FROM t WHERE b = $1 AND c LIKE $3 ESCAPE $4"},
  };
  testing::expect_rewritten(kCases, SqlDialect::kMysql);
}

TEST(ToPostgresQueries, FunctionsWithAGrammarOfTheirOwn) {
  constexpr Rewriting kCases[] = {
      {"SELECT CAST(a AS CHAR(10) CHARACTER SET utf8), CAST(b AS SIGNED INTEGER), CAST(c AS UNSIGNED), CAST(d AS "
       "DECIMAL(10,2)), CAST(e AS DATETIME(6)), CAST(f AS BINARY(3))",
       "SELECT CAST(a AS text), CAST(b AS bigint), CAST(c AS bigint), CAST(d AS numeric), CAST(e AS timestamp), CAST(f "
       "AS bytea)"},
      {"SELECT CONVERT(a USING utf8), CONVERT(b, CHAR(10)), CONVERT(c, UNSIGNED INTEGER) FROM t",
       "SELECT (a), CAST(b AS text), CAST(c AS bigint) FROM t"},
      {"SELECT DATE_ADD(a, INTERVAL 3 DAY), b - INTERVAL (c + 1) MINUTE, NOW() + INTERVAL 1 HOUR, DATE_SUB(x, INTERVAL "
       "'1:1' MINUTE_SECOND) FROM t",
       R"sql(SELECT (a + ($1 * INTERVAL '1 DAY')), b - ((c + $2) * INTERVAL '1 MINUTE'), NOW() + ($3 * INTERVAL '1 HOUR'), (x - "interval"($4)) FROM t)sql"},
      {"SELECT a && b, c || d, !e, NOT f, a XOR b, a DIV b, a MOD b, MOD(a, b), a <=> b, a ^ b, ~a, a % b, a << 2 FROM "
       "t",
       "SELECT a AND b, c OR d, ! e, NOT f, a OR b, a / b, a % b, MOD(a, b), a IS NOT DISTINCT FROM b, a ^ b, ~ a, a % "
       "b, a << $1 FROM t"},
      {"SELECT GROUP_CONCAT(DISTINCT a ORDER BY b DESC SEPARATOR ','), GROUP_CONCAT(a, b), GROUP_CONCAT(a SEPARATOR '; "
       "') FROM t",
       "SELECT GROUP_CONCAT(DISTINCT a ORDER BY b DESC), GROUP_CONCAT(a, b), GROUP_CONCAT(a) FROM t"},
      {"SELECT IF(a > 1, b, c), LEFT(a, 2), RIGHT(a, 3), REPLACE(a, 'x', 'y'), INSERT(a, 1, 2, 'z'), TRUNCATE(a, 2), "
       "DATE(a), TIME(b), TIMESTAMP(c), CHAR(65, 66 USING utf8), YEAR(a), MONTH(a), REPEAT('a', 3), ISNULL(a) FROM t",
       R"sql(SELECT CASE WHEN a > $1 THEN b ELSE c END, LEFT(a, $2), RIGHT(a, $3), REPLACE(a, $4, $5), INSERT(a, $6, $7, $8), TRUNCATE(a, $9), DATE(a), "TIME"(b), "TIMESTAMP"(c), "CHAR"($10, $11), YEAR(a), MONTH(a), REPEAT($12, $13), "ISNULL"(a) FROM t)sql"},
      {"SELECT MATCH (a, b) AGAINST ('x' IN BOOLEAN MODE) AS s FROM t WHERE MATCH (a) AGAINST ('y') > 0.5 AND MATCH(a) "
       "AGAINST ('z' WITH QUERY EXPANSION)",
       "SELECT MATCH (a, b, $1) AS s FROM t WHERE MATCH (a, $2) > $3 AND MATCH(a, $4)"},
      {"SET @a = (SELECT MAX(id) FROM t), @b = 5", "SELECT (SELECT MAX(id) FROM t), $1"},
      {"DO GET_LOCK('x', 5)", "SELECT GET_LOCK($1, $2)"},
      {"SELECT USER(), CURRENT_USER(), DATABASE(), SCHEMA(), VERSION(), CURRENT_TIMESTAMP(), CURRENT_TIMESTAMP(6), "
       "CURDATE(), CURRENT_DATE(), UTC_TIMESTAMP, UTC_TIMESTAMP(), LOCALTIME()",
       R"sql(SELECT "USER"(), CURRENT_USER, DATABASE(), SCHEMA(), VERSION(), CURRENT_TIMESTAMP, CURRENT_TIMESTAMP(6), CURRENT_DATE, CURRENT_DATE, UTC_TIMESTAMP(), UTC_TIMESTAMP(), LOCALTIME)sql"},
      {"SELECT TIMESTAMPDIFF(SECOND, a, b), TIMESTAMPADD(MINUTE, 5, a), EXTRACT(YEAR FROM a), EXTRACT(DAY_HOUR FROM "
       "b), TRIM(LEADING 'x' FROM c), SUBSTRING(d FROM 2 FOR 3), SUBSTR(e FROM 2), MID(f, 1, 2), POSITION('x' IN g) "
       "FROM t",
       "SELECT TIMESTAMPDIFF(a, b), TIMESTAMPADD($1, a), EXTRACT(YEAR FROM a), EXTRACT(DAY_HOUR FROM b), TRIM(LEADING "
       "$2 FROM c), SUBSTRING(d FROM $3 FOR $4), SUBSTRING(e FROM $5), SUBSTRING(f, $6, $7), POSITION($8 IN g) FROM t"},
      {"SELECT a = b = c, a > 1 = 0 FROM t WHERE (a = 1) = (b = 2) AND NOT a = 1",
       "SELECT a = b OPERATOR(=) c, a > $1 OPERATOR(=) $2 FROM t WHERE (a = $3) = (b = $4) AND NOT a = $5"},
      {"SELECT YEAR(a) year, MONTH(a) month, b AS date, 1 day FROM t",
       "SELECT YEAR(a) AS year, MONTH(a) AS month, b AS date, $1 AS day FROM t"},
      {"SELECT * FROM t ORDER BY FIELD(id, 3, 1, 2), RAND()",
       "SELECT * FROM t ORDER BY FIELD(id, $1, $2, $3), random()"},
      {"SELECT INTERVAL(5, 1, 10), `interval` FROM t", R"sql(SELECT "interval"($1, $2, $3), "interval" FROM t)sql"},
      {"SELECT a FROM t PROCEDURE ANALYSE()", "SELECT a FROM t"},
      {"SELECT * FROM t WHERE a LIKE CONCAT('%', 'x', '%') AND b LIKE '%y%'",
       "SELECT * FROM t WHERE a LIKE CONCAT($1, $2, $3) AND b LIKE $4"},
      {"SELECT JSON_EXTRACT(a, '$.b'), a MEMBER OF ('x') FROM t", "SELECT JSON_EXTRACT(a, $1), a = ($2) FROM t"},
      {"SELECT * FROM t WHERE `date` > DATE_SUB(CURDATE(), INTERVAL 7 DAY) AND date < '2020-01-01'",
       R"sql(SELECT * FROM t WHERE "date" > (CURRENT_DATE - ($1 * INTERVAL '1 DAY')) AND date < $2)sql"},
      {"SELECT IF(STRCMP(a, b) = 0, 1, 0), a IS NULL = 0, a LIKE 'x' = 1 FROM t",
       "SELECT CASE WHEN STRCMP(a, b) = $1 THEN $2 ELSE $3 END, a IS NULL = $4, a LIKE $5 = $6 FROM t"},
      {"SELECT CHAR_LENGTH(a), CHAR(65), INT, `char` FROM t",
       R"sql(SELECT CHAR_LENGTH(a), "CHAR"($1), INT, "char" FROM t)sql"},
      {"SELECT FOUND_ROWS(), LAST_INSERT_ID(), ROW_COUNT()", "SELECT FOUND_ROWS(), lastval(), ROW_COUNT()"},
      {"SELECT SUM(IF(a = 1, 1, 0)) AS ones, SUM(a = 2) FROM t",
       "SELECT SUM(CASE WHEN a = $1 THEN $2 ELSE $3 END) AS ones, SUM(a = $4) FROM t"},
      {"VALUES ROW(1,2), ROW(3,4)", "VALUES($1, $2),($3, $4)"},
      {"SELECT a FROM t WHERE NOT(a = 1) AND !(b = 2) AND c != ! d",
       "SELECT a FROM t WHERE NOT(a = $1) AND !(b = $2) AND c != ! d"},
      {"SELECT CONCAT_WS(' ', a, b) AS `full name` FROM t HAVING `full name` LIKE '%x%'",
       R"sql(SELECT CONCAT_WS($1, a, b) AS "full name" FROM t HAVING "full name" LIKE $2)sql"},
      {"SELECT GET_FORMAT(DATE, 'USA')", "SELECT GET_FORMAT($1)"},
      {"SELECT * FROM JSON_TABLE('[]', '$[*]' COLUMNS (a INT PATH '$')) AS jt",
       "SELECT * FROM JSON_TABLE($1, $2) AS jt"},
      {"SELECT x = IF(a = 1, b = 2, c = 3) AND y = 1 FROM t",
       "SELECT x = CASE WHEN a = $1 THEN b = $2 ELSE c = $3 END AND y = $4 FROM t"},
      {"SELECT DATE_ADD(a, INTERVAL -1 MONTH), DATE_SUB(NOW(), INTERVAL IF(a, 1, 2) DAY), a + INTERVAL b HOUR FROM t",
       "SELECT (a + (- $1 * INTERVAL '1 MONTH')), (NOW() - (CASE WHEN a THEN $2 ELSE $3 END * INTERVAL '1 DAY')), a + "
       "(b * INTERVAL '1 HOUR') FROM t"},
      {"SELECT t.id FROM t GROUP BY t.id HAVING COUNT(DISTINCT IF(t.a, t.b, NULL)) > 1",
       "SELECT t.id FROM t GROUP BY t.id HAVING COUNT(DISTINCT CASE WHEN t.a THEN t.b ELSE NULL END) > $1"},
      {"SELECT a, b FROM t WHERE (a, b) > (1, 2) ORDER BY a ASC, b DESC LIMIT 10",
       "SELECT a, b FROM t WHERE (a, b) > ($1, $2) ORDER BY a ASC, b DESC LIMIT $3"},
  };
  testing::expect_rewritten(kCases, SqlDialect::kMysql);
}

}  // namespace rewrite_queries_test
}  // namespace isolde::audit
