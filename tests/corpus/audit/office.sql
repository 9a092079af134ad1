-- about: an office with nine kinds of transactions, as an ORM sends them: a number taken twice (counter), nobody on call (oncall) and a room booked twice (booking) are its faults, and a report that sees half of a purchase; safe are the purchase and the restocking by version, the transfer at SERIALIZABLE, the sign-up by its unique key; the voucher is used in two transactions
-- schema: office.ddl
-- at read-committed: lost update, read skew, phantom
-- at snapshot-isolation: phantom
-- session 1
BEGIN;
SELECT item.id AS item_id, item.name AS item_name, item.stock AS item_stock, item.version AS item_version FROM item WHERE item.id = 2;
UPDATE item SET stock=48, version=2 WHERE item.id = 2 AND item.version = 1;
INSERT INTO orders (item_id, qty) VALUES (2, 2) RETURNING orders.id;
SELECT orders.id AS orders_id, orders.item_id AS orders_item_id, orders.qty AS orders_qty FROM orders WHERE orders.id = 101;
COMMIT;
-- session 2
BEGIN;
SELECT item.id AS item_id, item.name AS item_name, item.stock AS item_stock, item.version AS item_version FROM item WHERE item.id = 1 FOR UPDATE;
UPDATE item SET stock=55, version=2 WHERE item.id = 1 AND item.version = 1;
COMMIT;
-- session 3
BEGIN;
SELECT counter.name AS counter_name, counter.n AS counter_n FROM counter WHERE counter.name = 'receipt';
UPDATE counter SET n=6 WHERE counter.name = 'receipt';
COMMIT;
-- session 4
BEGIN;
SELECT count(*) AS count_1 FROM oncall WHERE oncall.shift = 1 AND oncall.on_call IS true;
UPDATE oncall SET on_call=false WHERE oncall.doctor = 4;
COMMIT;
-- session 1
BEGIN;
SELECT room.id AS room_id, room.capacity AS room_capacity FROM room WHERE room.id = 1;
SELECT count(*) AS count_1 FROM booking WHERE booking.room_id = 1 AND booking.day = 2;
INSERT INTO booking (room_id, day, who) VALUES (1, 2, 2) RETURNING booking.id;
COMMIT;
-- session 2
SELECT voucher.id AS voucher_id, voucher.used AS voucher_used, voucher.max_uses AS voucher_max_uses FROM voucher WHERE voucher.id = 2;
UPDATE voucher SET used=9 WHERE voucher.id = 2;
-- session 3
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT account.id, account.balance FROM account WHERE account.id = 3;
SELECT account.id, account.balance FROM account WHERE account.id = 1;
UPDATE account SET balance=95 WHERE account.id = 3;
UPDATE account SET balance=105 WHERE account.id = 1;
COMMIT;
-- session 4
BEGIN;
SELECT customer.id AS customer_id FROM customer WHERE customer.email = 'c41@x';
INSERT INTO customer (email, name) VALUES ('c41@x', 'N41') RETURNING customer.id;
COMMIT;
-- session 1
BEGIN;
SELECT item.id, item.stock FROM item;
SELECT orders.item_id, sum(orders.qty) FROM orders GROUP BY orders.item_id;
COMMIT;
-- session 2
BEGIN;
SELECT item.id AS item_id, item.name AS item_name, item.stock AS item_stock, item.version AS item_version FROM item WHERE item.id = 2;
UPDATE item SET stock=45, version=3 WHERE item.id = 2 AND item.version = 2;
INSERT INTO orders (item_id, qty) VALUES (2, 3) RETURNING orders.id;
SELECT orders.id AS orders_id, orders.item_id AS orders_item_id, orders.qty AS orders_qty FROM orders WHERE orders.id = 102;
COMMIT;
-- session 3
BEGIN;
SELECT item.id AS item_id, item.name AS item_name, item.stock AS item_stock, item.version AS item_version FROM item WHERE item.id = 5 FOR UPDATE;
UPDATE item SET stock=55, version=2 WHERE item.id = 5 AND item.version = 1;
COMMIT;
-- session 4
BEGIN;
SELECT counter.name AS counter_name, counter.n AS counter_n FROM counter WHERE counter.name = 'receipt';
UPDATE counter SET n=7 WHERE counter.name = 'receipt';
COMMIT;
-- session 1
BEGIN;
SELECT count(*) AS count_1 FROM oncall WHERE oncall.shift = 1 AND oncall.on_call IS true;
UPDATE oncall SET on_call=false WHERE oncall.doctor = 3;
COMMIT;
-- session 2
BEGIN;
SELECT room.id AS room_id, room.capacity AS room_capacity FROM room WHERE room.id = 1;
SELECT count(*) AS count_1 FROM booking WHERE booking.room_id = 1 AND booking.day = 5;
INSERT INTO booking (room_id, day, who) VALUES (1, 5, 14) RETURNING booking.id;
COMMIT;
-- session 3
SELECT voucher.id AS voucher_id, voucher.used AS voucher_used, voucher.max_uses AS voucher_max_uses FROM voucher WHERE voucher.id = 1;
UPDATE voucher SET used=5 WHERE voucher.id = 1;
-- session 4
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT account.id, account.balance FROM account WHERE account.id = 3;
SELECT account.id, account.balance FROM account WHERE account.id = 2;
UPDATE account SET balance=90 WHERE account.id = 3;
UPDATE account SET balance=105 WHERE account.id = 2;
COMMIT;
-- session 1
BEGIN;
SELECT customer.id AS customer_id FROM customer WHERE customer.email = 'c42@x';
INSERT INTO customer (email, name) VALUES ('c42@x', 'N42') RETURNING customer.id;
COMMIT;
-- session 2
BEGIN;
SELECT item.id, item.stock FROM item;
SELECT orders.item_id, sum(orders.qty) FROM orders GROUP BY orders.item_id;
COMMIT;
-- session 3
BEGIN;
SELECT item.id AS item_id, item.name AS item_name, item.stock AS item_stock, item.version AS item_version FROM item WHERE item.id = 2;
UPDATE item SET stock=43, version=4 WHERE item.id = 2 AND item.version = 3;
INSERT INTO orders (item_id, qty) VALUES (2, 2) RETURNING orders.id;
SELECT orders.id AS orders_id, orders.item_id AS orders_item_id, orders.qty AS orders_qty FROM orders WHERE orders.id = 103;
COMMIT;
-- session 4
BEGIN;
SELECT item.id AS item_id, item.name AS item_name, item.stock AS item_stock, item.version AS item_version FROM item WHERE item.id = 3 FOR UPDATE;
UPDATE item SET stock=55, version=2 WHERE item.id = 3 AND item.version = 1;
COMMIT;
-- session 1
BEGIN;
SELECT counter.name AS counter_name, counter.n AS counter_n FROM counter WHERE counter.name = 'receipt';
UPDATE counter SET n=8 WHERE counter.name = 'receipt';
COMMIT;
-- session 2
BEGIN;
SELECT count(*) AS count_1 FROM oncall WHERE oncall.shift = 2 AND oncall.on_call IS true;
UPDATE oncall SET on_call=false WHERE oncall.doctor = 1;
COMMIT;
-- session 3
BEGIN;
SELECT room.id AS room_id, room.capacity AS room_capacity FROM room WHERE room.id = 3;
SELECT count(*) AS count_1 FROM booking WHERE booking.room_id = 3 AND booking.day = 7;
INSERT INTO booking (room_id, day, who) VALUES (3, 7, 33) RETURNING booking.id;
COMMIT;
-- session 4
SELECT voucher.id AS voucher_id, voucher.used AS voucher_used, voucher.max_uses AS voucher_max_uses FROM voucher WHERE voucher.id = 1;
UPDATE voucher SET used=3 WHERE voucher.id = 1;
-- session 1
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT account.id, account.balance FROM account WHERE account.id = 2;
SELECT account.id, account.balance FROM account WHERE account.id = 4;
UPDATE account SET balance=100 WHERE account.id = 2;
UPDATE account SET balance=105 WHERE account.id = 4;
COMMIT;
-- session 2
BEGIN;
SELECT customer.id AS customer_id FROM customer WHERE customer.email = 'c43@x';
INSERT INTO customer (email, name) VALUES ('c43@x', 'N43') RETURNING customer.id;
COMMIT;
-- session 3
BEGIN;
SELECT item.id, item.stock FROM item;
SELECT orders.item_id, sum(orders.qty) FROM orders GROUP BY orders.item_id;
COMMIT;
-- session 4
BEGIN;
SELECT item.id AS item_id, item.name AS item_name, item.stock AS item_stock, item.version AS item_version FROM item WHERE item.id = 3;
UPDATE item SET stock=54, version=3 WHERE item.id = 3 AND item.version = 2;
INSERT INTO orders (item_id, qty) VALUES (3, 1) RETURNING orders.id;
SELECT orders.id AS orders_id, orders.item_id AS orders_item_id, orders.qty AS orders_qty FROM orders WHERE orders.id = 104;
COMMIT;
-- session 1
BEGIN;
SELECT item.id AS item_id, item.name AS item_name, item.stock AS item_stock, item.version AS item_version FROM item WHERE item.id = 5 FOR UPDATE;
UPDATE item SET stock=60, version=3 WHERE item.id = 5 AND item.version = 2;
COMMIT;
-- session 2
BEGIN;
SELECT counter.name AS counter_name, counter.n AS counter_n FROM counter WHERE counter.name = 'receipt';
UPDATE counter SET n=9 WHERE counter.name = 'receipt';
COMMIT;
-- session 3
BEGIN;
SELECT count(*) AS count_1 FROM oncall WHERE oncall.shift = 2 AND oncall.on_call IS true;
UPDATE oncall SET on_call=false WHERE oncall.doctor = 1;
COMMIT;
-- session 4
BEGIN;
SELECT room.id AS room_id, room.capacity AS room_capacity FROM room WHERE room.id = 3;
SELECT count(*) AS count_1 FROM booking WHERE booking.room_id = 3 AND booking.day = 5;
INSERT INTO booking (room_id, day, who) VALUES (3, 5, 49) RETURNING booking.id;
COMMIT;
-- session 1
SELECT voucher.id AS voucher_id, voucher.used AS voucher_used, voucher.max_uses AS voucher_max_uses FROM voucher WHERE voucher.id = 3;
UPDATE voucher SET used=4 WHERE voucher.id = 3;
-- session 2
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT account.id, account.balance FROM account WHERE account.id = 4;
SELECT account.id, account.balance FROM account WHERE account.id = 6;
UPDATE account SET balance=100 WHERE account.id = 4;
UPDATE account SET balance=105 WHERE account.id = 6;
COMMIT;
-- session 3
BEGIN;
SELECT customer.id AS customer_id FROM customer WHERE customer.email = 'c44@x';
INSERT INTO customer (email, name) VALUES ('c44@x', 'N44') RETURNING customer.id;
COMMIT;
-- session 4
BEGIN;
SELECT item.id, item.stock FROM item;
SELECT orders.item_id, sum(orders.qty) FROM orders GROUP BY orders.item_id;
COMMIT;
