-- about: Figure 1 of IsoDiff: read a total, add to it in the client, write it back
-- schema: shop.ddl
-- at read-committed: lost update; targets orders.total
-- at repeatable-read: lost update; targets orders.total
-- at snapshot-isolation: none

-- session a
BEGIN;
SELECT total FROM orders WHERE id = 1;
-- session b
BEGIN;
SELECT total FROM orders WHERE id = 2;
UPDATE orders SET total = 35 WHERE id = 2;
COMMIT;
-- session a
UPDATE orders SET total = 120 WHERE id = 1;
COMMIT;
