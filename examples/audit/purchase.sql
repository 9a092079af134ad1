-- A shop: two clients buy at the same time. Try: isolde audit examples/audit/purchase.sql --schema examples/audit/shop.ddl
-- A line "-- session NAME" says which session sent the statements below it.

-- session a
BEGIN;
SELECT total FROM orders WHERE id = 1;
SELECT quantity FROM stock WHERE item = 17;
-- session b
BEGIN;
SELECT total FROM orders WHERE id = 2;
SELECT quantity FROM stock WHERE item = 17;
UPDATE stock SET quantity = 4 WHERE item = 17;
UPDATE orders SET total = 35 WHERE id = 2;
COMMIT;
-- session a
UPDATE stock SET quantity = 4 WHERE item = 17;
UPDATE orders SET total = 120 WHERE id = 1;
COMMIT;
-- session c
SELECT count(*) FROM orders WHERE total > 100;
