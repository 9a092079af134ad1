-- about: a depot; faults: a reorder after a count of open ones, a delivery that is added in the client, two pickers of which each sees the other on duty, a name that is looked for in lower case; safe: picks by SKIP LOCKED, invoice numbers by MAX()+1 under a unique key, an upsert of daily figures, a reservation with a condition, a lock of the customer before an order (not at snapshot isolation: the snapshot is older than the lock)
-- schema: depot.ddl
-- at read-committed: lost update, phantom
-- first five at read-committed: item.quantity, picker.on_duty, purchase.sku, customer.login
-- at snapshot-isolation: phantom
-- first five at snapshot-isolation: orders.customer_id, picker.on_duty, purchase.sku, customer.login
-- never: pick, daily, invoice
-- across transactions: none
-- session 5
UPDATE item SET reserved = reserved + 1 WHERE sku = 'SKU2' AND reserved < quantity;
-- session 1
UPDATE purchase SET state = 'closed' WHERE id = 18 AND state = 'open';
-- session 2
BEGIN;
-- session 4
INSERT INTO pick (sku, state) VALUES ('SKU4', 'ready');
-- session 3
BEGIN;
-- session 5
INSERT INTO pick (sku, state) VALUES ('SKU6', 'ready');
UPDATE picker SET on_duty = true WHERE id = 2;
UPDATE purchase SET state = 'closed' WHERE id = 4 AND state = 'open';
BEGIN;
SELECT id, sku FROM pick WHERE state = 'ready' ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1;
UPDATE pick SET state = 'picked', picker = 2 WHERE id = 1;
UPDATE item SET quantity = quantity - 1 WHERE sku = 'SKU2';
INSERT INTO daily (day, sku, picked) VALUES ('2026-11-19', 'SKU2', 1) ON CONFLICT (day, sku) DO UPDATE SET picked = daily.picked + 1;
-- session 3
SELECT id, credit FROM customer WHERE id = 4 FOR UPDATE;
-- session 5
COMMIT;
-- session 2
SELECT COALESCE(MAX(number), 0) + 1 FROM invoice WHERE company = 3;
-- session 3
SELECT COALESCE(SUM(total), 0) FROM orders WHERE customer_id = 4;
-- session 2
INSERT INTO invoice (company, number, total) VALUES (3, 1, 325);
COMMIT;
-- session 3
INSERT INTO orders (customer_id, total) VALUES (4, 19);
COMMIT;
-- session 4
UPDATE picker SET on_duty = true WHERE id = 4;
-- session 2
BEGIN;
-- session 1
BEGIN;
-- session 5
BEGIN;
-- session 1
SELECT id, sku FROM pick WHERE state = 'ready' ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1;
-- session 2
SELECT count(*) FROM purchase WHERE sku = 'SKU7' AND state = 'open';
-- session 5
SELECT count(*) FROM picker WHERE shift = 1 AND on_duty = true;
-- session 4
BEGIN;
-- session 1
UPDATE pick SET state = 'picked', picker = 1 WHERE id = 2;
-- session 2
INSERT INTO purchase (sku, state, quantity) VALUES ('SKU7', 'open', 50);
-- session 1
UPDATE item SET quantity = quantity - 1 WHERE sku = 'SKU3';
-- session 5
UPDATE picker SET on_duty = false WHERE id = 4;
-- session 4
SELECT quantity FROM item WHERE sku = 'SKU1';
-- session 3
UPDATE item SET reserved = reserved + 1 WHERE sku = 'SKU7' AND reserved < quantity;
-- session 5
COMMIT;
-- session 2
COMMIT;
-- session 1
INSERT INTO daily (day, sku, picked) VALUES ('2026-11-19', 'SKU3', 1) ON CONFLICT (day, sku) DO UPDATE SET picked = daily.picked + 1;
-- session 4
UPDATE item SET quantity = 115 WHERE sku = 'SKU1';
-- session 1
COMMIT;
-- session 3
BEGIN;
-- session 5
BEGIN;
-- session 4
COMMIT;
-- session 5
SELECT count(*) FROM purchase WHERE sku = 'SKU3' AND state = 'open';
-- session 2
BEGIN;
-- session 4
BEGIN;
-- session 3
SELECT count(*) FROM purchase WHERE sku = 'SKU2' AND state = 'open';
-- session 2
SELECT id FROM customer WHERE lower(login) = 'user34';
-- session 5
INSERT INTO purchase (sku, state, quantity) VALUES ('SKU3', 'open', 50);
COMMIT;
-- session 3
INSERT INTO purchase (sku, state, quantity) VALUES ('SKU2', 'open', 50);
-- session 2
INSERT INTO customer (login, credit) VALUES ('User34', 100);
-- session 4
SELECT id, sku FROM pick WHERE state = 'ready' ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1;
-- session 1
BEGIN;
-- session 2
COMMIT;
-- session 3
COMMIT;
-- session 4
UPDATE pick SET state = 'picked', picker = 1 WHERE id = 3;
-- session 3
UPDATE picker SET on_duty = true WHERE id = 5;
-- session 1
SELECT COALESCE(MAX(number), 0) + 1 FROM invoice WHERE company = 3;
-- session 4
UPDATE item SET quantity = quantity - 1 WHERE sku = 'SKU4';
INSERT INTO daily (day, sku, picked) VALUES ('2026-11-19', 'SKU4', 1) ON CONFLICT (day, sku) DO UPDATE SET picked = daily.picked + 1;
COMMIT;
-- session 2
UPDATE item SET reserved = reserved + 1 WHERE sku = 'SKU7' AND reserved < quantity;
-- session 1
INSERT INTO invoice (company, number, total) VALUES (3, 2, 123);
-- session 5
BEGIN;
-- session 1
COMMIT;
-- session 4
UPDATE picker SET on_duty = true WHERE id = 3;
-- session 3
BEGIN;
-- session 5
SELECT id, credit FROM customer WHERE id = 1 FOR UPDATE;
-- session 3
SELECT quantity FROM item WHERE sku = 'SKU1';
-- session 5
SELECT COALESCE(SUM(total), 0) FROM orders WHERE customer_id = 1;
INSERT INTO orders (customer_id, total) VALUES (1, 51);
-- session 2
INSERT INTO pick (sku, state) VALUES ('SKU2', 'ready');
-- session 3
UPDATE item SET quantity = 134 WHERE sku = 'SKU1';
-- session 5
COMMIT;
-- session 3
COMMIT;
-- session 1
UPDATE purchase SET state = 'closed' WHERE id = 23 AND state = 'open';
-- session 4
UPDATE purchase SET state = 'closed' WHERE id = 19 AND state = 'open';
-- session 2
UPDATE picker SET on_duty = true WHERE id = 5;
-- session 4
BEGIN;
SELECT id, sku FROM pick WHERE state = 'ready' ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1;
UPDATE pick SET state = 'picked', picker = 5 WHERE id = 4;
-- session 3
BEGIN;
-- session 5
UPDATE item SET reserved = reserved + 1 WHERE sku = 'SKU6' AND reserved < quantity;
-- session 1
BEGIN;
-- session 3
SELECT id, sku FROM pick WHERE state = 'ready' ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1;
-- session 4
UPDATE item SET quantity = quantity - 1 WHERE sku = 'SKU5';
INSERT INTO daily (day, sku, picked) VALUES ('2026-11-19', 'SKU5', 1) ON CONFLICT (day, sku) DO UPDATE SET picked = daily.picked + 1;
-- session 2
BEGIN;
-- session 4
COMMIT;
-- session 3
UPDATE pick SET state = 'picked', picker = 5 WHERE id = 5;
-- session 1
SELECT id, credit FROM customer WHERE id = 8 FOR UPDATE;
-- session 2
SELECT quantity FROM item WHERE sku = 'SKU3';
-- session 3
UPDATE item SET quantity = quantity - 1 WHERE sku = 'SKU6';
-- session 1
SELECT COALESCE(SUM(total), 0) FROM orders WHERE customer_id = 8;
-- session 4
BEGIN;
-- session 3
INSERT INTO daily (day, sku, picked) VALUES ('2026-11-19', 'SKU6', 1) ON CONFLICT (day, sku) DO UPDATE SET picked = daily.picked + 1;
-- session 2
UPDATE item SET quantity = 135 WHERE sku = 'SKU3';
-- session 4
SELECT count(*) FROM picker WHERE shift = 1 AND on_duty = true;
-- session 1
INSERT INTO orders (customer_id, total) VALUES (8, 19);
-- session 3
COMMIT;
-- session 4
UPDATE picker SET on_duty = false WHERE id = 4;
-- session 2
COMMIT;
-- session 4
COMMIT;
-- session 5
INSERT INTO pick (sku, state) VALUES ('SKU7', 'ready');
-- session 1
COMMIT;
-- session 4
UPDATE purchase SET state = 'closed' WHERE id = 18 AND state = 'open';
-- session 3
BEGIN;
-- session 1
UPDATE item SET reserved = reserved + 1 WHERE sku = 'SKU2' AND reserved < quantity;
-- session 4
BEGIN;
-- session 2
INSERT INTO pick (sku, state) VALUES ('SKU2', 'ready');
-- session 3
SELECT count(*) FROM picker WHERE shift = 1 AND on_duty = true;
-- session 4
SELECT id FROM customer WHERE lower(login) = 'user37';
-- session 5
BEGIN;
-- session 2
BEGIN;
-- session 3
UPDATE picker SET on_duty = false WHERE id = 6;
COMMIT;
-- session 4
INSERT INTO customer (login, credit) VALUES ('User37', 100);
-- session 5
SELECT id FROM customer WHERE lower(login) = 'user40';
-- session 2
SELECT count(*) FROM picker WHERE shift = 2 AND on_duty = true;
-- session 1
BEGIN;
SELECT count(*) FROM purchase WHERE sku = 'SKU4' AND state = 'open';
-- session 4
COMMIT;
UPDATE item SET reserved = reserved + 1 WHERE sku = 'SKU2' AND reserved < quantity;
-- session 1
INSERT INTO purchase (sku, state, quantity) VALUES ('SKU4', 'open', 50);
-- session 5
INSERT INTO customer (login, credit) VALUES ('User40', 100);
-- session 2
UPDATE picker SET on_duty = false WHERE id = 3;
-- session 5
COMMIT;
-- session 3
BEGIN;
SELECT quantity FROM item WHERE sku = 'SKU4';
-- session 1
COMMIT;
-- session 2
COMMIT;
-- session 3
UPDATE item SET quantity = 146 WHERE sku = 'SKU4';
-- session 5
BEGIN;
-- session 2
UPDATE purchase SET state = 'closed' WHERE id = 17 AND state = 'open';
-- session 5
SELECT id FROM customer WHERE lower(login) = 'user19';
-- session 3
COMMIT;
-- session 4
BEGIN;
-- session 5
INSERT INTO customer (login, credit) VALUES ('User19', 100);
-- session 4
SELECT quantity FROM item WHERE sku = 'SKU7';
-- session 1
UPDATE picker SET on_duty = true WHERE id = 6;
-- session 5
COMMIT;
-- session 2
BEGIN;
-- session 4
UPDATE item SET quantity = 126 WHERE sku = 'SKU7';
-- session 3
BEGIN;
-- session 2
SELECT id, sku FROM pick WHERE state = 'ready' ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1;
-- session 3
SELECT id, credit FROM customer WHERE id = 2 FOR UPDATE;
-- session 2
UPDATE pick SET state = 'picked', picker = 4 WHERE id = 6;
-- session 3
SELECT COALESCE(SUM(total), 0) FROM orders WHERE customer_id = 2;
-- session 2
UPDATE item SET quantity = quantity - 1 WHERE sku = 'SKU7';
-- session 4
COMMIT;
-- session 3
INSERT INTO orders (customer_id, total) VALUES (2, 57);
COMMIT;
-- session 2
INSERT INTO daily (day, sku, picked) VALUES ('2026-11-19', 'SKU7', 1) ON CONFLICT (day, sku) DO UPDATE SET picked = daily.picked + 1;
-- session 1
UPDATE item SET reserved = reserved + 1 WHERE sku = 'SKU4' AND reserved < quantity;
-- session 2
COMMIT;
-- session 3
BEGIN;
-- session 5
UPDATE picker SET on_duty = true WHERE id = 6;
-- session 3
SELECT COALESCE(MAX(number), 0) + 1 FROM invoice WHERE company = 3;
-- session 2
BEGIN;
-- session 1
INSERT INTO pick (sku, state) VALUES ('SKU5', 'ready');
-- session 4
UPDATE item SET reserved = reserved + 1 WHERE sku = 'SKU4' AND reserved < quantity;
-- session 3
INSERT INTO invoice (company, number, total) VALUES (3, 3, 326);
-- session 2
SELECT count(*) FROM purchase WHERE sku = 'SKU6' AND state = 'open';
-- session 1
UPDATE picker SET on_duty = true WHERE id = 6;
-- session 3
COMMIT;
-- session 2
INSERT INTO purchase (sku, state, quantity) VALUES ('SKU6', 'open', 20);
COMMIT;
-- session 5
BEGIN;
-- session 2
UPDATE purchase SET state = 'closed' WHERE id = 21 AND state = 'open';
-- session 5
SELECT id FROM customer WHERE lower(login) = 'user27';
INSERT INTO customer (login, credit) VALUES ('User27', 100);
COMMIT;
-- session 4
INSERT INTO pick (sku, state) VALUES ('SKU1', 'ready');
-- session 2
BEGIN;
-- session 3
UPDATE purchase SET state = 'closed' WHERE id = 23 AND state = 'open';
-- session 2
SELECT count(*) FROM purchase WHERE sku = 'SKU8' AND state = 'open';
-- session 1
BEGIN;
-- session 5
BEGIN;
-- session 2
INSERT INTO purchase (sku, state, quantity) VALUES ('SKU8', 'open', 50);
COMMIT;
-- session 3
UPDATE purchase SET state = 'closed' WHERE id = 25 AND state = 'open';
-- session 5
SELECT quantity FROM item WHERE sku = 'SKU3';
-- session 1
SELECT quantity FROM item WHERE sku = 'SKU7';
UPDATE item SET quantity = 154 WHERE sku = 'SKU7';
-- session 5
UPDATE item SET quantity = 147 WHERE sku = 'SKU3';
-- session 4
BEGIN;
-- session 5
COMMIT;
-- session 1
COMMIT;
-- session 2
BEGIN;
-- session 1
INSERT INTO pick (sku, state) VALUES ('SKU7', 'ready');
-- session 4
SELECT count(*) FROM picker WHERE shift = 2 AND on_duty = true;
-- session 2
SELECT id, credit FROM customer WHERE id = 8 FOR UPDATE;
-- session 3
BEGIN;
SELECT count(*) FROM picker WHERE shift = 2 AND on_duty = true;
-- session 2
SELECT COALESCE(SUM(total), 0) FROM orders WHERE customer_id = 8;
-- session 5
BEGIN;
-- session 2
INSERT INTO orders (customer_id, total) VALUES (8, 78);
COMMIT;
-- session 5
SELECT COALESCE(MAX(number), 0) + 1 FROM invoice WHERE company = 2;
-- session 3
UPDATE picker SET on_duty = false WHERE id = 5;
-- session 4
UPDATE picker SET on_duty = false WHERE id = 5;
-- session 5
INSERT INTO invoice (company, number, total) VALUES (2, 1, 307);
-- session 1
BEGIN;
-- session 3
COMMIT;
-- session 2
BEGIN;
-- session 5
COMMIT;
-- session 2
SELECT id, credit FROM customer WHERE id = 9 FOR UPDATE;
-- session 1
SELECT COALESCE(MAX(number), 0) + 1 FROM invoice WHERE company = 1;
-- session 2
SELECT COALESCE(SUM(total), 0) FROM orders WHERE customer_id = 9;
-- session 1
INSERT INTO invoice (company, number, total) VALUES (1, 1, 247);
-- session 4
COMMIT;
-- session 2
INSERT INTO orders (customer_id, total) VALUES (9, 36);
-- session 3
UPDATE picker SET on_duty = true WHERE id = 3;
-- session 1
COMMIT;
-- session 2
COMMIT;
-- session 5
UPDATE picker SET on_duty = true WHERE id = 2;
-- session 3
BEGIN;
-- session 4
BEGIN;
-- session 2
UPDATE purchase SET state = 'closed' WHERE id = 20 AND state = 'open';
-- session 3
SELECT count(*) FROM purchase WHERE sku = 'SKU3' AND state = 'open';
-- session 1
INSERT INTO pick (sku, state) VALUES ('SKU6', 'ready');
-- session 4
SELECT count(*) FROM purchase WHERE sku = 'SKU4' AND state = 'open';
-- session 3
ROLLBACK;
-- session 5
BEGIN;
-- session 4
ROLLBACK;
-- session 5
SELECT id FROM customer WHERE lower(login) = 'user12';
INSERT INTO customer (login, credit) VALUES ('User12', 100);
-- session 2
UPDATE picker SET on_duty = true WHERE id = 5;
-- session 3
BEGIN;
-- session 1
UPDATE item SET reserved = reserved + 1 WHERE sku = 'SKU6' AND reserved < quantity;
-- session 5
COMMIT;
-- session 2
UPDATE item SET reserved = reserved + 1 WHERE sku = 'SKU1' AND reserved < quantity;
-- session 1
BEGIN;
-- session 3
SELECT quantity FROM item WHERE sku = 'SKU2';
UPDATE item SET quantity = 134 WHERE sku = 'SKU2';
-- session 4
BEGIN;
-- session 3
COMMIT;
-- session 4
SELECT count(*) FROM purchase WHERE sku = 'SKU3' AND state = 'open';
-- session 1
SELECT id FROM customer WHERE lower(login) = 'user10';
-- session 5
BEGIN;
-- session 2
BEGIN;
-- session 4
ROLLBACK;
-- session 1
ROLLBACK;
-- session 4
BEGIN;
-- session 2
SELECT count(*) FROM picker WHERE shift = 1 AND on_duty = true;
-- session 5
SELECT COALESCE(MAX(number), 0) + 1 FROM invoice WHERE company = 2;
-- session 2
UPDATE picker SET on_duty = false WHERE id = 2;
-- session 4
SELECT COALESCE(MAX(number), 0) + 1 FROM invoice WHERE company = 1;
-- session 5
INSERT INTO invoice (company, number, total) VALUES (2, 2, 308);
-- session 4
INSERT INTO invoice (company, number, total) VALUES (1, 2, 84);
-- session 2
COMMIT;
-- session 5
COMMIT;
-- session 3
INSERT INTO pick (sku, state) VALUES ('SKU2', 'ready');
-- session 4
COMMIT;
-- session 2
UPDATE picker SET on_duty = true WHERE id = 4;
-- session 1
BEGIN;
-- session 5
BEGIN;
-- session 3
BEGIN;
-- session 4
UPDATE purchase SET state = 'closed' WHERE id = 20 AND state = 'open';
-- session 5
SELECT count(*) FROM purchase WHERE sku = 'SKU1' AND state = 'open';
-- session 1
SELECT COALESCE(MAX(number), 0) + 1 FROM invoice WHERE company = 1;
-- session 3
SELECT id, credit FROM customer WHERE id = 2 FOR UPDATE;
-- session 5
INSERT INTO purchase (sku, state, quantity) VALUES ('SKU1', 'open', 20);
-- session 2
BEGIN;
SELECT COALESCE(MAX(number), 0) + 1 FROM invoice WHERE company = 3;
-- session 5
COMMIT;
-- session 1
INSERT INTO invoice (company, number, total) VALUES (1, 3, 152);
-- session 3
SELECT COALESCE(SUM(total), 0) FROM orders WHERE customer_id = 2;
INSERT INTO orders (customer_id, total) VALUES (2, 22);
-- session 2
INSERT INTO invoice (company, number, total) VALUES (3, 4, 98);
-- session 1
COMMIT;
-- session 3
COMMIT;
-- session 4
BEGIN;
-- session 2
COMMIT;
-- session 1
BEGIN;
SELECT count(*) FROM purchase WHERE sku = 'SKU7' AND state = 'open';
-- session 4
SELECT id, sku FROM pick WHERE state = 'ready' ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1;
-- session 5
INSERT INTO pick (sku, state) VALUES ('SKU6', 'ready');
-- session 4
UPDATE pick SET state = 'picked', picker = 2 WHERE id = 7;
-- session 1
ROLLBACK;
-- session 2
BEGIN;
SELECT count(*) FROM picker WHERE shift = 1 AND on_duty = true;
UPDATE picker SET on_duty = false WHERE id = 2;
-- session 4
UPDATE item SET quantity = quantity - 1 WHERE sku = 'SKU8';
-- session 2
COMMIT;
-- session 3
BEGIN;
SELECT quantity FROM item WHERE sku = 'SKU1';
-- session 5
BEGIN;
-- session 4
INSERT INTO daily (day, sku, picked) VALUES ('2026-11-19', 'SKU8', 1) ON CONFLICT (day, sku) DO UPDATE SET picked = daily.picked + 1;
-- session 3
UPDATE item SET quantity = 174 WHERE sku = 'SKU1';
-- session 1
UPDATE item SET reserved = reserved + 1 WHERE sku = 'SKU8' AND reserved < quantity;
-- session 5
SELECT quantity FROM item WHERE sku = 'SKU5';
-- session 4
COMMIT;
-- session 2
UPDATE purchase SET state = 'closed' WHERE id = 17 AND state = 'open';
-- session 3
COMMIT;
-- session 4
BEGIN;
-- session 5
UPDATE item SET quantity = 146 WHERE sku = 'SKU5';
-- session 1
UPDATE picker SET on_duty = true WHERE id = 3;
-- session 4
SELECT count(*) FROM purchase WHERE sku = 'SKU4' AND state = 'open';
-- session 5
COMMIT;
-- session 4
ROLLBACK;
-- session 3
BEGIN;
SELECT id FROM customer WHERE lower(login) = 'user26';
-- session 2
BEGIN;
-- session 4
BEGIN;
-- session 5
UPDATE item SET reserved = reserved + 1 WHERE sku = 'SKU7' AND reserved < quantity;
-- session 2
SELECT count(*) FROM purchase WHERE sku = 'SKU8' AND state = 'open';
ROLLBACK;
-- session 1
BEGIN;
SELECT count(*) FROM purchase WHERE sku = 'SKU1' AND state = 'open';
ROLLBACK;
-- session 3
INSERT INTO customer (login, credit) VALUES ('User26', 100);
-- session 4
SELECT count(*) FROM picker WHERE shift = 2 AND on_duty = true;
-- session 5
INSERT INTO pick (sku, state) VALUES ('SKU2', 'ready');
-- session 4
UPDATE picker SET on_duty = false WHERE id = 5;
-- session 3
COMMIT;
-- session 4
COMMIT;
-- session 2
BEGIN;
SELECT id, sku FROM pick WHERE state = 'ready' ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1;
-- session 3
BEGIN;
-- session 2
UPDATE pick SET state = 'picked', picker = 1 WHERE id = 8;
UPDATE item SET quantity = quantity - 1 WHERE sku = 'SKU1';
-- session 5
BEGIN;
-- session 3
SELECT count(*) FROM picker WHERE shift = 2 AND on_duty = true;
-- session 5
SELECT count(*) FROM purchase WHERE sku = 'SKU7' AND state = 'open';
-- session 2
INSERT INTO daily (day, sku, picked) VALUES ('2026-11-19', 'SKU1', 1) ON CONFLICT (day, sku) DO UPDATE SET picked = daily.picked + 1;
-- session 1
INSERT INTO pick (sku, state) VALUES ('SKU1', 'ready');
-- session 3
UPDATE picker SET on_duty = false WHERE id = 3;
-- session 4
BEGIN;
-- session 2
COMMIT;
-- session 5
ROLLBACK;
-- session 3
COMMIT;
-- session 4
SELECT COALESCE(MAX(number), 0) + 1 FROM invoice WHERE company = 3;
-- session 2
BEGIN;
-- session 1
UPDATE picker SET on_duty = true WHERE id = 6;
-- session 2
SELECT quantity FROM item WHERE sku = 'SKU3';
UPDATE item SET quantity = 159 WHERE sku = 'SKU3';
-- session 4
INSERT INTO invoice (company, number, total) VALUES (3, 5, 290);
-- session 5
UPDATE item SET reserved = reserved + 1 WHERE sku = 'SKU2' AND reserved < quantity;
-- session 2
COMMIT;
-- session 4
COMMIT;
-- session 3
INSERT INTO pick (sku, state) VALUES ('SKU3', 'ready');
-- session 2
BEGIN;
SELECT count(*) FROM purchase WHERE sku = 'SKU1' AND state = 'open';
-- session 5
BEGIN;
SELECT id, sku FROM pick WHERE state = 'ready' ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1;
-- session 2
ROLLBACK;
-- session 5
UPDATE pick SET state = 'picked', picker = 3 WHERE id = 9;
-- session 1
INSERT INTO pick (sku, state) VALUES ('SKU8', 'ready');
-- session 4
UPDATE purchase SET state = 'closed' WHERE id = 24 AND state = 'open';
-- session 3
BEGIN;
-- session 5
UPDATE item SET quantity = quantity - 1 WHERE sku = 'SKU2';
INSERT INTO daily (day, sku, picked) VALUES ('2026-11-19', 'SKU2', 1) ON CONFLICT (day, sku) DO UPDATE SET picked = daily.picked + 1;
-- session 2
UPDATE item SET reserved = reserved + 1 WHERE sku = 'SKU5' AND reserved < quantity;
-- session 3
SELECT id, sku FROM pick WHERE state = 'ready' ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1;
-- session 4
BEGIN;
-- session 5
COMMIT;
-- session 3
UPDATE pick SET state = 'picked', picker = 3 WHERE id = 10;
-- session 1
BEGIN;
SELECT count(*) FROM purchase WHERE sku = 'SKU3' AND state = 'open';
-- session 2
BEGIN;
-- session 4
SELECT id, sku FROM pick WHERE state = 'ready' ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1;
-- session 2
SELECT COALESCE(MAX(number), 0) + 1 FROM invoice WHERE company = 3;
-- session 3
UPDATE item SET quantity = quantity - 1 WHERE sku = 'SKU3';
-- session 4
UPDATE pick SET state = 'picked', picker = 6 WHERE id = 11;
UPDATE item SET quantity = quantity - 1 WHERE sku = 'SKU4';
-- session 1
ROLLBACK;
-- session 2
INSERT INTO invoice (company, number, total) VALUES (3, 6, 134);
-- session 3
INSERT INTO daily (day, sku, picked) VALUES ('2026-11-19', 'SKU3', 1) ON CONFLICT (day, sku) DO UPDATE SET picked = daily.picked + 1;
-- session 5
UPDATE purchase SET state = 'closed' WHERE id = 25 AND state = 'open';
-- session 3
COMMIT;
-- session 2
COMMIT;
-- session 4
INSERT INTO daily (day, sku, picked) VALUES ('2026-11-19', 'SKU4', 1) ON CONFLICT (day, sku) DO UPDATE SET picked = daily.picked + 1;
COMMIT;
-- session 5
UPDATE item SET reserved = reserved + 1 WHERE sku = 'SKU3' AND reserved < quantity;
-- session 4
BEGIN;
-- session 2
BEGIN;
-- session 4
SELECT count(*) FROM picker WHERE shift = 2 AND on_duty = true;
-- session 3
BEGIN;
-- session 2
SELECT id, credit FROM customer WHERE id = 5 FOR UPDATE;
-- session 4
ROLLBACK;
-- session 3
SELECT id, sku FROM pick WHERE state = 'ready' ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1;
-- session 2
SELECT COALESCE(SUM(total), 0) FROM orders WHERE customer_id = 5;
-- session 3
UPDATE pick SET state = 'picked', picker = 5 WHERE id = 12;
-- session 1
UPDATE purchase SET state = 'closed' WHERE id = 24 AND state = 'open';
-- session 3
UPDATE item SET quantity = quantity - 1 WHERE sku = 'SKU5';
-- session 2
INSERT INTO orders (customer_id, total) VALUES (5, 35);
COMMIT;
-- session 3
INSERT INTO daily (day, sku, picked) VALUES ('2026-11-19', 'SKU5', 1) ON CONFLICT (day, sku) DO UPDATE SET picked = daily.picked + 1;
-- session 2
UPDATE purchase SET state = 'closed' WHERE id = 15 AND state = 'open';
-- session 5
UPDATE picker SET on_duty = true WHERE id = 2;
-- session 3
COMMIT;
-- session 4
BEGIN;
SELECT id, sku FROM pick WHERE state = 'ready' ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1;
-- session 3
UPDATE purchase SET state = 'closed' WHERE id = 20 AND state = 'open';
-- session 1
UPDATE picker SET on_duty = true WHERE id = 4;
-- session 2
UPDATE purchase SET state = 'closed' WHERE id = 21 AND state = 'open';
-- session 4
UPDATE pick SET state = 'picked', picker = 5 WHERE id = 13;
UPDATE item SET quantity = quantity - 1 WHERE sku = 'SKU6';
-- session 3
BEGIN;
-- session 5
BEGIN;
-- session 4
INSERT INTO daily (day, sku, picked) VALUES ('2026-11-19', 'SKU6', 1) ON CONFLICT (day, sku) DO UPDATE SET picked = daily.picked + 1;
-- session 5
SELECT quantity FROM item WHERE sku = 'SKU5';
-- session 3
SELECT COALESCE(MAX(number), 0) + 1 FROM invoice WHERE company = 1;
INSERT INTO invoice (company, number, total) VALUES (1, 4, 306);
-- session 4
COMMIT;
-- session 3
COMMIT;
-- session 5
UPDATE item SET quantity = 157 WHERE sku = 'SKU5';
-- session 2
BEGIN;
SELECT quantity FROM item WHERE sku = 'SKU2';
UPDATE item SET quantity = 148 WHERE sku = 'SKU2';
-- session 5
COMMIT;
-- session 3
BEGIN;
-- session 1
BEGIN;
-- session 3
SELECT id, credit FROM customer WHERE id = 7 FOR UPDATE;
-- session 2
COMMIT;
-- session 3
SELECT COALESCE(SUM(total), 0) FROM orders WHERE customer_id = 7;
-- session 1
SELECT count(*) FROM purchase WHERE sku = 'SKU2' AND state = 'open';
-- session 4
BEGIN;
-- session 5
BEGIN;
-- session 3
INSERT INTO orders (customer_id, total) VALUES (7, 13);
-- session 1
ROLLBACK;
-- session 4
SELECT quantity FROM item WHERE sku = 'SKU1';
-- session 5
SELECT id, credit FROM customer WHERE id = 9 FOR UPDATE;
-- session 2
BEGIN;
-- session 3
COMMIT;
-- session 4
UPDATE item SET quantity = 190 WHERE sku = 'SKU1';
-- session 2
SELECT COALESCE(MAX(number), 0) + 1 FROM invoice WHERE company = 3;
-- session 5
SELECT COALESCE(SUM(total), 0) FROM orders WHERE customer_id = 9;
INSERT INTO orders (customer_id, total) VALUES (9, 78);
-- session 2
INSERT INTO invoice (company, number, total) VALUES (3, 7, 358);
COMMIT;
-- session 5
COMMIT;
-- session 1
BEGIN;
-- session 4
COMMIT;
-- session 3
UPDATE item SET reserved = reserved + 1 WHERE sku = 'SKU2' AND reserved < quantity;
-- session 1
SELECT quantity FROM item WHERE sku = 'SKU6';
-- session 2
BEGIN;
-- session 1
UPDATE item SET quantity = 127 WHERE sku = 'SKU6';
-- session 3
BEGIN;
-- session 4
BEGIN;
-- session 1
COMMIT;
-- session 2
SELECT id, sku FROM pick WHERE state = 'ready' ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1;
-- session 5
BEGIN;
-- session 3
SELECT id, credit FROM customer WHERE id = 1 FOR UPDATE;
-- session 4
SELECT count(*) FROM picker WHERE shift = 2 AND on_duty = true;
-- session 1
UPDATE picker SET on_duty = true WHERE id = 5;
-- session 2
UPDATE pick SET state = 'picked', picker = 3 WHERE id = 14;
-- session 5
SELECT id, sku FROM pick WHERE state = 'ready' ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1;
-- session 3
SELECT COALESCE(SUM(total), 0) FROM orders WHERE customer_id = 1;
-- session 4
UPDATE picker SET on_duty = false WHERE id = 1;
-- session 2
UPDATE item SET quantity = quantity - 1 WHERE sku = 'SKU7';
-- session 5
UPDATE pick SET state = 'picked', picker = 5 WHERE id = 15;
-- session 3
INSERT INTO orders (customer_id, total) VALUES (1, 51);
-- session 2
INSERT INTO daily (day, sku, picked) VALUES ('2026-11-19', 'SKU7', 1) ON CONFLICT (day, sku) DO UPDATE SET picked = daily.picked + 1;
-- session 4
COMMIT;
-- session 3
COMMIT;
-- session 5
UPDATE item SET quantity = quantity - 1 WHERE sku = 'SKU8';
-- session 1
UPDATE item SET reserved = reserved + 1 WHERE sku = 'SKU8' AND reserved < quantity;
-- session 5
INSERT INTO daily (day, sku, picked) VALUES ('2026-11-19', 'SKU8', 1) ON CONFLICT (day, sku) DO UPDATE SET picked = daily.picked + 1;
-- session 2
COMMIT;
-- session 4
BEGIN;
SELECT id FROM customer WHERE lower(login) = 'user16';
-- session 3
BEGIN;
-- session 5
COMMIT;
-- session 4
INSERT INTO customer (login, credit) VALUES ('User16', 100);
-- session 1
BEGIN;
-- session 3
SELECT id, credit FROM customer WHERE id = 4 FOR UPDATE;
-- session 4
COMMIT;
-- session 1
SELECT quantity FROM item WHERE sku = 'SKU6';
-- session 2
UPDATE purchase SET state = 'closed' WHERE id = 6 AND state = 'open';
-- session 3
SELECT COALESCE(SUM(total), 0) FROM orders WHERE customer_id = 4;
-- session 5
BEGIN;
-- session 1
UPDATE item SET quantity = 137 WHERE sku = 'SKU6';
-- session 3
INSERT INTO orders (customer_id, total) VALUES (4, 78);
-- session 5
SELECT count(*) FROM purchase WHERE sku = 'SKU4' AND state = 'open';
-- session 1
COMMIT;
-- session 3
COMMIT;
-- session 4
BEGIN;
-- session 5
ROLLBACK;
-- session 3
BEGIN;
-- session 4
SELECT id FROM customer WHERE lower(login) = 'user20';
-- session 2
UPDATE purchase SET state = 'closed' WHERE id = 23 AND state = 'open';
-- session 1
BEGIN;
-- session 3
SELECT count(*) FROM picker WHERE shift = 2 AND on_duty = true;
-- session 1
SELECT count(*) FROM purchase WHERE sku = 'SKU5' AND state = 'open';
-- session 3
ROLLBACK;
-- session 4
INSERT INTO customer (login, credit) VALUES ('User20', 100);
-- session 5
BEGIN;
-- session 2
INSERT INTO pick (sku, state) VALUES ('SKU2', 'ready');
-- session 4
COMMIT;
-- session 1
INSERT INTO purchase (sku, state, quantity) VALUES ('SKU5', 'open', 50);
-- session 5
SELECT id, sku FROM pick WHERE state = 'ready' ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1;
-- session 4
BEGIN;
-- session 3
BEGIN;
-- session 5
UPDATE pick SET state = 'picked', picker = 6 WHERE id = 16;
-- session 1
COMMIT;
-- session 5
UPDATE item SET quantity = quantity - 1 WHERE sku = 'SKU1';
-- session 4
SELECT count(*) FROM purchase WHERE sku = 'SKU2' AND state = 'open';
-- session 3
SELECT count(*) FROM purchase WHERE sku = 'SKU3' AND state = 'open';
-- session 5
INSERT INTO daily (day, sku, picked) VALUES ('2026-11-19', 'SKU1', 1) ON CONFLICT (day, sku) DO UPDATE SET picked = daily.picked + 1;
COMMIT;
-- session 2
BEGIN;
-- session 4
ROLLBACK;
-- session 3
ROLLBACK;
-- session 2
SELECT count(*) FROM purchase WHERE sku = 'SKU5' AND state = 'open';
-- session 1
INSERT INTO pick (sku, state) VALUES ('SKU6', 'ready');
-- session 2
ROLLBACK;
-- session 3
UPDATE picker SET on_duty = true WHERE id = 5;
BEGIN;
-- session 1
BEGIN;
-- session 3
SELECT id FROM customer WHERE lower(login) = 'user32';
-- session 1
SELECT quantity FROM item WHERE sku = 'SKU3';
-- session 3
INSERT INTO customer (login, credit) VALUES ('User32', 100);
-- session 5
UPDATE item SET reserved = reserved + 1 WHERE sku = 'SKU4' AND reserved < quantity;
-- session 3
COMMIT;
-- session 4
BEGIN;
SELECT id, sku FROM pick WHERE state = 'ready' ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1;
-- session 2
BEGIN;
-- session 4
UPDATE pick SET state = 'picked', picker = 4 WHERE id = 17;
-- session 1
UPDATE item SET quantity = 163 WHERE sku = 'SKU3';
-- session 2
SELECT count(*) FROM purchase WHERE sku = 'SKU3' AND state = 'open';
-- session 3
UPDATE item SET reserved = reserved + 1 WHERE sku = 'SKU2' AND reserved < quantity;
-- session 2
ROLLBACK;
-- session 1
COMMIT;
-- session 4
UPDATE item SET quantity = quantity - 1 WHERE sku = 'SKU2';
INSERT INTO daily (day, sku, picked) VALUES ('2026-11-19', 'SKU2', 1) ON CONFLICT (day, sku) DO UPDATE SET picked = daily.picked + 1;
-- session 5
UPDATE item SET reserved = reserved + 1 WHERE sku = 'SKU6' AND reserved < quantity;
-- session 1
BEGIN;
-- session 4
COMMIT;
-- session 1
SELECT COALESCE(MAX(number), 0) + 1 FROM invoice WHERE company = 3;
INSERT INTO invoice (company, number, total) VALUES (3, 8, 244);
-- session 5
UPDATE purchase SET state = 'closed' WHERE id = 11 AND state = 'open';
-- session 3
BEGIN;
-- session 1
COMMIT;
-- session 2
BEGIN;
-- session 3
SELECT id FROM customer WHERE lower(login) = 'user25';
-- session 2
SELECT id, sku FROM pick WHERE state = 'ready' ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1;
-- session 4
UPDATE purchase SET state = 'closed' WHERE id = 6 AND state = 'open';
-- session 2
UPDATE pick SET state = 'picked', picker = 6 WHERE id = 18;
UPDATE item SET quantity = quantity - 1 WHERE sku = 'SKU3';
-- session 3
INSERT INTO customer (login, credit) VALUES ('User25', 100);
-- session 5
UPDATE item SET reserved = reserved + 1 WHERE sku = 'SKU2' AND reserved < quantity;
-- session 2
INSERT INTO daily (day, sku, picked) VALUES ('2026-11-19', 'SKU3', 1) ON CONFLICT (day, sku) DO UPDATE SET picked = daily.picked + 1;
-- session 1
BEGIN;
-- session 3
COMMIT;
-- session 4
UPDATE picker SET on_duty = true WHERE id = 2;
-- session 2
COMMIT;
-- session 5
BEGIN;
-- session 1
SELECT id, sku FROM pick WHERE state = 'ready' ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1;
-- session 4
BEGIN;
-- session 2
BEGIN;
-- session 4
SELECT count(*) FROM purchase WHERE sku = 'SKU4' AND state = 'open';
-- session 5
SELECT quantity FROM item WHERE sku = 'SKU2';
-- session 3
BEGIN;
-- session 1
UPDATE pick SET state = 'picked', picker = 3 WHERE id = 19;
-- session 2
SELECT count(*) FROM purchase WHERE sku = 'SKU3' AND state = 'open';
-- session 4
ROLLBACK;
-- session 1
UPDATE item SET quantity = quantity - 1 WHERE sku = 'SKU4';
-- session 5
UPDATE item SET quantity = 169 WHERE sku = 'SKU2';
-- session 2
ROLLBACK;
-- session 3
SELECT count(*) FROM purchase WHERE sku = 'SKU7' AND state = 'open';
-- session 5
COMMIT;
BEGIN;
-- session 1
INSERT INTO daily (day, sku, picked) VALUES ('2026-11-19', 'SKU4', 1) ON CONFLICT (day, sku) DO UPDATE SET picked = daily.picked + 1;
-- session 3
ROLLBACK;
-- session 1
COMMIT;
-- session 5
SELECT id, credit FROM customer WHERE id = 4 FOR UPDATE;
SELECT COALESCE(SUM(total), 0) FROM orders WHERE customer_id = 4;
INSERT INTO orders (customer_id, total) VALUES (4, 14);
-- session 2
BEGIN;
SELECT id FROM customer WHERE lower(login) = 'user26';
-- session 1
BEGIN;
SELECT quantity FROM item WHERE sku = 'SKU8';
-- session 3
BEGIN;
-- session 5
COMMIT;
-- session 3
SELECT quantity FROM item WHERE sku = 'SKU5';
-- session 2
ROLLBACK;
-- session 4
UPDATE purchase SET state = 'closed' WHERE id = 19 AND state = 'open';
-- session 1
UPDATE item SET quantity = 145 WHERE sku = 'SKU8';
-- session 3
UPDATE item SET quantity = 200 WHERE sku = 'SKU5';
COMMIT;
-- session 1
COMMIT;
-- session 2
INSERT INTO pick (sku, state) VALUES ('SKU6', 'ready');
-- session 5
BEGIN;
-- session 4
INSERT INTO pick (sku, state) VALUES ('SKU4', 'ready');
-- session 2
BEGIN;
-- session 3
UPDATE picker SET on_duty = true WHERE id = 3;
-- session 1
BEGIN;
-- session 2
SELECT count(*) FROM picker WHERE shift = 1 AND on_duty = true;
-- session 5
SELECT id, sku FROM pick WHERE state = 'ready' ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1;
UPDATE pick SET state = 'picked', picker = 5 WHERE id = 20;
-- session 1
SELECT id FROM customer WHERE lower(login) = 'user35';
-- session 5
UPDATE item SET quantity = quantity - 1 WHERE sku = 'SKU5';
-- session 2
UPDATE picker SET on_duty = false WHERE id = 4;
COMMIT;
-- session 5
INSERT INTO daily (day, sku, picked) VALUES ('2026-11-19', 'SKU5', 1) ON CONFLICT (day, sku) DO UPDATE SET picked = daily.picked + 1;
-- session 1
INSERT INTO customer (login, credit) VALUES ('User35', 100);
-- session 3
BEGIN;
-- session 5
COMMIT;
-- session 4
BEGIN;
-- session 5
INSERT INTO pick (sku, state) VALUES ('SKU6', 'ready');
-- session 2
BEGIN;
-- session 4
SELECT COALESCE(MAX(number), 0) + 1 FROM invoice WHERE company = 3;
-- session 3
SELECT quantity FROM item WHERE sku = 'SKU1';
-- session 1
COMMIT;
-- session 2
SELECT count(*) FROM purchase WHERE sku = 'SKU1' AND state = 'open';
-- session 3
UPDATE item SET quantity = 219 WHERE sku = 'SKU1';
-- session 4
INSERT INTO invoice (company, number, total) VALUES (3, 9, 371);
COMMIT;
-- session 2
ROLLBACK;
-- session 3
COMMIT;
-- session 4
UPDATE picker SET on_duty = true WHERE id = 2;
-- session 1
BEGIN;
SELECT id, sku FROM pick WHERE state = 'ready' ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1;
-- session 5
BEGIN;
-- session 2
BEGIN;
-- session 5
SELECT id, credit FROM customer WHERE id = 8 FOR UPDATE;
-- session 4
BEGIN;
-- session 2
SELECT quantity FROM item WHERE sku = 'SKU3';
-- session 3
BEGIN;
-- session 1
UPDATE pick SET state = 'picked', picker = 2 WHERE id = 21;
-- session 5
SELECT COALESCE(SUM(total), 0) FROM orders WHERE customer_id = 8;
-- session 4
SELECT count(*) FROM picker WHERE shift = 2 AND on_duty = true;
-- session 2
UPDATE item SET quantity = 197 WHERE sku = 'SKU3';
-- session 1
UPDATE item SET quantity = quantity - 1 WHERE sku = 'SKU6';
-- session 2
COMMIT;
-- session 4
UPDATE picker SET on_duty = false WHERE id = 1;
-- session 3
SELECT count(*) FROM picker WHERE shift = 2 AND on_duty = true;
-- session 5
INSERT INTO orders (customer_id, total) VALUES (8, 66);
-- session 1
INSERT INTO daily (day, sku, picked) VALUES ('2026-11-19', 'SKU6', 1) ON CONFLICT (day, sku) DO UPDATE SET picked = daily.picked + 1;
-- session 4
COMMIT;
-- session 1
COMMIT;
-- session 3
UPDATE picker SET on_duty = false WHERE id = 3;
-- session 5
COMMIT;
-- session 4
BEGIN;
-- session 3
COMMIT;
-- session 1
BEGIN;
-- session 4
SELECT quantity FROM item WHERE sku = 'SKU2';
-- session 2
UPDATE purchase SET state = 'closed' WHERE id = 3 AND state = 'open';
-- session 4
UPDATE item SET quantity = 199 WHERE sku = 'SKU2';
-- session 5
BEGIN;
-- session 1
SELECT id, credit FROM customer WHERE id = 6 FOR UPDATE;
-- session 4
COMMIT;
-- session 2
UPDATE picker SET on_duty = true WHERE id = 2;
-- session 1
SELECT COALESCE(SUM(total), 0) FROM orders WHERE customer_id = 6;
-- session 5
SELECT count(*) FROM picker WHERE shift = 1 AND on_duty = true;
-- session 4
INSERT INTO pick (sku, state) VALUES ('SKU1', 'ready');
-- session 5
UPDATE picker SET on_duty = false WHERE id = 2;
-- session 3
BEGIN;
-- session 1
INSERT INTO orders (customer_id, total) VALUES (6, 61);
-- session 5
COMMIT;
-- session 3
SELECT COALESCE(MAX(number), 0) + 1 FROM invoice WHERE company = 1;
-- session 4
BEGIN;
-- session 1
COMMIT;
-- session 4
SELECT COALESCE(MAX(number), 0) + 1 FROM invoice WHERE company = 1;
INSERT INTO invoice (company, number, total) VALUES (1, 5, 204);
-- session 3
INSERT INTO invoice (company, number, total) VALUES (1, 5, 79);
-- session 2
BEGIN;
SELECT id, sku FROM pick WHERE state = 'ready' ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1;
-- session 5
BEGIN;
-- session 4
COMMIT;
-- session 3
ROLLBACK;
-- session 1
BEGIN;
-- session 2
UPDATE pick SET state = 'picked', picker = 3 WHERE id = 22;
-- session 5
SELECT id, sku FROM pick WHERE state = 'ready' ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1;
-- session 2
UPDATE item SET quantity = quantity - 1 WHERE sku = 'SKU7';
-- session 5
UPDATE pick SET state = 'picked', picker = 6 WHERE id = 23;
-- session 1
SELECT id, sku FROM pick WHERE state = 'ready' ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1;
-- session 3
BEGIN;
-- session 2
INSERT INTO daily (day, sku, picked) VALUES ('2026-11-19', 'SKU7', 1) ON CONFLICT (day, sku) DO UPDATE SET picked = daily.picked + 1;
-- session 5
UPDATE item SET quantity = quantity - 1 WHERE sku = 'SKU8';
-- session 1
UPDATE pick SET state = 'picked', picker = 6 WHERE id = 24;
-- session 4
BEGIN;
-- session 2
COMMIT;
-- session 1
UPDATE item SET quantity = quantity - 1 WHERE sku = 'SKU1';
-- session 3
SELECT count(*) FROM picker WHERE shift = 1 AND on_duty = true;
-- session 5
INSERT INTO daily (day, sku, picked) VALUES ('2026-11-19', 'SKU8', 1) ON CONFLICT (day, sku) DO UPDATE SET picked = daily.picked + 1;
-- session 4
SELECT id FROM customer WHERE lower(login) = 'user29';
-- session 3
ROLLBACK;
-- session 5
COMMIT;
-- session 4
INSERT INTO customer (login, credit) VALUES ('User29', 100);
-- session 1
INSERT INTO daily (day, sku, picked) VALUES ('2026-11-19', 'SKU1', 1) ON CONFLICT (day, sku) DO UPDATE SET picked = daily.picked + 1;
-- session 4
COMMIT;
-- session 2
UPDATE picker SET on_duty = true WHERE id = 5;
-- session 1
COMMIT;
-- session 3
BEGIN;
-- session 4
UPDATE picker SET on_duty = true WHERE id = 2;
-- session 5
BEGIN;
-- session 3
SELECT id, credit FROM customer WHERE id = 10 FOR UPDATE;
-- session 5
SELECT quantity FROM item WHERE sku = 'SKU8';
-- session 2
BEGIN;
SELECT count(*) FROM picker WHERE shift = 2 AND on_duty = true;
-- session 4
BEGIN;
-- session 3
SELECT COALESCE(SUM(total), 0) FROM orders WHERE customer_id = 10;
-- session 5
UPDATE item SET quantity = 160 WHERE sku = 'SKU8';
-- session 1
INSERT INTO pick (sku, state) VALUES ('SKU4', 'ready');
-- session 5
COMMIT;
-- session 2
ROLLBACK;
-- session 3
INSERT INTO orders (customer_id, total) VALUES (10, 11);
-- session 4
SELECT id, sku FROM pick WHERE state = 'ready' ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1;
-- session 1
INSERT INTO pick (sku, state) VALUES ('SKU3', 'ready');
-- session 3
COMMIT;
BEGIN;
-- session 4
UPDATE pick SET state = 'picked', picker = 5 WHERE id = 25;
-- session 5
UPDATE purchase SET state = 'closed' WHERE id = 3 AND state = 'open';
-- session 2
BEGIN;
-- session 3
SELECT id, sku FROM pick WHERE state = 'ready' ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1;
-- session 4
UPDATE item SET quantity = quantity - 1 WHERE sku = 'SKU2';
INSERT INTO daily (day, sku, picked) VALUES ('2026-11-19', 'SKU2', 1) ON CONFLICT (day, sku) DO UPDATE SET picked = daily.picked + 1;
-- session 2
SELECT count(*) FROM purchase WHERE sku = 'SKU5' AND state = 'open';
-- session 1
UPDATE item SET reserved = reserved + 1 WHERE sku = 'SKU1' AND reserved < quantity;
-- session 4
COMMIT;
-- session 3
UPDATE pick SET state = 'picked', picker = 3 WHERE id = 26;
-- session 2
ROLLBACK;
-- session 5
UPDATE item SET reserved = reserved + 1 WHERE sku = 'SKU4' AND reserved < quantity;
-- session 3
UPDATE item SET quantity = quantity - 1 WHERE sku = 'SKU3';
-- session 2
INSERT INTO pick (sku, state) VALUES ('SKU2', 'ready');
-- session 3
INSERT INTO daily (day, sku, picked) VALUES ('2026-11-19', 'SKU3', 1) ON CONFLICT (day, sku) DO UPDATE SET picked = daily.picked + 1;
-- session 2
BEGIN;
SELECT id, credit FROM customer WHERE id = 4 FOR UPDATE;
-- session 4
BEGIN;
-- session 5
BEGIN;
-- session 3
COMMIT;
-- session 1
BEGIN;
-- session 2
SELECT COALESCE(SUM(total), 0) FROM orders WHERE customer_id = 4;
-- session 5
SELECT id FROM customer WHERE lower(login) = 'user3';
-- session 2
INSERT INTO orders (customer_id, total) VALUES (4, 29);
COMMIT;
-- session 4
SELECT count(*) FROM picker WHERE shift = 2 AND on_duty = true;
ROLLBACK;
-- session 5
ROLLBACK;
-- session 1
SELECT id, credit FROM customer WHERE id = 4 FOR UPDATE;
-- session 3
BEGIN;
-- session 4
BEGIN;
-- session 3
SELECT id FROM customer WHERE lower(login) = 'user30';
-- session 1
SELECT COALESCE(SUM(total), 0) FROM orders WHERE customer_id = 4;
-- session 4
SELECT quantity FROM item WHERE sku = 'SKU7';
-- session 1
INSERT INTO orders (customer_id, total) VALUES (4, 56);
-- session 3
INSERT INTO customer (login, credit) VALUES ('User30', 100);
-- session 5
INSERT INTO pick (sku, state) VALUES ('SKU8', 'ready');
-- session 4
UPDATE item SET quantity = 158 WHERE sku = 'SKU7';
-- session 1
COMMIT;
-- session 3
COMMIT;
-- session 2
BEGIN;
-- session 4
COMMIT;
-- session 2
SELECT count(*) FROM purchase WHERE sku = 'SKU7' AND state = 'open';
ROLLBACK;
-- session 4
UPDATE picker SET on_duty = true WHERE id = 4;
-- session 1
BEGIN;
-- session 3
BEGIN;
-- session 4
BEGIN;
-- session 2
BEGIN;
-- session 4
SELECT count(*) FROM purchase WHERE sku = 'SKU3' AND state = 'open';
-- session 1
SELECT id, credit FROM customer WHERE id = 9 FOR UPDATE;
-- session 3
SELECT COALESCE(MAX(number), 0) + 1 FROM invoice WHERE company = 1;
-- session 2
SELECT COALESCE(MAX(number), 0) + 1 FROM invoice WHERE company = 1;
-- session 4
ROLLBACK;
-- session 5
BEGIN;
-- session 1
SELECT COALESCE(SUM(total), 0) FROM orders WHERE customer_id = 9;
-- session 5
SELECT count(*) FROM picker WHERE shift = 2 AND on_duty = true;
-- session 3
INSERT INTO invoice (company, number, total) VALUES (1, 6, 143);
-- session 2
INSERT INTO invoice (company, number, total) VALUES (1, 6, 183);
-- session 1
INSERT INTO orders (customer_id, total) VALUES (9, 36);
-- session 3
COMMIT;
-- session 2
ROLLBACK;
-- session 4
INSERT INTO pick (sku, state) VALUES ('SKU5', 'ready');
-- session 5
ROLLBACK;
-- session 1
COMMIT;
-- session 5
BEGIN;
-- session 1
UPDATE picker SET on_duty = true WHERE id = 5;
-- session 5
SELECT COALESCE(MAX(number), 0) + 1 FROM invoice WHERE company = 1;
-- session 3
BEGIN;
-- session 2
BEGIN;
-- session 5
INSERT INTO invoice (company, number, total) VALUES (1, 7, 386);
-- session 3
SELECT id, credit FROM customer WHERE id = 10 FOR UPDATE;
SELECT COALESCE(SUM(total), 0) FROM orders WHERE customer_id = 10;
-- session 4
BEGIN;
-- session 5
COMMIT;
-- session 1
BEGIN;
-- session 2
SELECT quantity FROM item WHERE sku = 'SKU6';
-- session 3
INSERT INTO orders (customer_id, total) VALUES (10, 80);
-- session 4
SELECT id, sku FROM pick WHERE state = 'ready' ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1;
-- session 3
COMMIT;
-- session 1
SELECT id, credit FROM customer WHERE id = 5 FOR UPDATE;
SELECT COALESCE(SUM(total), 0) FROM orders WHERE customer_id = 5;
-- session 2
UPDATE item SET quantity = 157 WHERE sku = 'SKU6';
-- session 1
INSERT INTO orders (customer_id, total) VALUES (5, 42);
-- session 4
UPDATE pick SET state = 'picked', picker = 6 WHERE id = 27;
-- session 2
COMMIT;
-- session 1
COMMIT;
-- session 4
UPDATE item SET quantity = quantity - 1 WHERE sku = 'SKU4';
-- session 5
UPDATE item SET reserved = reserved + 1 WHERE sku = 'SKU8' AND reserved < quantity;
-- session 4
INSERT INTO daily (day, sku, picked) VALUES ('2026-11-19', 'SKU4', 1) ON CONFLICT (day, sku) DO UPDATE SET picked = daily.picked + 1;
COMMIT;
-- session 3
BEGIN;
-- session 1
BEGIN;
-- session 3
SELECT id FROM customer WHERE lower(login) = 'user4';
-- session 4
INSERT INTO pick (sku, state) VALUES ('SKU8', 'ready');
-- session 1
SELECT COALESCE(MAX(number), 0) + 1 FROM invoice WHERE company = 1;
-- session 3
ROLLBACK;
-- session 1
INSERT INTO invoice (company, number, total) VALUES (1, 8, 242);
-- session 2
UPDATE purchase SET state = 'closed' WHERE id = 7 AND state = 'open';
-- session 5
UPDATE picker SET on_duty = true WHERE id = 5;
-- session 3
BEGIN;
-- session 4
UPDATE purchase SET state = 'closed' WHERE id = 18 AND state = 'open';
-- session 1
COMMIT;
-- session 4
UPDATE item SET reserved = reserved + 1 WHERE sku = 'SKU4' AND reserved < quantity;
-- session 3
SELECT count(*) FROM purchase WHERE sku = 'SKU6' AND state = 'open';
-- session 5
BEGIN;
SELECT count(*) FROM purchase WHERE sku = 'SKU1' AND state = 'open';
INSERT INTO purchase (sku, state, quantity) VALUES ('SKU1', 'open', 20);
COMMIT;
-- session 3
ROLLBACK;
-- session 4
INSERT INTO pick (sku, state) VALUES ('SKU5', 'ready');
-- session 1
BEGIN;
SELECT id, sku FROM pick WHERE state = 'ready' ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1;
UPDATE pick SET state = 'picked', picker = 2 WHERE id = 28;
-- session 4
UPDATE item SET reserved = reserved + 1 WHERE sku = 'SKU6' AND reserved < quantity;
-- session 5
UPDATE picker SET on_duty = true WHERE id = 5;
-- session 1
UPDATE item SET quantity = quantity - 1 WHERE sku = 'SKU5';
-- session 3
BEGIN;
SELECT id, sku FROM pick WHERE state = 'ready' ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1;
-- session 1
INSERT INTO daily (day, sku, picked) VALUES ('2026-11-19', 'SKU5', 1) ON CONFLICT (day, sku) DO UPDATE SET picked = daily.picked + 1;
COMMIT;
-- session 4
BEGIN;
-- session 3
UPDATE pick SET state = 'picked', picker = 5 WHERE id = 29;
-- session 5
BEGIN;
-- session 3
UPDATE item SET quantity = quantity - 1 WHERE sku = 'SKU6';
-- session 4
SELECT COALESCE(MAX(number), 0) + 1 FROM invoice WHERE company = 3;
-- session 1
UPDATE item SET reserved = reserved + 1 WHERE sku = 'SKU8' AND reserved < quantity;
-- session 5
SELECT id, credit FROM customer WHERE id = 1 FOR UPDATE;
-- session 3
INSERT INTO daily (day, sku, picked) VALUES ('2026-11-19', 'SKU6', 1) ON CONFLICT (day, sku) DO UPDATE SET picked = daily.picked + 1;
-- session 5
SELECT COALESCE(SUM(total), 0) FROM orders WHERE customer_id = 1;
-- session 4
INSERT INTO invoice (company, number, total) VALUES (3, 10, 266);
-- session 5
INSERT INTO orders (customer_id, total) VALUES (1, 71);
-- session 3
COMMIT;
-- session 1
BEGIN;
-- session 5
COMMIT;
-- session 4
COMMIT;
-- session 1
SELECT id, sku FROM pick WHERE state = 'ready' ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1;
-- session 3
UPDATE purchase SET state = 'closed' WHERE id = 9 AND state = 'open';
-- session 1
UPDATE pick SET state = 'picked', picker = 3 WHERE id = 30;
-- session 5
UPDATE picker SET on_duty = true WHERE id = 3;
-- session 4
UPDATE purchase SET state = 'closed' WHERE id = 20 AND state = 'open';
-- session 1
UPDATE item SET quantity = quantity - 1 WHERE sku = 'SKU7';
-- session 3
INSERT INTO pick (sku, state) VALUES ('SKU5', 'ready');
-- session 5
BEGIN;
SELECT count(*) FROM picker WHERE shift = 2 AND on_duty = true;
UPDATE picker SET on_duty = false WHERE id = 3;
-- session 1
INSERT INTO daily (day, sku, picked) VALUES ('2026-11-19', 'SKU7', 1) ON CONFLICT (day, sku) DO UPDATE SET picked = daily.picked + 1;
-- session 5
COMMIT;
-- session 3
BEGIN;
-- session 1
COMMIT;
-- session 3
SELECT id FROM customer WHERE lower(login) = 'user31';
INSERT INTO customer (login, credit) VALUES ('User31', 100);
COMMIT;
-- session 1
UPDATE purchase SET state = 'closed' WHERE id = 2 AND state = 'open';
-- session 3
BEGIN;
SELECT COALESCE(MAX(number), 0) + 1 FROM invoice WHERE company = 3;
-- session 1
BEGIN;
-- session 3
INSERT INTO invoice (company, number, total) VALUES (3, 11, 344);
-- session 1
SELECT count(*) FROM picker WHERE shift = 2 AND on_duty = true;
ROLLBACK;
-- session 3
COMMIT;
-- session 1
BEGIN;
-- session 3
BEGIN;
-- session 1
SELECT id, sku FROM pick WHERE state = 'ready' ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1;
-- session 3
SELECT count(*) FROM picker WHERE shift = 1 AND on_duty = true;
-- session 1
UPDATE pick SET state = 'picked', picker = 1 WHERE id = 31;
UPDATE item SET quantity = quantity - 1 WHERE sku = 'SKU8';
-- session 3
UPDATE picker SET on_duty = false WHERE id = 6;
-- session 1
INSERT INTO daily (day, sku, picked) VALUES ('2026-11-19', 'SKU8', 1) ON CONFLICT (day, sku) DO UPDATE SET picked = daily.picked + 1;
-- session 3
COMMIT;
-- session 1
COMMIT;
-- session 3
UPDATE purchase SET state = 'closed' WHERE id = 11 AND state = 'open';
-- session 1
BEGIN;
SELECT count(*) FROM picker WHERE shift = 1 AND on_duty = true;
-- session 3
BEGIN;
SELECT quantity FROM item WHERE sku = 'SKU5';
-- session 1
UPDATE picker SET on_duty = false WHERE id = 6;
-- session 3
UPDATE item SET quantity = 208 WHERE sku = 'SKU5';
-- session 1
COMMIT;
-- session 3
COMMIT;
-- session 1
BEGIN;
SELECT id FROM customer WHERE lower(login) = 'user10';
ROLLBACK;
BEGIN;
-- session 3
BEGIN;
-- session 1
SELECT id, credit FROM customer WHERE id = 1 FOR UPDATE;
-- session 3
SELECT count(*) FROM picker WHERE shift = 1 AND on_duty = true;
UPDATE picker SET on_duty = false WHERE id = 4;
-- session 1
SELECT COALESCE(SUM(total), 0) FROM orders WHERE customer_id = 1;
-- session 3
COMMIT;
-- session 1
INSERT INTO orders (customer_id, total) VALUES (1, 14);
COMMIT;
-- session 3
BEGIN;
SELECT id, sku FROM pick WHERE state = 'ready' ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1;
UPDATE pick SET state = 'picked', picker = 6 WHERE id = 32;
UPDATE item SET quantity = quantity - 1 WHERE sku = 'SKU1';
INSERT INTO daily (day, sku, picked) VALUES ('2026-11-19', 'SKU1', 1) ON CONFLICT (day, sku) DO UPDATE SET picked = daily.picked + 1;
COMMIT;
