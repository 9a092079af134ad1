-- about: a version column that every writer changes protects the other columns of the row, as ORMs do it
-- schema: stock_rows.ddl
-- at read-committed: none
-- session 1
BEGIN;
SELECT shelf.id, shelf.items, shelf.version FROM shelf WHERE shelf.id = 2;
UPDATE shelf SET items = 35, version = 6 WHERE shelf.id = 2 AND shelf.version = 5;
COMMIT;
-- session 2
BEGIN;
SELECT shelf.id, shelf.items, shelf.version FROM shelf WHERE shelf.id = 3;
UPDATE shelf SET items = 45, version = 9 WHERE shelf.id = 3 AND shelf.version = 8;
COMMIT;
