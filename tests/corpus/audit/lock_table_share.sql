-- about: ROW EXCLUSIVE is what every writer takes: it keeps nobody away
-- schema: stock_rows.ddl
-- at read-committed: lost update; targets shelf.items
-- session 1
BEGIN;
LOCK TABLE shelf IN ROW EXCLUSIVE MODE;
SELECT items FROM shelf WHERE id = 1;
UPDATE shelf SET items = 5 WHERE id = 1;
COMMIT;
-- session 2
BEGIN;
LOCK TABLE shelf IN ROW EXCLUSIVE MODE;
SELECT items FROM shelf WHERE id = 1;
UPDATE shelf SET items = 6 WHERE id = 1;
COMMIT;
