-- about: an UPDATE that asks in its WHERE for the value that was read loses nothing
-- schema: stock_rows.ddl
-- at read-committed: none
-- at repeatable-read: none
-- at snapshot-isolation: none
-- session 1
BEGIN;
SELECT items FROM shelf WHERE id = 2;
UPDATE shelf SET items = 35 WHERE id = 2 AND items = 20;
COMMIT;
-- session 2
BEGIN;
SELECT items FROM shelf WHERE id = 3;
UPDATE shelf SET items = 45 WHERE id = 3 AND items = 30;
COMMIT;
