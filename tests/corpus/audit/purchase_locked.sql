-- about: the same purchase with its row locked before it is read
-- schema: shop.ddl
-- at read-committed: none
-- at repeatable-read: none
-- at snapshot-isolation: none

-- session a
BEGIN;
SELECT total FROM orders WHERE id = 1 FOR UPDATE;
UPDATE orders SET total = 120 WHERE id = 1;
COMMIT;
-- session b
BEGIN;
SELECT total FROM orders WHERE id = 2 FOR UPDATE;
UPDATE orders SET total = 35 WHERE id = 2;
COMMIT;
