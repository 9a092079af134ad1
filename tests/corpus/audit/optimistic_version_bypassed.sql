-- about: a writer that leaves the version column alone is not seen by those who ask for it
-- schema: stock_rows.ddl
-- at read-committed: lost update; targets shelf.items
-- session 1
BEGIN;
SELECT shelf.id, shelf.items, shelf.version FROM shelf WHERE shelf.id = 2;
UPDATE shelf SET items = 35, version = 6 WHERE shelf.id = 2 AND shelf.version = 5;
COMMIT;
-- session 2
BEGIN;
UPDATE shelf SET items = 45 WHERE id = 3;
COMMIT;
