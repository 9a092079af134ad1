-- about: an advisory lock that is given back before the COMMIT protects nothing
-- schema: stock_rows.ddl
-- at read-committed: lost update
-- session 1
BEGIN;
SELECT pg_advisory_lock(7);
SELECT items FROM shelf WHERE id = 1;
UPDATE shelf SET items = 5 WHERE id = 1;
SELECT pg_advisory_unlock(7);
COMMIT;
-- session 2
BEGIN;
SELECT pg_advisory_lock(7);
SELECT items FROM shelf WHERE id = 1;
UPDATE shelf SET items = 6 WHERE id = 1;
SELECT pg_advisory_unlock(7);
COMMIT;
