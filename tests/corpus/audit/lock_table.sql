-- about: LOCK TABLE keeps writers apart, also those that do not say it
-- schema: stock_rows.ddl
-- at read-committed: none
-- session 1
BEGIN;
LOCK TABLE shelf IN EXCLUSIVE MODE;
SELECT items FROM shelf WHERE id = 1;
UPDATE shelf SET items = 5 WHERE id = 1;
COMMIT;
-- session 2
BEGIN;
UPDATE shelf SET items = 6 WHERE id = 1;
COMMIT;
