-- about: transactions that say SERIALIZABLE themselves
-- schema: stock_rows.ddl
-- at read-committed: none
-- at snapshot-isolation: none
-- session 1
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT items FROM shelf WHERE id = 1;
UPDATE shelf SET items = 5 WHERE id = 1;
COMMIT;
-- session 2
BEGIN;
SET TRANSACTION ISOLATION LEVEL SERIALIZABLE;
SELECT items FROM shelf WHERE id = 1;
UPDATE shelf SET items = 6 WHERE id = 1;
COMMIT;
