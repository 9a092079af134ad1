-- about: both read two rows and write one of them: told with the two rows that are really written
-- schema: stock_rows.ddl
-- at snapshot-isolation: write skew; targets shelf.items
-- session 1
BEGIN;
SELECT items FROM shelf WHERE id = 1;
SELECT items FROM shelf WHERE id = 2;
UPDATE shelf SET items = 0 WHERE id = 1;
COMMIT;
-- session 2
BEGIN;
SELECT items FROM shelf WHERE id = 1;
SELECT items FROM shelf WHERE id = 2;
UPDATE shelf SET items = 0 WHERE id = 2;
COMMIT;
