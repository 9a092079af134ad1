-- about: an advisory lock of the transaction keeps two of them apart
-- schema: stock_rows.ddl
-- at read-committed: none
-- session 1
BEGIN;
SELECT pg_advisory_xact_lock(7);
SELECT items FROM shelf WHERE id = 1;
UPDATE shelf SET items = 5 WHERE id = 1;
COMMIT;
-- session 2
BEGIN;
SELECT pg_advisory_xact_lock(7);
SELECT items FROM shelf WHERE id = 1;
UPDATE shelf SET items = 6 WHERE id = 1;
COMMIT;
