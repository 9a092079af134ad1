-- about: a shop as Django sends it; faults: a line of a cart that is made twice, a JSON column that is changed in the client, uses of a coupon that are read and written back, an address that is deleted while something is sent there; safe: a conditional UPDATE of the stock, jsonb_set, FOR UPDATE before a number is taken, an idempotency key, F()
-- schema: django_shop.ddl
-- at read-committed: lost update, phantom
-- at snapshot-isolation: phantom
-- across transactions: none
-- session 3
BEGIN;
-- session 4
BEGIN;
-- session 3
SELECT "shop_product"."id", "shop_product"."name", "shop_product"."attrs" FROM "shop_product" WHERE "shop_product"."id" = 1 LIMIT 21;
UPDATE "shop_product" SET "attrs" = '{"views": 1, "colour": "blue"}'::jsonb WHERE "shop_product"."id" = 1;
-- session 2
BEGIN;
-- session 3
COMMIT;
-- session 1
BEGIN;
-- session 2
SELECT "shop_sequence"."name", "shop_sequence"."value" FROM "shop_sequence" WHERE "shop_sequence"."name" = 'invoice' LIMIT 21 FOR UPDATE;
-- session 3
UPDATE "shop_customer" SET "points" = ("shop_customer"."points" + 2) WHERE "shop_customer"."id" = 2;
-- session 2
UPDATE "shop_sequence" SET "value" = 41 WHERE "shop_sequence"."name" = 'invoice';
-- session 1
SELECT "shop_product"."id", "shop_product"."name", "shop_product"."attrs" FROM "shop_product" WHERE "shop_product"."id" = 5 LIMIT 21;
UPDATE "shop_product" SET "attrs" = '{"views": 1}'::jsonb WHERE "shop_product"."id" = 5;
-- session 2
INSERT INTO "shop_invoice" ("number", "customer_id") VALUES (41, 1);
COMMIT;
-- session 4
SELECT "shop_sequence"."name", "shop_sequence"."value" FROM "shop_sequence" WHERE "shop_sequence"."name" = 'invoice' LIMIT 21 FOR UPDATE;
-- session 3
BEGIN;
-- session 1
COMMIT;
-- session 4
UPDATE "shop_sequence" SET "value" = 42 WHERE "shop_sequence"."name" = 'invoice';
INSERT INTO "shop_invoice" ("number", "customer_id") VALUES (42, 3);
COMMIT;
-- session 3
SELECT "shop_address"."id", "shop_address"."customer_id", "shop_address"."street" FROM "shop_address" WHERE ("shop_address"."id" = 5 AND "shop_address"."deleted_at" IS NULL);
INSERT INTO "shop_shipment" ("address_id", "note") VALUES (5, 'ship 501') RETURNING "shop_shipment"."id";
-- session 2
BEGIN;
SELECT "shop_cartitem"."id", "shop_cartitem"."cart_id", "shop_cartitem"."product_id", "shop_cartitem"."quantity" FROM "shop_cartitem" WHERE ("shop_cartitem"."cart_id" = 3 AND "shop_cartitem"."product_id" = 4) LIMIT 21;
-- session 1
BEGIN;
-- session 2
INSERT INTO "shop_cartitem" ("cart_id", "product_id", "quantity") VALUES (3, 4, 2) RETURNING "shop_cartitem"."id";
-- session 3
COMMIT;
-- session 1
SELECT "shop_cartitem"."id", "shop_cartitem"."cart_id", "shop_cartitem"."product_id", "shop_cartitem"."quantity" FROM "shop_cartitem" WHERE ("shop_cartitem"."cart_id" = 2 AND "shop_cartitem"."product_id" = 3) LIMIT 21;
-- session 2
COMMIT;
BEGIN;
-- session 1
INSERT INTO "shop_cartitem" ("cart_id", "product_id", "quantity") VALUES (2, 3, 1) RETURNING "shop_cartitem"."id";
-- session 2
SELECT "shop_cartitem"."id", "shop_cartitem"."cart_id", "shop_cartitem"."product_id", "shop_cartitem"."quantity" FROM "shop_cartitem" WHERE ("shop_cartitem"."cart_id" = 2 AND "shop_cartitem"."product_id" = 5) LIMIT 21;
-- session 3
BEGIN;
SELECT "shop_cartitem"."id", "shop_cartitem"."cart_id", "shop_cartitem"."product_id", "shop_cartitem"."quantity" FROM "shop_cartitem" WHERE ("shop_cartitem"."cart_id" = 4 AND "shop_cartitem"."product_id" = 1) LIMIT 21;
-- session 4
UPDATE "shop_product" SET "flags" = jsonb_set("flags", '{seen}', 'true') WHERE "shop_product"."id" = 2;
-- session 1
COMMIT;
-- session 3
INSERT INTO "shop_cartitem" ("cart_id", "product_id", "quantity") VALUES (4, 1, 3) RETURNING "shop_cartitem"."id";
COMMIT;
-- session 2
INSERT INTO "shop_cartitem" ("cart_id", "product_id", "quantity") VALUES (2, 5, 3) RETURNING "shop_cartitem"."id";
COMMIT;
-- session 3
BEGIN;
INSERT INTO "shop_order" ("customer_id", "total") VALUES (1, 30) RETURNING "shop_order"."id";
-- session 2
BEGIN;
-- session 1
BEGIN;
-- session 3
UPDATE "shop_product" SET "stock" = ("shop_product"."stock" - 3) WHERE ("shop_product"."id" = 2 AND "shop_product"."stock" >= 3);
-- session 2
SELECT "shop_sequence"."name", "shop_sequence"."value" FROM "shop_sequence" WHERE "shop_sequence"."name" = 'invoice' LIMIT 21 FOR UPDATE;
UPDATE "shop_sequence" SET "value" = 43 WHERE "shop_sequence"."name" = 'invoice';
-- session 1
INSERT INTO "shop_idempotency" ("key", "customer_id") VALUES ('req-1abb8ba3', 4);
-- session 3
INSERT INTO "shop_orderline" ("order_id", "product_id", "quantity") VALUES (502, 2, 3) RETURNING "shop_orderline"."id";
COMMIT;
-- session 2
INSERT INTO "shop_invoice" ("number", "customer_id") VALUES (43, 2);
COMMIT;
-- session 4
BEGIN;
-- session 1
INSERT INTO "shop_payment" ("order_id", "customer_id", "amount") VALUES (503, 4, 29) RETURNING "shop_payment"."id";
-- session 4
SELECT "shop_cartitem"."id", "shop_cartitem"."cart_id", "shop_cartitem"."product_id", "shop_cartitem"."quantity" FROM "shop_cartitem" WHERE ("shop_cartitem"."cart_id" = 2 AND "shop_cartitem"."product_id" = 3) LIMIT 21;
-- session 1
UPDATE "shop_idempotency" SET "response" = 'ok 503' WHERE "shop_idempotency"."key" = 'req-1abb8ba3';
COMMIT;
-- session 4
UPDATE "shop_cartitem" SET "cart_id" = 2, "product_id" = 3, "quantity" = 4 WHERE "shop_cartitem"."id" = 102;
-- session 2
BEGIN;
INSERT INTO "shop_order" ("customer_id", "total") VALUES (3, 30) RETURNING "shop_order"."id";
UPDATE "shop_product" SET "stock" = ("shop_product"."stock" - 3) WHERE ("shop_product"."id" = 3 AND "shop_product"."stock" >= 3);
INSERT INTO "shop_orderline" ("order_id", "product_id", "quantity") VALUES (504, 3, 3) RETURNING "shop_orderline"."id";
COMMIT;
-- session 4
COMMIT;
-- session 1
BEGIN;
-- session 3
BEGIN;
-- session 1
INSERT INTO "shop_order" ("customer_id", "total") VALUES (1, 20) RETURNING "shop_order"."id";
-- session 2
BEGIN;
-- session 1
UPDATE "shop_product" SET "stock" = ("shop_product"."stock" - 2) WHERE ("shop_product"."id" = 1 AND "shop_product"."stock" >= 2);
-- session 4
BEGIN;
-- session 2
SELECT "shop_cartitem"."id", "shop_cartitem"."cart_id", "shop_cartitem"."product_id", "shop_cartitem"."quantity" FROM "shop_cartitem" WHERE ("shop_cartitem"."cart_id" = 3 AND "shop_cartitem"."product_id" = 3) LIMIT 21;
-- session 1
INSERT INTO "shop_orderline" ("order_id", "product_id", "quantity") VALUES (505, 1, 2) RETURNING "shop_orderline"."id";
COMMIT;
-- session 2
INSERT INTO "shop_cartitem" ("cart_id", "product_id", "quantity") VALUES (3, 3, 3) RETURNING "shop_cartitem"."id";
-- session 3
SELECT "shop_coupon"."id", "shop_coupon"."code", "shop_coupon"."used", "shop_coupon"."max_uses" FROM "shop_coupon" WHERE "shop_coupon"."code" = 'SPRING10' LIMIT 21;
-- session 1
BEGIN;
-- session 3
UPDATE "shop_coupon" SET "used" = 4 WHERE "shop_coupon"."id" = 1;
-- session 2
COMMIT;
-- session 1
SELECT "shop_product"."id", "shop_product"."name", "shop_product"."attrs" FROM "shop_product" WHERE "shop_product"."id" = 1 LIMIT 21;
-- session 2
UPDATE "shop_customer" SET "points" = ("shop_customer"."points" + 4) WHERE "shop_customer"."id" = 2;
-- session 3
COMMIT;
-- session 4
SELECT "shop_sequence"."name", "shop_sequence"."value" FROM "shop_sequence" WHERE "shop_sequence"."name" = 'invoice' LIMIT 21 FOR UPDATE;
-- session 1
UPDATE "shop_product" SET "attrs" = '{"views": 2, "colour": "blue"}'::jsonb WHERE "shop_product"."id" = 1;
-- session 4
UPDATE "shop_sequence" SET "value" = 44 WHERE "shop_sequence"."name" = 'invoice';
-- session 1
COMMIT;
-- session 4
INSERT INTO "shop_invoice" ("number", "customer_id") VALUES (44, 1);
COMMIT;
-- session 2
BEGIN;
-- session 3
BEGIN;
-- session 4
BEGIN;
SELECT "shop_sequence"."name", "shop_sequence"."value" FROM "shop_sequence" WHERE "shop_sequence"."name" = 'invoice' LIMIT 21 FOR UPDATE;
-- session 3
INSERT INTO "shop_order" ("customer_id", "total") VALUES (4, 20) RETURNING "shop_order"."id";
UPDATE "shop_product" SET "stock" = ("shop_product"."stock" - 2) WHERE ("shop_product"."id" = 4 AND "shop_product"."stock" >= 2);
-- session 4
UPDATE "shop_sequence" SET "value" = 45 WHERE "shop_sequence"."name" = 'invoice';
-- session 3
INSERT INTO "shop_orderline" ("order_id", "product_id", "quantity") VALUES (508, 4, 2) RETURNING "shop_orderline"."id";
COMMIT;
-- session 4
INSERT INTO "shop_invoice" ("number", "customer_id") VALUES (45, 1);
COMMIT;
-- session 2
INSERT INTO "shop_order" ("customer_id", "total") VALUES (3, 30) RETURNING "shop_order"."id";
-- session 1
BEGIN;
-- session 2
UPDATE "shop_product" SET "stock" = ("shop_product"."stock" - 3) WHERE ("shop_product"."id" = 6 AND "shop_product"."stock" >= 3);
-- session 4
BEGIN;
-- session 1
INSERT INTO "shop_idempotency" ("key", "customer_id") VALUES ('req-a6ea2981', 1);
INSERT INTO "shop_payment" ("order_id", "customer_id", "amount") VALUES (509, 1, 6) RETURNING "shop_payment"."id";
UPDATE "shop_idempotency" SET "response" = 'ok 509' WHERE "shop_idempotency"."key" = 'req-a6ea2981';
-- session 3
BEGIN;
-- session 2
INSERT INTO "shop_orderline" ("order_id", "product_id", "quantity") VALUES (507, 6, 3) RETURNING "shop_orderline"."id";
COMMIT;
UPDATE "shop_customer" SET "points" = ("shop_customer"."points" + 3) WHERE "shop_customer"."id" = 4;
-- session 1
COMMIT;
-- session 3
SELECT "shop_product"."id", "shop_product"."name", "shop_product"."attrs" FROM "shop_product" WHERE "shop_product"."id" = 1 LIMIT 21;
UPDATE "shop_product" SET "attrs" = '{"views": 3, "colour": "red"}'::jsonb WHERE "shop_product"."id" = 1;
COMMIT;
-- session 1
BEGIN;
-- session 4
INSERT INTO "shop_order" ("customer_id", "total") VALUES (3, 10) RETURNING "shop_order"."id";
-- session 3
BEGIN;
-- session 1
SELECT "shop_product"."id", "shop_product"."name", "shop_product"."attrs" FROM "shop_product" WHERE "shop_product"."id" = 5 LIMIT 21;
UPDATE "shop_product" SET "attrs" = '{"views": 2}'::jsonb WHERE "shop_product"."id" = 5;
-- session 3
SELECT "shop_address"."id", "shop_address"."customer_id", "shop_address"."street" FROM "shop_address" WHERE ("shop_address"."id" = 10 AND "shop_address"."deleted_at" IS NULL);
-- session 2
BEGIN;
-- session 1
COMMIT;
-- session 4
UPDATE "shop_product" SET "stock" = ("shop_product"."stock" - 1) WHERE ("shop_product"."id" = 3 AND "shop_product"."stock" >= 1);
-- session 1
BEGIN;
SELECT "shop_cartitem"."id", "shop_cartitem"."cart_id", "shop_cartitem"."product_id", "shop_cartitem"."quantity" FROM "shop_cartitem" WHERE ("shop_cartitem"."cart_id" = 4 AND "shop_cartitem"."product_id" = 5) LIMIT 21;
INSERT INTO "shop_cartitem" ("cart_id", "product_id", "quantity") VALUES (4, 5, 2) RETURNING "shop_cartitem"."id";
-- session 4
INSERT INTO "shop_orderline" ("order_id", "product_id", "quantity") VALUES (510, 3, 1) RETURNING "shop_orderline"."id";
-- session 1
COMMIT;
-- session 2
SELECT COUNT(*) AS "__count" FROM "shop_shipment" WHERE "shop_shipment"."address_id" = 9;
-- session 3
INSERT INTO "shop_shipment" ("address_id", "note") VALUES (10, 'ship 511') RETURNING "shop_shipment"."id";
-- session 2
UPDATE "shop_address" SET "deleted_at" = '2026-11-19 10:07:00' WHERE "shop_address"."id" = 9;
-- session 4
COMMIT;
-- session 2
COMMIT;
-- session 4
BEGIN;
-- session 1
BEGIN;
SELECT "shop_product"."id", "shop_product"."name", "shop_product"."attrs" FROM "shop_product" WHERE "shop_product"."id" = 2 LIMIT 21;
-- session 2
UPDATE "shop_customer" SET "points" = ("shop_customer"."points" + 4) WHERE "shop_customer"."id" = 2;
-- session 1
UPDATE "shop_product" SET "attrs" = '{"views": 1}'::jsonb WHERE "shop_product"."id" = 2;
-- session 2
SELECT "shop_product"."id", "shop_product"."name", "shop_product"."stock" FROM "shop_product" WHERE "shop_product"."id" = 3;
-- session 1
COMMIT;
-- session 4
INSERT INTO "shop_idempotency" ("key", "customer_id") VALUES ('req-65d60b6e', 3);
-- session 3
COMMIT;
-- session 4
INSERT INTO "shop_payment" ("order_id", "customer_id", "amount") VALUES (512, 3, 37) RETURNING "shop_payment"."id";
UPDATE "shop_idempotency" SET "response" = 'ok 512' WHERE "shop_idempotency"."key" = 'req-65d60b6e';
-- session 1
UPDATE "shop_product" SET "flags" = jsonb_set("flags", '{seen}', 'true') WHERE "shop_product"."id" = 2;
-- session 3
SELECT "shop_product"."id", "shop_product"."name", "shop_product"."stock" FROM "shop_product" WHERE "shop_product"."id" = 3;
-- session 1
BEGIN;
SELECT "shop_address"."id", "shop_address"."customer_id", "shop_address"."street" FROM "shop_address" WHERE ("shop_address"."id" = 12 AND "shop_address"."deleted_at" IS NULL);
-- session 2
SELECT "shop_product"."id", "shop_product"."name", "shop_product"."stock" FROM "shop_product" WHERE "shop_product"."id" = 4;
-- session 4
COMMIT;
-- session 1
INSERT INTO "shop_shipment" ("address_id", "note") VALUES (12, 'ship 513') RETURNING "shop_shipment"."id";
COMMIT;
-- session 2
BEGIN;
SELECT "shop_coupon"."id", "shop_coupon"."code", "shop_coupon"."used", "shop_coupon"."max_uses" FROM "shop_coupon" WHERE "shop_coupon"."code" = 'VIP' LIMIT 21;
-- session 3
BEGIN;
-- session 2
UPDATE "shop_coupon" SET "used" = 2 WHERE "shop_coupon"."id" = 2;
-- session 3
SELECT "shop_address"."id", "shop_address"."customer_id", "shop_address"."street" FROM "shop_address" WHERE ("shop_address"."id" = 6 AND "shop_address"."deleted_at" IS NULL);
-- session 2
COMMIT;
-- session 3
INSERT INTO "shop_shipment" ("address_id", "note") VALUES (6, 'ship 515') RETURNING "shop_shipment"."id";
COMMIT;
-- session 2
BEGIN;
-- session 1
UPDATE "shop_product" SET "flags" = jsonb_set("flags", '{seen}', 'true') WHERE "shop_product"."id" = 3;
-- session 2
SELECT "shop_address"."id", "shop_address"."customer_id", "shop_address"."street" FROM "shop_address" WHERE ("shop_address"."id" = 8 AND "shop_address"."deleted_at" IS NULL);
-- session 3
BEGIN;
SELECT "shop_sequence"."name", "shop_sequence"."value" FROM "shop_sequence" WHERE "shop_sequence"."name" = 'invoice' LIMIT 21 FOR UPDATE;
-- session 1
BEGIN;
SELECT "shop_product"."id", "shop_product"."name", "shop_product"."attrs" FROM "shop_product" WHERE "shop_product"."id" = 2 LIMIT 21;
UPDATE "shop_product" SET "attrs" = '{"views": 2}'::jsonb WHERE "shop_product"."id" = 2;
-- session 4
BEGIN;
-- session 1
COMMIT;
-- session 2
INSERT INTO "shop_shipment" ("address_id", "note") VALUES (8, 'ship 516') RETURNING "shop_shipment"."id";
-- session 3
UPDATE "shop_sequence" SET "value" = 46 WHERE "shop_sequence"."name" = 'invoice';
-- session 4
SELECT "shop_product"."id", "shop_product"."name", "shop_product"."attrs" FROM "shop_product" WHERE "shop_product"."id" = 2 LIMIT 21;
UPDATE "shop_product" SET "attrs" = '{"views": 3}'::jsonb WHERE "shop_product"."id" = 2;
COMMIT;
-- session 2
COMMIT;
-- session 1
BEGIN;
-- session 4
BEGIN;
-- session 1
INSERT INTO "shop_order" ("customer_id", "total") VALUES (3, 30) RETURNING "shop_order"."id";
UPDATE "shop_product" SET "stock" = ("shop_product"."stock" - 3) WHERE ("shop_product"."id" = 5 AND "shop_product"."stock" >= 3);
-- session 2
BEGIN;
SELECT "shop_coupon"."id", "shop_coupon"."code", "shop_coupon"."used", "shop_coupon"."max_uses" FROM "shop_coupon" WHERE "shop_coupon"."code" = 'VIP' LIMIT 21;
-- session 3
INSERT INTO "shop_invoice" ("number", "customer_id") VALUES (46, 4);
-- session 2
UPDATE "shop_coupon" SET "used" = 3 WHERE "shop_coupon"."id" = 2;
COMMIT;
-- session 3
COMMIT;
-- session 1
INSERT INTO "shop_orderline" ("order_id", "product_id", "quantity") VALUES (517, 5, 3) RETURNING "shop_orderline"."id";
-- session 4
SELECT "shop_sequence"."name", "shop_sequence"."value" FROM "shop_sequence" WHERE "shop_sequence"."name" = 'invoice' LIMIT 21 FOR UPDATE;
-- session 1
COMMIT;
-- session 4
UPDATE "shop_sequence" SET "value" = 47 WHERE "shop_sequence"."name" = 'invoice';
-- session 2
BEGIN;
-- session 4
INSERT INTO "shop_invoice" ("number", "customer_id") VALUES (47, 3);
-- session 3
UPDATE "shop_product" SET "flags" = jsonb_set("flags", '{seen}', 'true') WHERE "shop_product"."id" = 3;
-- session 4
COMMIT;
-- session 3
SELECT "shop_product"."id", "shop_product"."name", "shop_product"."stock" FROM "shop_product" WHERE "shop_product"."id" = 3;
-- session 2
SELECT "shop_sequence"."name", "shop_sequence"."value" FROM "shop_sequence" WHERE "shop_sequence"."name" = 'invoice' LIMIT 21 FOR UPDATE;
-- session 4
BEGIN;
-- session 1
BEGIN;
SELECT "shop_coupon"."id", "shop_coupon"."code", "shop_coupon"."used", "shop_coupon"."max_uses" FROM "shop_coupon" WHERE "shop_coupon"."code" = 'SPRING10' LIMIT 21;
-- session 2
UPDATE "shop_sequence" SET "value" = 48 WHERE "shop_sequence"."name" = 'invoice';
-- session 3
BEGIN;
-- session 1
UPDATE "shop_coupon" SET "used" = 5 WHERE "shop_coupon"."id" = 1;
-- session 2
INSERT INTO "shop_invoice" ("number", "customer_id") VALUES (48, 3);
COMMIT;
-- session 1
COMMIT;
-- session 4
INSERT INTO "shop_order" ("customer_id", "total") VALUES (3, 30) RETURNING "shop_order"."id";
-- session 2
BEGIN;
-- session 3
SELECT "shop_product"."id", "shop_product"."name", "shop_product"."attrs" FROM "shop_product" WHERE "shop_product"."id" = 5 LIMIT 21;
UPDATE "shop_product" SET "attrs" = '{"views": 3, "colour": "green"}'::jsonb WHERE "shop_product"."id" = 5;
COMMIT;
-- session 2
SELECT "shop_cartitem"."id", "shop_cartitem"."cart_id", "shop_cartitem"."product_id", "shop_cartitem"."quantity" FROM "shop_cartitem" WHERE ("shop_cartitem"."cart_id" = 3 AND "shop_cartitem"."product_id" = 5) LIMIT 21;
-- session 1
BEGIN;
-- session 4
UPDATE "shop_product" SET "stock" = ("shop_product"."stock" - 3) WHERE ("shop_product"."id" = 6 AND "shop_product"."stock" >= 3);
-- session 1
SELECT "shop_product"."id", "shop_product"."name", "shop_product"."attrs" FROM "shop_product" WHERE "shop_product"."id" = 5 LIMIT 21;
-- session 2
INSERT INTO "shop_cartitem" ("cart_id", "product_id", "quantity") VALUES (3, 5, 2) RETURNING "shop_cartitem"."id";
-- session 3
UPDATE "shop_customer" SET "points" = ("shop_customer"."points" + 3) WHERE "shop_customer"."id" = 4;
-- session 1
UPDATE "shop_product" SET "attrs" = '{"views": 4, "colour": "green"}'::jsonb WHERE "shop_product"."id" = 5;
COMMIT;
-- session 2
COMMIT;
-- session 4
INSERT INTO "shop_orderline" ("order_id", "product_id", "quantity") VALUES (519, 6, 3) RETURNING "shop_orderline"."id";
-- session 3
BEGIN;
SELECT "shop_coupon"."id", "shop_coupon"."code", "shop_coupon"."used", "shop_coupon"."max_uses" FROM "shop_coupon" WHERE "shop_coupon"."code" = 'VIP' LIMIT 21;
-- session 4
COMMIT;
-- session 2
BEGIN;
-- session 3
UPDATE "shop_coupon" SET "used" = 4 WHERE "shop_coupon"."id" = 2;
-- session 2
INSERT INTO "shop_idempotency" ("key", "customer_id") VALUES ('req-9b33d947', 2);
-- session 1
BEGIN;
-- session 3
COMMIT;
-- session 1
SELECT "shop_cartitem"."id", "shop_cartitem"."cart_id", "shop_cartitem"."product_id", "shop_cartitem"."quantity" FROM "shop_cartitem" WHERE ("shop_cartitem"."cart_id" = 3 AND "shop_cartitem"."product_id" = 3) LIMIT 21;
-- session 3
BEGIN;
-- session 1
UPDATE "shop_cartitem" SET "cart_id" = 3, "product_id" = 3, "quantity" = 5 WHERE "shop_cartitem"."id" = 105;
-- session 2
INSERT INTO "shop_payment" ("order_id", "customer_id", "amount") VALUES (522, 2, 8) RETURNING "shop_payment"."id";
UPDATE "shop_idempotency" SET "response" = 'ok 522' WHERE "shop_idempotency"."key" = 'req-9b33d947';
-- session 1
COMMIT;
-- session 2
COMMIT;
-- session 3
SELECT "shop_coupon"."id", "shop_coupon"."code", "shop_coupon"."used", "shop_coupon"."max_uses" FROM "shop_coupon" WHERE "shop_coupon"."code" = 'SPRING10' LIMIT 21;
UPDATE "shop_coupon" SET "used" = 6 WHERE "shop_coupon"."id" = 1;
-- session 4
SELECT "shop_product"."id", "shop_product"."name", "shop_product"."stock" FROM "shop_product" WHERE "shop_product"."id" = 6;
-- session 2
BEGIN;
-- session 3
COMMIT;
-- session 4
BEGIN;
-- session 2
INSERT INTO "shop_order" ("customer_id", "total") VALUES (2, 20) RETURNING "shop_order"."id";
-- session 3
BEGIN;
-- session 4
INSERT INTO "shop_idempotency" ("key", "customer_id") VALUES ('req-363f89c2', 4);
-- session 1
UPDATE "shop_customer" SET "points" = ("shop_customer"."points" + 7) WHERE "shop_customer"."id" = 3;
-- session 3
SELECT "shop_address"."id", "shop_address"."customer_id", "shop_address"."street" FROM "shop_address" WHERE ("shop_address"."id" = 11 AND "shop_address"."deleted_at" IS NULL);
-- session 2
UPDATE "shop_product" SET "stock" = ("shop_product"."stock" - 2) WHERE ("shop_product"."id" = 4 AND "shop_product"."stock" >= 2);
-- session 4
INSERT INTO "shop_payment" ("order_id", "customer_id", "amount") VALUES (525, 4, 5) RETURNING "shop_payment"."id";
-- session 1
BEGIN;
-- session 4
UPDATE "shop_idempotency" SET "response" = 'ok 525' WHERE "shop_idempotency"."key" = 'req-363f89c2';
-- session 1
SELECT COUNT(*) AS "__count" FROM "shop_shipment" WHERE "shop_shipment"."address_id" = 3;
-- session 3
INSERT INTO "shop_shipment" ("address_id", "note") VALUES (11, 'ship 526') RETURNING "shop_shipment"."id";
-- session 2
INSERT INTO "shop_orderline" ("order_id", "product_id", "quantity") VALUES (524, 4, 2) RETURNING "shop_orderline"."id";
-- session 4
COMMIT;
-- session 1
UPDATE "shop_address" SET "deleted_at" = '2026-11-19 10:04:00' WHERE "shop_address"."id" = 3;
-- session 3
COMMIT;
-- session 2
COMMIT;
-- session 1
COMMIT;
-- session 2
BEGIN;
-- session 3
BEGIN;
-- session 2
INSERT INTO "shop_idempotency" ("key", "customer_id") VALUES ('req-a9bb6dcb', 2);
INSERT INTO "shop_payment" ("order_id", "customer_id", "amount") VALUES (527, 2, 21) RETURNING "shop_payment"."id";
-- session 4
BEGIN;
-- session 2
UPDATE "shop_idempotency" SET "response" = 'ok 527' WHERE "shop_idempotency"."key" = 'req-a9bb6dcb';
-- session 3
SELECT COUNT(*) AS "__count" FROM "shop_shipment" WHERE "shop_shipment"."address_id" = 8;
UPDATE "shop_address" SET "deleted_at" = '2026-11-19 10:06:00' WHERE "shop_address"."id" = 8;
-- session 4
INSERT INTO "shop_order" ("customer_id", "total") VALUES (2, 10) RETURNING "shop_order"."id";
-- session 3
COMMIT;
-- session 4
UPDATE "shop_product" SET "stock" = ("shop_product"."stock" - 1) WHERE ("shop_product"."id" = 2 AND "shop_product"."stock" >= 1);
-- session 2
COMMIT;
-- session 4
INSERT INTO "shop_orderline" ("order_id", "product_id", "quantity") VALUES (528, 2, 1) RETURNING "shop_orderline"."id";
COMMIT;
-- session 2
UPDATE "shop_product" SET "flags" = jsonb_set("flags", '{seen}', 'true') WHERE "shop_product"."id" = 5;
-- session 3
BEGIN;
SELECT "shop_coupon"."id", "shop_coupon"."code", "shop_coupon"."used", "shop_coupon"."max_uses" FROM "shop_coupon" WHERE "shop_coupon"."code" = 'SPRING10' LIMIT 21;
-- session 4
BEGIN;
SELECT COUNT(*) AS "__count" FROM "shop_shipment" WHERE "shop_shipment"."address_id" = 4;
UPDATE "shop_address" SET "deleted_at" = '2026-11-19 10:00:00' WHERE "shop_address"."id" = 4;
-- session 1
SELECT "shop_product"."id", "shop_product"."name", "shop_product"."stock" FROM "shop_product" WHERE "shop_product"."id" = 3;
-- session 3
UPDATE "shop_coupon" SET "used" = 7 WHERE "shop_coupon"."id" = 1;
-- session 4
COMMIT;
-- session 3
COMMIT;
-- session 2
BEGIN;
-- session 4
BEGIN;
SELECT "shop_product"."id", "shop_product"."name", "shop_product"."attrs" FROM "shop_product" WHERE "shop_product"."id" = 4 LIMIT 21;
UPDATE "shop_product" SET "attrs" = '{"views": 1, "colour": "green"}'::jsonb WHERE "shop_product"."id" = 4;
COMMIT;
-- session 2
INSERT INTO "shop_idempotency" ("key", "customer_id") VALUES ('req-6cc1aeaf', 1);
INSERT INTO "shop_payment" ("order_id", "customer_id", "amount") VALUES (530, 1, 31) RETURNING "shop_payment"."id";
-- session 4
SELECT "shop_product"."id", "shop_product"."name", "shop_product"."stock" FROM "shop_product" WHERE "shop_product"."id" = 2;
-- session 2
UPDATE "shop_idempotency" SET "response" = 'ok 530' WHERE "shop_idempotency"."key" = 'req-6cc1aeaf';
COMMIT;
-- session 1
BEGIN;
SELECT "shop_cartitem"."id", "shop_cartitem"."cart_id", "shop_cartitem"."product_id", "shop_cartitem"."quantity" FROM "shop_cartitem" WHERE ("shop_cartitem"."cart_id" = 3 AND "shop_cartitem"."product_id" = 4) LIMIT 21;
-- session 4
BEGIN;
SELECT COUNT(*) AS "__count" FROM "shop_shipment" WHERE "shop_shipment"."address_id" = 10;
-- session 3
BEGIN;
-- session 4
UPDATE "shop_address" SET "deleted_at" = '2026-11-19 10:07:00' WHERE "shop_address"."id" = 10;
-- session 2
SELECT "shop_product"."id", "shop_product"."name", "shop_product"."stock" FROM "shop_product" WHERE "shop_product"."id" = 3;
-- session 3
SELECT "shop_coupon"."id", "shop_coupon"."code", "shop_coupon"."used", "shop_coupon"."max_uses" FROM "shop_coupon" WHERE "shop_coupon"."code" = 'VIP' LIMIT 21;
UPDATE "shop_coupon" SET "used" = 5 WHERE "shop_coupon"."id" = 2;
-- session 4
COMMIT;
-- session 1
UPDATE "shop_cartitem" SET "cart_id" = 3, "product_id" = 4, "quantity" = 4 WHERE "shop_cartitem"."id" = 101;
-- session 4
BEGIN;
-- session 2
BEGIN;
-- session 1
COMMIT;
-- session 2
INSERT INTO "shop_idempotency" ("key", "customer_id") VALUES ('req-077148a5', 2);
INSERT INTO "shop_payment" ("order_id", "customer_id", "amount") VALUES (532, 2, 31) RETURNING "shop_payment"."id";
-- session 3
COMMIT;
-- session 1
UPDATE "shop_customer" SET "points" = ("shop_customer"."points" + 2) WHERE "shop_customer"."id" = 3;
-- session 2
UPDATE "shop_idempotency" SET "response" = 'ok 532' WHERE "shop_idempotency"."key" = 'req-077148a5';
COMMIT;
-- session 4
SELECT "shop_cartitem"."id", "shop_cartitem"."cart_id", "shop_cartitem"."product_id", "shop_cartitem"."quantity" FROM "shop_cartitem" WHERE ("shop_cartitem"."cart_id" = 3 AND "shop_cartitem"."product_id" = 4) LIMIT 21;
UPDATE "shop_cartitem" SET "cart_id" = 3, "product_id" = 4, "quantity" = 7 WHERE "shop_cartitem"."id" = 101;
-- session 3
BEGIN;
INSERT INTO "shop_order" ("customer_id", "total") VALUES (3, 30) RETURNING "shop_order"."id";
-- session 1
BEGIN;
-- session 3
UPDATE "shop_product" SET "stock" = ("shop_product"."stock" - 3) WHERE ("shop_product"."id" = 1 AND "shop_product"."stock" >= 3);
-- session 4
COMMIT;
-- session 1
SELECT "shop_cartitem"."id", "shop_cartitem"."cart_id", "shop_cartitem"."product_id", "shop_cartitem"."quantity" FROM "shop_cartitem" WHERE ("shop_cartitem"."cart_id" = 2 AND "shop_cartitem"."product_id" = 4) LIMIT 21;
-- session 3
INSERT INTO "shop_orderline" ("order_id", "product_id", "quantity") VALUES (533, 1, 3) RETURNING "shop_orderline"."id";
-- session 2
BEGIN;
-- session 3
COMMIT;
-- session 2
SELECT "shop_sequence"."name", "shop_sequence"."value" FROM "shop_sequence" WHERE "shop_sequence"."name" = 'invoice' LIMIT 21 FOR UPDATE;
-- session 4
UPDATE "shop_product" SET "flags" = jsonb_set("flags", '{seen}', 'true') WHERE "shop_product"."id" = 1;
-- session 1
INSERT INTO "shop_cartitem" ("cart_id", "product_id", "quantity") VALUES (2, 4, 2) RETURNING "shop_cartitem"."id";
-- session 2
UPDATE "shop_sequence" SET "value" = 49 WHERE "shop_sequence"."name" = 'invoice';
-- session 3
BEGIN;
INSERT INTO "shop_order" ("customer_id", "total") VALUES (3, 30) RETURNING "shop_order"."id";
-- session 4
SELECT "shop_product"."id", "shop_product"."name", "shop_product"."stock" FROM "shop_product" WHERE "shop_product"."id" = 3;
-- session 2
INSERT INTO "shop_invoice" ("number", "customer_id") VALUES (49, 4);
COMMIT;
BEGIN;
INSERT INTO "shop_idempotency" ("key", "customer_id") VALUES ('req-5e4d0c25', 1);
INSERT INTO "shop_payment" ("order_id", "customer_id", "amount") VALUES (535, 1, 23) RETURNING "shop_payment"."id";
-- session 1
COMMIT;
-- session 3
UPDATE "shop_product" SET "stock" = ("shop_product"."stock" - 3) WHERE ("shop_product"."id" = 6 AND "shop_product"."stock" >= 3);
-- session 2
UPDATE "shop_idempotency" SET "response" = 'ok 535' WHERE "shop_idempotency"."key" = 'req-5e4d0c25';
COMMIT;
-- session 1
BEGIN;
-- session 3
INSERT INTO "shop_orderline" ("order_id", "product_id", "quantity") VALUES (534, 6, 3) RETURNING "shop_orderline"."id";
-- session 1
SELECT "shop_cartitem"."id", "shop_cartitem"."cart_id", "shop_cartitem"."product_id", "shop_cartitem"."quantity" FROM "shop_cartitem" WHERE ("shop_cartitem"."cart_id" = 3 AND "shop_cartitem"."product_id" = 4) LIMIT 21;
-- session 3
COMMIT;
-- session 1
UPDATE "shop_cartitem" SET "cart_id" = 3, "product_id" = 4, "quantity" = 9 WHERE "shop_cartitem"."id" = 101;
-- session 2
BEGIN;
-- session 1
COMMIT;
-- session 4
BEGIN;
SELECT "shop_coupon"."id", "shop_coupon"."code", "shop_coupon"."used", "shop_coupon"."max_uses" FROM "shop_coupon" WHERE "shop_coupon"."code" = 'XMAS' LIMIT 21;
-- session 2
SELECT "shop_sequence"."name", "shop_sequence"."value" FROM "shop_sequence" WHERE "shop_sequence"."name" = 'invoice' LIMIT 21 FOR UPDATE;
-- session 4
UPDATE "shop_coupon" SET "used" = 8 WHERE "shop_coupon"."id" = 3;
-- session 2
UPDATE "shop_sequence" SET "value" = 50 WHERE "shop_sequence"."name" = 'invoice';
INSERT INTO "shop_invoice" ("number", "customer_id") VALUES (50, 4);
COMMIT;
-- session 4
COMMIT;
-- session 3
BEGIN;
-- session 1
BEGIN;
-- session 2
BEGIN;
-- session 1
SELECT "shop_coupon"."id", "shop_coupon"."code", "shop_coupon"."used", "shop_coupon"."max_uses" FROM "shop_coupon" WHERE "shop_coupon"."code" = 'SPRING10' LIMIT 21;
-- session 4
BEGIN;
-- session 3
SELECT "shop_address"."id", "shop_address"."customer_id", "shop_address"."street" FROM "shop_address" WHERE ("shop_address"."id" = 11 AND "shop_address"."deleted_at" IS NULL);
-- session 2
SELECT "shop_cartitem"."id", "shop_cartitem"."cart_id", "shop_cartitem"."product_id", "shop_cartitem"."quantity" FROM "shop_cartitem" WHERE ("shop_cartitem"."cart_id" = 4 AND "shop_cartitem"."product_id" = 3) LIMIT 21;
-- session 4
SELECT "shop_cartitem"."id", "shop_cartitem"."cart_id", "shop_cartitem"."product_id", "shop_cartitem"."quantity" FROM "shop_cartitem" WHERE ("shop_cartitem"."cart_id" = 1 AND "shop_cartitem"."product_id" = 3) LIMIT 21;
-- session 1
UPDATE "shop_coupon" SET "used" = 8 WHERE "shop_coupon"."id" = 1;
-- session 2
INSERT INTO "shop_cartitem" ("cart_id", "product_id", "quantity") VALUES (4, 3, 1) RETURNING "shop_cartitem"."id";
-- session 1
COMMIT;
-- session 4
INSERT INTO "shop_cartitem" ("cart_id", "product_id", "quantity") VALUES (1, 3, 3) RETURNING "shop_cartitem"."id";
-- session 1
BEGIN;
-- session 2
COMMIT;
-- session 3
INSERT INTO "shop_shipment" ("address_id", "note") VALUES (11, 'ship 538') RETURNING "shop_shipment"."id";
-- session 1
SELECT "shop_product"."id", "shop_product"."name", "shop_product"."attrs" FROM "shop_product" WHERE "shop_product"."id" = 4 LIMIT 21;
-- session 3
COMMIT;
-- session 1
UPDATE "shop_product" SET "attrs" = '{"views": 2, "colour": "blue"}'::jsonb WHERE "shop_product"."id" = 4;
-- session 3
SELECT "shop_product"."id", "shop_product"."name", "shop_product"."stock" FROM "shop_product" WHERE "shop_product"."id" = 6;
-- session 4
COMMIT;
-- session 1
COMMIT;
-- session 3
BEGIN;
SELECT "shop_coupon"."id", "shop_coupon"."code", "shop_coupon"."used", "shop_coupon"."max_uses" FROM "shop_coupon" WHERE "shop_coupon"."code" = 'SPRING10' LIMIT 21;
-- session 4
BEGIN;
-- session 3
UPDATE "shop_coupon" SET "used" = 9 WHERE "shop_coupon"."id" = 1;
-- session 1
BEGIN;
-- session 2
BEGIN;
-- session 4
SELECT "shop_address"."id", "shop_address"."customer_id", "shop_address"."street" FROM "shop_address" WHERE ("shop_address"."id" = 2 AND "shop_address"."deleted_at" IS NULL);
-- session 2
SELECT "shop_coupon"."id", "shop_coupon"."code", "shop_coupon"."used", "shop_coupon"."max_uses" FROM "shop_coupon" WHERE "shop_coupon"."code" = 'VIP' LIMIT 21;
-- session 4
INSERT INTO "shop_shipment" ("address_id", "note") VALUES (2, 'ship 542') RETURNING "shop_shipment"."id";
COMMIT;
-- session 2
UPDATE "shop_coupon" SET "used" = 6 WHERE "shop_coupon"."id" = 2;
-- session 1
INSERT INTO "shop_idempotency" ("key", "customer_id") VALUES ('req-686032b8', 2);
-- session 2
COMMIT;
BEGIN;
-- session 1
INSERT INTO "shop_payment" ("order_id", "customer_id", "amount") VALUES (541, 2, 8) RETURNING "shop_payment"."id";
-- session 4
UPDATE "shop_customer" SET "points" = ("shop_customer"."points" + 4) WHERE "shop_customer"."id" = 2;
-- session 2
SELECT "shop_address"."id", "shop_address"."customer_id", "shop_address"."street" FROM "shop_address" WHERE ("shop_address"."id" = 7 AND "shop_address"."deleted_at" IS NULL);
-- session 3
COMMIT;
-- session 1
UPDATE "shop_idempotency" SET "response" = 'ok 541' WHERE "shop_idempotency"."key" = 'req-686032b8';
COMMIT;
-- session 2
INSERT INTO "shop_shipment" ("address_id", "note") VALUES (7, 'ship 543') RETURNING "shop_shipment"."id";
COMMIT;
-- session 4
BEGIN;
SELECT "shop_cartitem"."id", "shop_cartitem"."cart_id", "shop_cartitem"."product_id", "shop_cartitem"."quantity" FROM "shop_cartitem" WHERE ("shop_cartitem"."cart_id" = 2 AND "shop_cartitem"."product_id" = 5) LIMIT 21;
UPDATE "shop_cartitem" SET "cart_id" = 2, "product_id" = 5, "quantity" = 4 WHERE "shop_cartitem"."id" = 104;
COMMIT;
