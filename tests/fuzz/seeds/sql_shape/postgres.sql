SELECT a::varchar(10), CAST(b AS numeric(10,2)), c::timestamp(3), d::"MyType", x::int[] FROM t WHERE e = $1 AND f = ANY($2)
SELECT date '2020-01-01', timestamp with time zone '2020-01-01', interval '1 day', interval '1' day, now() - interval '3 hours', x AT TIME ZONE 'UTC', point '(1,2)', time without time zone '10:00'
SELECT EXTRACT('year' FROM a), EXTRACT(year FROM a), a[1], a[1:2], ARRAY[1,2], 'x' || 'y', E'a\nb', $$q$$ FROM "T"
INSERT INTO t (a) VALUES (1) ON CONFLICT (a) DO UPDATE SET a = EXCLUDED.a RETURNING id
UPDATE t SET a = 1 FROM u WHERE t.id = u.id
DELETE FROM t USING u WHERE t.id = u.id
EXPLAIN ANALYZE SELECT * FROM t
EXPLAIN (ANALYZE, BUFFERS) WITH x AS (SELECT 1) SELECT * FROM x
COPY t FROM STDIN
CREATE TABLE t (a varchar(10) DEFAULT 'x', b int)
SELECT data ? 'a', data @> '{}' FROM t ORDER BY 1, a, 2 DESC LIMIT 5 OFFSET 3
SELECT * FROM t TABLESAMPLE BERNOULLI (10) FETCH FIRST 5 ROWS ONLY
DECLARE c CURSOR FOR SELECT * FROM t WHERE a = 5
MERGE INTO t USING u ON t.id = u.id WHEN MATCHED THEN UPDATE SET a = 1 WHEN NOT MATCHED THEN INSERT VALUES (1)
SELECT a IS DISTINCT FROM 'x', b LIKE 'y' ESCAPE '!', overlay('a' placing 'b' from 1 for 2), a SIMILAR TO 'x' FROM t
WITH x AS (SELECT 1) INSERT INTO t SELECT * FROM x
SELECT count(*) FILTER (WHERE a = 1), percentile_cont(0.5) WITHIN GROUP (ORDER BY b), a COLLATE "C" FROM ONLY t GROUP BY ROLLUP (a), 2
SELECT * FROM f(1, 'x') AS g(a int, b varchar(10))
SELECT x.a AS b (c) FROM t
SELECT CASE WHEN a THEN 'x' ELSE 'y' END, coalesce(b, 'z') FROM t WHERE a NOT IN ('p', 'q') AND b IN (SELECT 'r')
SELECT xmlelement(name foo, 'x'), jsonb_set(a, '{b}', '"c"') FROM t FOR UPDATE OF t SKIP LOCKED
SELECT trim(both 'x' from a), position('x' in a), substring(a from 'y'), a ~ 'z', a !~* 'w' FROM t
SELECT 'a' AS b, 'c' d FROM t WHERE e BETWEEN 'f' AND 'g' AND h IS NOT NULL
