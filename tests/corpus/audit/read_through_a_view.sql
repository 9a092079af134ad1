-- about: what is read through a view is read of its table
-- schema: stock_rows.ddl
-- at read-committed: lost update; targets shelf.items
-- session 1
BEGIN;
SELECT items FROM shelf_now WHERE id = 1;
UPDATE shelf SET items = 5 WHERE id = 1;
COMMIT;
-- session 2
BEGIN;
SELECT items FROM shelf_now WHERE id = 1;
UPDATE shelf SET items = 6 WHERE id = 1;
COMMIT;
