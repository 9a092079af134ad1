-- about: SERIALIZABLE does not protect from those who run below it
-- schema: stock_rows.ddl
-- at read-committed: lost update; targets shelf.items
-- session 1
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT items FROM shelf WHERE id = 1;
UPDATE shelf SET items = 5 WHERE id = 1;
COMMIT;
-- session 2
BEGIN;
SELECT items FROM shelf WHERE id = 1;
UPDATE shelf SET items = 6 WHERE id = 1;
COMMIT;
