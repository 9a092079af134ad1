-- about: the same purchase as one statement that adds to what is there
-- schema: shop.ddl
-- at read-committed: none
-- at repeatable-read: none
-- at snapshot-isolation: none

UPDATE orders SET total = total + 20 WHERE id = 1;
UPDATE orders SET total = total + 5 WHERE id = 2;
