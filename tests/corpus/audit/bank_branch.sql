-- about: a bank; faults: an amount is taken after a look at the balance, the limit of two joint accounts is checked by a SUM; safe: transfers under ordered FOR UPDATE, deposits that add, a daily limit that is part of the UPDATE, a standing order that is claimed by its date, transfers numbered by a sequence, statements in one SELECT
-- schema: bank_branch.ddl
-- at read-committed: lost update, stale read, write skew, read-only anomaly
-- first five at read-committed: savings_plan.saved, account.balance
-- at snapshot-isolation: stale read, write skew, read-only anomaly
-- first five at snapshot-isolation: account.balance
-- never: card, standing_order, customer
-- across transactions: none
-- session 1
BEGIN;
-- session 3
BEGIN;
-- session 2
UPDATE card SET state = 'blocked' WHERE id = 20 AND state = 'active';
-- session 4
BEGIN;
-- session 5
SELECT a.id, a.balance, e.amount, e.memo, e.at FROM account a JOIN entry e ON e.account_id = a.id WHERE a.id = 19 ORDER BY e.at DESC LIMIT 20;
-- session 2
BEGIN;
UPDATE card SET spent_today = spent_today + 19 WHERE id = 13 AND spent_today + 19 <= daily_limit AND state = 'active' RETURNING account_id;
UPDATE account SET balance = balance - 19 WHERE id = 13;
INSERT INTO entry (account_id, amount, memo) VALUES (13, -19, 'card 13');
COMMIT;
-- session 4
SELECT SUM(balance) FROM account WHERE customer_id = 4;
-- session 2
BEGIN;
-- session 1
SELECT SUM(balance) FROM account WHERE customer_id = 9;
-- session 4
UPDATE account SET balance = balance - 108 WHERE id = 7;
-- session 1
UPDATE account SET balance = balance - 141 WHERE id = 17;
-- session 3
UPDATE account SET balance = balance + 40 WHERE id = 7;
-- session 2
SELECT saved FROM savings_plan WHERE id = 9;
UPDATE savings_plan SET saved = 135.00 WHERE id = 9;
-- session 4
INSERT INTO entry (account_id, amount, memo) VALUES (7, -108, 'counter');
COMMIT;
-- session 2
COMMIT;
-- session 1
INSERT INTO entry (account_id, amount, memo) VALUES (17, -141, 'counter');
-- session 4
BEGIN;
-- session 3
INSERT INTO entry (account_id, amount, memo) VALUES (7, 40, 'cash');
-- session 4
UPDATE account SET balance = balance + 86 WHERE id = 1;
INSERT INTO entry (account_id, amount, memo) VALUES (1, 86, 'cash');
-- session 2
BEGIN;
-- session 1
COMMIT;
-- session 4
COMMIT;
-- session 3
COMMIT;
-- session 2
SELECT id, balance FROM account WHERE id IN (13, 15) ORDER BY id FOR UPDATE;
-- session 4
UPDATE customer SET name = 'N10' WHERE id = 2;
-- session 2
UPDATE account SET balance = 951.00 WHERE id = 13;
UPDATE account SET balance = 1030.00 WHERE id = 15;
-- session 1
BEGIN;
-- session 5
BEGIN;
-- session 2
INSERT INTO entry (account_id, amount, memo) VALUES (13, -30.00, 'transfer to 15');
-- session 1
UPDATE account SET balance = balance + 114 WHERE id = 20;
-- session 5
UPDATE card SET spent_today = spent_today + 34 WHERE id = 10 AND spent_today + 34 <= daily_limit AND state = 'active' RETURNING account_id;
-- session 3
SELECT a.id, a.balance, e.amount, e.memo, e.at FROM account a JOIN entry e ON e.account_id = a.id WHERE a.id = 13 ORDER BY e.at DESC LIMIT 20;
-- session 1
INSERT INTO entry (account_id, amount, memo) VALUES (20, 114, 'cash');
-- session 2
INSERT INTO entry (account_id, amount, memo) VALUES (15, 30.00, 'transfer from 13');
-- session 5
UPDATE account SET balance = balance - 34 WHERE id = 10;
-- session 1
COMMIT;
-- session 4
SELECT a.id, a.balance, e.amount, e.memo, e.at FROM account a JOIN entry e ON e.account_id = a.id WHERE a.id = 12 ORDER BY e.at DESC LIMIT 20;
-- session 5
INSERT INTO entry (account_id, amount, memo) VALUES (10, -34, 'card 10');
-- session 2
COMMIT;
-- session 5
COMMIT;
-- session 3
UPDATE card SET state = 'blocked' WHERE id = 4 AND state = 'active';
-- session 4
BEGIN;
-- session 5
BEGIN;
-- session 2
SELECT a.id, a.balance, e.amount, e.memo, e.at FROM account a JOIN entry e ON e.account_id = a.id WHERE a.id = 2 ORDER BY e.at DESC LIMIT 20;
-- session 1
BEGIN;
-- session 3
BEGIN;
SELECT SUM(balance) FROM account WHERE customer_id = 4;
-- session 1
SELECT id, balance FROM account WHERE id IN (7, 11) ORDER BY id FOR UPDATE;
-- session 5
SELECT SUM(balance) FROM account WHERE customer_id = 5;
-- session 3
UPDATE account SET balance = balance - 199 WHERE id = 8;
-- session 4
UPDATE card SET spent_today = spent_today + 17 WHERE id = 19 AND spent_today + 17 <= daily_limit AND state = 'active' RETURNING account_id;
-- session 5
UPDATE account SET balance = balance - 91 WHERE id = 9;
-- session 1
UPDATE account SET balance = 875.00 WHERE id = 7;
-- session 5
INSERT INTO entry (account_id, amount, memo) VALUES (9, -91, 'counter');
-- session 3
INSERT INTO entry (account_id, amount, memo) VALUES (8, -199, 'counter');
-- session 2
UPDATE card SET state = 'blocked' WHERE id = 17 AND state = 'active';
-- session 3
COMMIT;
-- session 5
COMMIT;
-- session 4
UPDATE account SET balance = balance - 17 WHERE id = 19;
-- session 1
UPDATE account SET balance = 1057.00 WHERE id = 11;
INSERT INTO entry (account_id, amount, memo) VALUES (7, -57.00, 'transfer to 11');
-- session 4
INSERT INTO entry (account_id, amount, memo) VALUES (19, -17, 'card 19');
-- session 3
BEGIN;
-- session 4
COMMIT;
-- session 5
BEGIN;
SELECT id, balance FROM account WHERE id IN (4, 13) ORDER BY id FOR UPDATE;
-- session 1
INSERT INTO entry (account_id, amount, memo) VALUES (11, 57.00, 'transfer from 7');
-- session 3
UPDATE account SET balance = balance + 268 WHERE id = 5;
-- session 5
UPDATE account SET balance = 955.00 WHERE id = 4;
UPDATE account SET balance = 996.00 WHERE id = 13;
-- session 3
INSERT INTO entry (account_id, amount, memo) VALUES (5, 268, 'cash');
-- session 1
COMMIT;
-- session 3
COMMIT;
-- session 5
INSERT INTO entry (account_id, amount, memo) VALUES (4, -45.00, 'transfer to 13');
-- session 2
BEGIN;
SELECT SUM(balance) FROM account WHERE customer_id = 8;
UPDATE account SET balance = balance - 155 WHERE id = 15;
-- session 1
UPDATE card SET state = 'blocked' WHERE id = 6 AND state = 'active';
-- session 5
INSERT INTO entry (account_id, amount, memo) VALUES (13, 45.00, 'transfer from 4');
-- session 4
BEGIN;
SELECT SUM(balance) FROM account WHERE customer_id = 10;
-- session 2
INSERT INTO entry (account_id, amount, memo) VALUES (15, -155, 'counter');
-- session 5
COMMIT;
-- session 4
UPDATE account SET balance = balance - 93 WHERE id = 19;
-- session 3
BEGIN;
-- session 2
COMMIT;
-- session 3
SELECT id, balance FROM account WHERE id IN (14, 19) ORDER BY id FOR UPDATE;
-- session 4
INSERT INTO entry (account_id, amount, memo) VALUES (19, -93, 'counter');
-- session 1
BEGIN;
SELECT id, from_account, to_account, amount, next_run, version FROM standing_order WHERE id = 4;
-- session 4
COMMIT;
-- session 1
UPDATE standing_order SET next_run = '2026-12-01', version = 2 WHERE id = 4 AND version = 1 RETURNING id;
-- session 2
BEGIN;
-- session 5
UPDATE customer SET name = 'N50' WHERE id = 10;
-- session 3
UPDATE account SET balance = 860.00 WHERE id = 19;
-- session 1
UPDATE account SET balance = balance - 10.00 WHERE id = 4;
-- session 4
BEGIN;
-- session 2
UPDATE account SET balance = balance + 48 WHERE id = 20;
-- session 4
UPDATE account SET balance = balance + 275 WHERE id = 15;
-- session 2
INSERT INTO entry (account_id, amount, memo) VALUES (20, 48, 'cash');
-- session 1
UPDATE account SET balance = balance + 10.00 WHERE id = 17;
-- session 3
UPDATE account SET balance = 1030.00 WHERE id = 14;
-- session 4
INSERT INTO entry (account_id, amount, memo) VALUES (15, 275, 'cash');
-- session 2
COMMIT;
-- session 1
COMMIT;
-- session 4
COMMIT;
-- session 3
INSERT INTO entry (account_id, amount, memo) VALUES (19, -30.00, 'transfer to 14');
-- session 5
UPDATE card SET state = 'blocked' WHERE id = 8 AND state = 'active';
-- session 1
BEGIN;
-- session 4
SELECT a.id, a.balance, e.amount, e.memo, e.at FROM account a JOIN entry e ON e.account_id = a.id WHERE a.id = 19 ORDER BY e.at DESC LIMIT 20;
-- session 3
INSERT INTO entry (account_id, amount, memo) VALUES (14, 30.00, 'transfer from 19');
COMMIT;
-- session 2
BEGIN;
SELECT id, balance FROM account WHERE id IN (7, 17) ORDER BY id FOR UPDATE;
UPDATE account SET balance = 820.00 WHERE id = 7;
-- session 4
BEGIN;
-- session 1
SELECT SUM(balance) FROM account WHERE customer_id = 4;
-- session 5
BEGIN;
-- session 4
SELECT id, from_account, to_account, amount, next_run, version FROM standing_order WHERE id = 10;
-- session 2
UPDATE account SET balance = 924.00 WHERE id = 17;
-- session 1
UPDATE account SET balance = balance - 153 WHERE id = 7;
-- session 4
UPDATE standing_order SET next_run = '2026-12-01', version = 2 WHERE id = 10 AND version = 1 RETURNING id;
-- session 2
INSERT INTO entry (account_id, amount, memo) VALUES (7, -55.00, 'transfer to 17');
-- session 5
SELECT SUM(balance) FROM account WHERE customer_id = 10;
UPDATE account SET balance = balance - 129 WHERE id = 19;
INSERT INTO entry (account_id, amount, memo) VALUES (19, -129, 'counter');
-- session 4
UPDATE account SET balance = balance - 10.00 WHERE id = 10;
-- session 2
INSERT INTO entry (account_id, amount, memo) VALUES (17, 55.00, 'transfer from 7');
-- session 3
UPDATE card SET state = 'blocked' WHERE id = 3 AND state = 'active';
-- session 5
COMMIT;
-- session 2
COMMIT;
-- session 4
UPDATE account SET balance = balance + 10.00 WHERE id = 11;
-- session 3
BEGIN;
-- session 5
BEGIN;
SELECT saved FROM savings_plan WHERE id = 10;
-- session 4
COMMIT;
-- session 5
UPDATE savings_plan SET saved = 108.00 WHERE id = 10;
-- session 1
INSERT INTO entry (account_id, amount, memo) VALUES (7, -153, 'counter');
-- session 3
UPDATE card SET spent_today = spent_today + 33 WHERE id = 20 AND spent_today + 33 <= daily_limit AND state = 'active' RETURNING account_id;
-- session 5
COMMIT;
-- session 1
COMMIT;
-- session 3
ROLLBACK;
-- session 1
BEGIN;
UPDATE account SET balance = balance + 156 WHERE id = 15;
-- session 5
UPDATE customer SET name = 'N69' WHERE id = 7;
-- session 2
UPDATE card SET state = 'blocked' WHERE id = 13 AND state = 'active';
-- session 1
INSERT INTO entry (account_id, amount, memo) VALUES (15, 156, 'cash');
COMMIT;
-- session 4
BEGIN;
-- session 3
BEGIN;
-- session 2
BEGIN;
SELECT saved FROM savings_plan WHERE id = 6;
UPDATE savings_plan SET saved = 114.00 WHERE id = 6;
-- session 4
UPDATE account SET balance = balance + 130 WHERE id = 6;
-- session 1
UPDATE customer SET name = 'N51' WHERE id = 5;
-- session 2
COMMIT;
-- session 3
SELECT SUM(balance) FROM account WHERE customer_id = 5;
-- session 4
INSERT INTO entry (account_id, amount, memo) VALUES (6, 130, 'cash');
-- session 5
SELECT a.id, a.balance, e.amount, e.memo, e.at FROM account a JOIN entry e ON e.account_id = a.id WHERE a.id = 20 ORDER BY e.at DESC LIMIT 20;
-- session 3
UPDATE account SET balance = balance - 105 WHERE id = 9;
-- session 4
COMMIT;
-- session 3
INSERT INTO entry (account_id, amount, memo) VALUES (9, -105, 'counter');
-- session 1
BEGIN;
-- session 2
BEGIN;
-- session 3
COMMIT;
-- session 2
SELECT SUM(balance) FROM account WHERE customer_id = 5;
-- session 1
SELECT id, from_account, to_account, amount, next_run, version FROM standing_order WHERE id = 7;
-- session 2
UPDATE account SET balance = balance - 160 WHERE id = 10;
-- session 4
BEGIN;
-- session 5
BEGIN;
-- session 4
SELECT id, from_account, to_account, amount, next_run, version FROM standing_order WHERE id = 2;
-- session 1
UPDATE standing_order SET next_run = '2026-12-01', version = 2 WHERE id = 7 AND version = 1 RETURNING id;
-- session 4
UPDATE standing_order SET next_run = '2026-12-01', version = 2 WHERE id = 2 AND version = 1 RETURNING id;
-- session 2
INSERT INTO entry (account_id, amount, memo) VALUES (10, -160, 'counter');
-- session 3
UPDATE customer SET name = 'N6' WHERE id = 5;
-- session 1
UPDATE account SET balance = balance - 10.00 WHERE id = 7;
-- session 5
UPDATE card SET spent_today = spent_today + 45 WHERE id = 17 AND spent_today + 45 <= daily_limit AND state = 'active' RETURNING account_id;
-- session 4
UPDATE account SET balance = balance - 10.00 WHERE id = 2;
-- session 1
UPDATE account SET balance = balance + 10.00 WHERE id = 14;
-- session 2
COMMIT;
-- session 5
ROLLBACK;
-- session 4
UPDATE account SET balance = balance + 10.00 WHERE id = 19;
-- session 1
COMMIT;
-- session 4
COMMIT;
-- session 1
UPDATE card SET state = 'blocked' WHERE id = 1 AND state = 'active';
-- session 3
BEGIN;
-- session 4
UPDATE customer SET name = 'N13' WHERE id = 4;
-- session 2
SELECT a.id, a.balance, e.amount, e.memo, e.at FROM account a JOIN entry e ON e.account_id = a.id WHERE a.id = 9 ORDER BY e.at DESC LIMIT 20;
-- session 3
SELECT saved FROM savings_plan WHERE id = 3;
UPDATE savings_plan SET saved = 127.00 WHERE id = 3;
-- session 4
SELECT a.id, a.balance, e.amount, e.memo, e.at FROM account a JOIN entry e ON e.account_id = a.id WHERE a.id = 18 ORDER BY e.at DESC LIMIT 20;
-- session 5
UPDATE card SET state = 'blocked' WHERE id = 12 AND state = 'active';
-- session 3
COMMIT;
-- session 1
BEGIN;
SELECT SUM(balance) FROM account WHERE customer_id = 9;
-- session 2
SELECT a.id, a.balance, e.amount, e.memo, e.at FROM account a JOIN entry e ON e.account_id = a.id WHERE a.id = 18 ORDER BY e.at DESC LIMIT 20;
-- session 5
BEGIN;
-- session 4
BEGIN;
-- session 1
UPDATE account SET balance = balance - 74 WHERE id = 17;
-- session 4
SELECT saved FROM savings_plan WHERE id = 4;
-- session 5
UPDATE card SET spent_today = spent_today + 9 WHERE id = 19 AND spent_today + 9 <= daily_limit AND state = 'active' RETURNING account_id;
-- session 3
BEGIN;
-- session 5
UPDATE account SET balance = balance - 9 WHERE id = 19;
-- session 4
UPDATE savings_plan SET saved = 110.00 WHERE id = 4;
-- session 1
INSERT INTO entry (account_id, amount, memo) VALUES (17, -74, 'counter');
-- session 3
UPDATE account SET balance = balance + 179 WHERE id = 16;
-- session 1
COMMIT;
-- session 5
INSERT INTO entry (account_id, amount, memo) VALUES (19, -9, 'card 19');
-- session 4
COMMIT;
-- session 3
INSERT INTO entry (account_id, amount, memo) VALUES (16, 179, 'cash');
-- session 2
UPDATE customer SET name = 'N51' WHERE id = 4;
-- session 5
COMMIT;
-- session 3
COMMIT;
-- session 4
UPDATE customer SET name = 'N6' WHERE id = 3;
-- session 3
BEGIN;
-- session 2
BEGIN;
-- session 1
BEGIN;
-- session 3
UPDATE account SET balance = balance + 249 WHERE id = 10;
-- session 2
SELECT SUM(balance) FROM account WHERE customer_id = 10;
-- session 3
INSERT INTO entry (account_id, amount, memo) VALUES (10, 249, 'cash');
-- session 1
SELECT id, from_account, to_account, amount, next_run, version FROM standing_order WHERE id = 12;
-- session 4
BEGIN;
-- session 3
COMMIT;
-- session 2
UPDATE account SET balance = balance - 200 WHERE id = 20;
-- session 5
UPDATE customer SET name = 'N51' WHERE id = 8;
-- session 4
SELECT id, balance FROM account WHERE id IN (5, 15) ORDER BY id FOR UPDATE;
-- session 1
UPDATE standing_order SET next_run = '2026-12-01', version = 2 WHERE id = 12 AND version = 1 RETURNING id;
-- session 2
INSERT INTO entry (account_id, amount, memo) VALUES (20, -200, 'counter');
-- session 4
UPDATE account SET balance = 1247.00 WHERE id = 5;
-- session 1
UPDATE account SET balance = balance - 10.00 WHERE id = 12;
-- session 2
COMMIT;
-- session 4
UPDATE account SET balance = 1327.00 WHERE id = 15;
INSERT INTO entry (account_id, amount, memo) VALUES (5, -21.00, 'transfer to 15');
-- session 3
BEGIN;
-- session 4
INSERT INTO entry (account_id, amount, memo) VALUES (15, 21.00, 'transfer from 5');
COMMIT;
SELECT a.id, a.balance, e.amount, e.memo, e.at FROM account a JOIN entry e ON e.account_id = a.id WHERE a.id = 3 ORDER BY e.at DESC LIMIT 20;
-- session 1
UPDATE account SET balance = balance + 10.00 WHERE id = 9;
-- session 2
BEGIN;
-- session 5
BEGIN;
-- session 2
SELECT id, from_account, to_account, amount, next_run, version FROM standing_order WHERE id = 9;
-- session 5
SELECT id, balance FROM account WHERE id IN (7, 18) ORDER BY id FOR UPDATE;
-- session 4
BEGIN;
UPDATE account SET balance = balance + 67 WHERE id = 1;
-- session 3
UPDATE account SET balance = balance + 49 WHERE id = 19;
-- session 1
COMMIT;
-- session 2
UPDATE standing_order SET next_run = '2026-12-01', version = 2 WHERE id = 9 AND version = 1 RETURNING id;
-- session 5
UPDATE account SET balance = 973.00 WHERE id = 18;
-- session 2
UPDATE account SET balance = balance - 10.00 WHERE id = 9;
-- session 5
UPDATE account SET balance = 684.00 WHERE id = 7;
-- session 3
INSERT INTO entry (account_id, amount, memo) VALUES (19, 49, 'cash');
-- session 4
INSERT INTO entry (account_id, amount, memo) VALUES (1, 67, 'cash');
COMMIT;
-- session 5
INSERT INTO entry (account_id, amount, memo) VALUES (18, -27.00, 'transfer to 7');
-- session 3
COMMIT;
-- session 2
UPDATE account SET balance = balance + 10.00 WHERE id = 12;
-- session 1
BEGIN;
-- session 5
INSERT INTO entry (account_id, amount, memo) VALUES (7, 27.00, 'transfer from 18');
COMMIT;
-- session 2
COMMIT;
-- session 5
BEGIN;
-- session 1
UPDATE card SET spent_today = spent_today + 53 WHERE id = 19 AND spent_today + 53 <= daily_limit AND state = 'active' RETURNING account_id;
-- session 4
BEGIN;
-- session 5
SELECT saved FROM savings_plan WHERE id = 6;
-- session 1
UPDATE account SET balance = balance - 53 WHERE id = 19;
-- session 4
SELECT SUM(balance) FROM account WHERE customer_id = 2;
-- session 2
BEGIN;
-- session 3
BEGIN;
-- session 4
UPDATE account SET balance = balance - 68 WHERE id = 3;
-- session 1
INSERT INTO entry (account_id, amount, memo) VALUES (19, -53, 'card 19');
-- session 5
UPDATE savings_plan SET saved = 163.00 WHERE id = 6;
-- session 1
COMMIT;
-- session 3
UPDATE card SET spent_today = spent_today + 36 WHERE id = 1 AND spent_today + 36 <= daily_limit AND state = 'active' RETURNING account_id;
-- session 2
UPDATE account SET balance = balance + 89 WHERE id = 16;
-- session 4
INSERT INTO entry (account_id, amount, memo) VALUES (3, -68, 'counter');
-- session 2
INSERT INTO entry (account_id, amount, memo) VALUES (16, 89, 'cash');
COMMIT;
-- session 1
BEGIN;
-- session 5
COMMIT;
-- session 4
COMMIT;
-- session 3
ROLLBACK;
-- session 2
UPDATE customer SET name = 'N93' WHERE id = 7;
-- session 1
SELECT id, balance FROM account WHERE id IN (6, 14) ORDER BY id FOR UPDATE;
UPDATE account SET balance = 1004.00 WHERE id = 14;
UPDATE account SET balance = 1166.00 WHERE id = 6;
-- session 4
UPDATE card SET state = 'blocked' WHERE id = 18 AND state = 'active';
-- session 2
BEGIN;
SELECT saved FROM savings_plan WHERE id = 4;
-- session 5
SELECT a.id, a.balance, e.amount, e.memo, e.at FROM account a JOIN entry e ON e.account_id = a.id WHERE a.id = 19 ORDER BY e.at DESC LIMIT 20;
-- session 3
UPDATE card SET state = 'blocked' WHERE id = 13 AND state = 'active';
-- session 2
UPDATE savings_plan SET saved = 131.00 WHERE id = 4;
-- session 1
INSERT INTO entry (account_id, amount, memo) VALUES (14, -36.00, 'transfer to 6');
INSERT INTO entry (account_id, amount, memo) VALUES (6, 36.00, 'transfer from 14');
-- session 2
COMMIT;
-- session 5
BEGIN;
-- session 4
BEGIN;
SELECT SUM(balance) FROM account WHERE customer_id = 7;
-- session 5
SELECT saved FROM savings_plan WHERE id = 1;
-- session 1
COMMIT;
-- session 4
UPDATE account SET balance = balance - 129 WHERE id = 14;
-- session 5
UPDATE savings_plan SET saved = 105.00 WHERE id = 1;
-- session 1
BEGIN;
-- session 3
SELECT a.id, a.balance, e.amount, e.memo, e.at FROM account a JOIN entry e ON e.account_id = a.id WHERE a.id = 9 ORDER BY e.at DESC LIMIT 20;
-- session 4
INSERT INTO entry (account_id, amount, memo) VALUES (14, -129, 'counter');
COMMIT;
-- session 2
BEGIN;
-- session 1
SELECT saved FROM savings_plan WHERE id = 7;
-- session 5
COMMIT;
-- session 1
UPDATE savings_plan SET saved = 144.00 WHERE id = 7;
COMMIT;
-- session 2
SELECT saved FROM savings_plan WHERE id = 4;
UPDATE savings_plan SET saved = 165.00 WHERE id = 4;
-- session 4
BEGIN;
-- session 3
BEGIN;
-- session 4
SELECT id, balance FROM account WHERE id IN (16, 17) ORDER BY id FOR UPDATE;
-- session 5
BEGIN;
-- session 2
COMMIT;
-- session 3
UPDATE account SET balance = balance + 228 WHERE id = 6;
-- session 5
UPDATE account SET balance = balance + 293 WHERE id = 12;
-- session 4
UPDATE account SET balance = 1187.00 WHERE id = 16;
-- session 1
BEGIN;
-- session 5
INSERT INTO entry (account_id, amount, memo) VALUES (12, 293, 'cash');
-- session 4
UPDATE account SET balance = 931.00 WHERE id = 17;
-- session 5
COMMIT;
-- session 2
BEGIN;
-- session 1
SELECT id, from_account, to_account, amount, next_run, version FROM standing_order WHERE id = 11;
-- session 4
INSERT INTO entry (account_id, amount, memo) VALUES (16, -81.00, 'transfer to 17');
INSERT INTO entry (account_id, amount, memo) VALUES (17, 81.00, 'transfer from 16');
-- session 3
INSERT INTO entry (account_id, amount, memo) VALUES (6, 228, 'cash');
-- session 2
SELECT saved FROM savings_plan WHERE id = 10;
-- session 3
COMMIT;
-- session 4
COMMIT;
-- session 1
UPDATE standing_order SET next_run = '2026-12-01', version = 2 WHERE id = 11 AND version = 1 RETURNING id;
-- session 2
UPDATE savings_plan SET saved = 139.00 WHERE id = 10;
COMMIT;
-- session 1
UPDATE account SET balance = balance - 10.00 WHERE id = 11;
-- session 5
BEGIN;
-- session 1
UPDATE account SET balance = balance + 10.00 WHERE id = 10;
-- session 5
UPDATE card SET spent_today = spent_today + 42 WHERE id = 8 AND spent_today + 42 <= daily_limit AND state = 'active' RETURNING account_id;
-- session 1
COMMIT;
-- session 3
BEGIN;
SELECT id, from_account, to_account, amount, next_run, version FROM standing_order WHERE id = 11;
-- session 4
BEGIN;
-- session 3
UPDATE standing_order SET next_run = '2026-12-31', version = 3 WHERE id = 11 AND version = 2 RETURNING id;
-- session 5
ROLLBACK;
-- session 3
UPDATE account SET balance = balance - 10.00 WHERE id = 11;
-- session 4
SELECT id, balance FROM account WHERE id IN (1, 19) ORDER BY id FOR UPDATE;
UPDATE account SET balance = 695.00 WHERE id = 19;
-- session 2
BEGIN;
SELECT id, balance FROM account WHERE id IN (3, 8) ORDER BY id FOR UPDATE;
-- session 1
BEGIN;
-- session 4
UPDATE account SET balance = 1186.00 WHERE id = 1;
-- session 3
UPDATE account SET balance = balance + 10.00 WHERE id = 10;
-- session 2
UPDATE account SET balance = 882.00 WHERE id = 3;
-- session 1
SELECT saved FROM savings_plan WHERE id = 8;
-- session 3
COMMIT;
-- session 1
UPDATE savings_plan SET saved = 133.00 WHERE id = 8;
-- session 4
INSERT INTO entry (account_id, amount, memo) VALUES (19, -33.00, 'transfer to 1');
-- session 2
UPDATE account SET balance = 851.00 WHERE id = 8;
-- session 4
INSERT INTO entry (account_id, amount, memo) VALUES (1, 33.00, 'transfer from 19');
-- session 1
COMMIT;
-- session 3
BEGIN;
-- session 4
COMMIT;
-- session 2
INSERT INTO entry (account_id, amount, memo) VALUES (3, -50.00, 'transfer to 8');
-- session 5
UPDATE card SET state = 'blocked' WHERE id = 10 AND state = 'active';
-- session 3
SELECT id, balance FROM account WHERE id IN (8, 18) ORDER BY id FOR UPDATE;
-- session 1
BEGIN;
-- session 5
BEGIN;
-- session 2
INSERT INTO entry (account_id, amount, memo) VALUES (8, 50.00, 'transfer from 3');
-- session 5
UPDATE account SET balance = balance + 252 WHERE id = 4;
-- session 1
SELECT saved FROM savings_plan WHERE id = 9;
-- session 2
COMMIT;
-- session 1
UPDATE savings_plan SET saved = 179.00 WHERE id = 9;
-- session 5
INSERT INTO entry (account_id, amount, memo) VALUES (4, 252, 'cash');
-- session 1
COMMIT;
-- session 2
BEGIN;
-- session 4
BEGIN;
SELECT SUM(balance) FROM account WHERE customer_id = 8;
UPDATE account SET balance = balance - 165 WHERE id = 16;
-- session 3
UPDATE account SET balance = 900.00 WHERE id = 18;
-- session 5
COMMIT;
-- session 2
UPDATE account SET balance = balance + 78 WHERE id = 4;
-- session 4
INSERT INTO entry (account_id, amount, memo) VALUES (16, -165, 'counter');
COMMIT;
BEGIN;
-- session 1
BEGIN;
-- session 2
INSERT INTO entry (account_id, amount, memo) VALUES (4, 78, 'cash');
-- session 4
SELECT SUM(balance) FROM account WHERE customer_id = 10;
UPDATE account SET balance = balance - 72 WHERE id = 19;
-- session 1
UPDATE account SET balance = balance + 17 WHERE id = 3;
-- session 3
UPDATE account SET balance = 924.00 WHERE id = 8;
-- session 2
COMMIT;
-- session 1
INSERT INTO entry (account_id, amount, memo) VALUES (3, 17, 'cash');
-- session 2
BEGIN;
-- session 4
INSERT INTO entry (account_id, amount, memo) VALUES (19, -72, 'counter');
-- session 5
UPDATE card SET state = 'blocked' WHERE id = 20 AND state = 'active';
-- session 2
UPDATE card SET spent_today = spent_today + 18 WHERE id = 11 AND spent_today + 18 <= daily_limit AND state = 'active' RETURNING account_id;
-- session 4
COMMIT;
-- session 1
COMMIT;
-- session 3
INSERT INTO entry (account_id, amount, memo) VALUES (18, -73.00, 'transfer to 8');
-- session 2
UPDATE account SET balance = balance - 18 WHERE id = 11;
-- session 4
BEGIN;
-- session 2
INSERT INTO entry (account_id, amount, memo) VALUES (11, -18, 'card 11');
-- session 3
INSERT INTO entry (account_id, amount, memo) VALUES (8, 73.00, 'transfer from 18');
-- session 4
SELECT saved FROM savings_plan WHERE id = 2;
-- session 5
BEGIN;
-- session 4
UPDATE savings_plan SET saved = 142.00 WHERE id = 2;
-- session 3
COMMIT;
-- session 1
UPDATE customer SET name = 'N16' WHERE id = 8;
-- session 4
COMMIT;
-- session 2
COMMIT;
-- session 5
SELECT SUM(balance) FROM account WHERE customer_id = 1;
-- session 4
BEGIN;
-- session 3
BEGIN;
-- session 5
UPDATE account SET balance = balance - 123 WHERE id = 2;
-- session 3
SELECT SUM(balance) FROM account WHERE customer_id = 4;
-- session 4
SELECT SUM(balance) FROM account WHERE customer_id = 3;
-- session 5
INSERT INTO entry (account_id, amount, memo) VALUES (2, -123, 'counter');
-- session 1
SELECT a.id, a.balance, e.amount, e.memo, e.at FROM account a JOIN entry e ON e.account_id = a.id WHERE a.id = 5 ORDER BY e.at DESC LIMIT 20;
-- session 4
UPDATE account SET balance = balance - 149 WHERE id = 5;
-- session 3
UPDATE account SET balance = balance - 148 WHERE id = 8;
-- session 5
COMMIT;
-- session 2
UPDATE card SET state = 'blocked' WHERE id = 8 AND state = 'active';
-- session 3
INSERT INTO entry (account_id, amount, memo) VALUES (8, -148, 'counter');
-- session 4
INSERT INTO entry (account_id, amount, memo) VALUES (5, -149, 'counter');
-- session 5
BEGIN;
-- session 3
COMMIT;
-- session 4
COMMIT;
-- session 2
BEGIN;
-- session 5
UPDATE account SET balance = balance + 96 WHERE id = 12;
-- session 1
BEGIN;
-- session 5
INSERT INTO entry (account_id, amount, memo) VALUES (12, 96, 'cash');
-- session 2
UPDATE card SET spent_today = spent_today + 2 WHERE id = 7 AND spent_today + 2 <= daily_limit AND state = 'active' RETURNING account_id;
UPDATE account SET balance = balance - 2 WHERE id = 7;
-- session 4
BEGIN;
SELECT SUM(balance) FROM account WHERE customer_id = 2;
-- session 2
INSERT INTO entry (account_id, amount, memo) VALUES (7, -2, 'card 7');
-- session 5
COMMIT;
-- session 1
SELECT SUM(balance) FROM account WHERE customer_id = 9;
-- session 3
UPDATE card SET state = 'blocked' WHERE id = 1 AND state = 'active';
-- session 2
COMMIT;
-- session 4
UPDATE account SET balance = balance - 97 WHERE id = 4;
-- session 1
UPDATE account SET balance = balance - 164 WHERE id = 18;
-- session 5
UPDATE customer SET name = 'N80' WHERE id = 4;
-- session 4
INSERT INTO entry (account_id, amount, memo) VALUES (4, -97, 'counter');
-- session 3
BEGIN;
-- session 2
SELECT a.id, a.balance, e.amount, e.memo, e.at FROM account a JOIN entry e ON e.account_id = a.id WHERE a.id = 19 ORDER BY e.at DESC LIMIT 20;
-- session 4
COMMIT;
-- session 1
INSERT INTO entry (account_id, amount, memo) VALUES (18, -164, 'counter');
-- session 3
SELECT id, from_account, to_account, amount, next_run, version FROM standing_order WHERE id = 2;
UPDATE standing_order SET next_run = '2026-12-31', version = 3 WHERE id = 2 AND version = 2 RETURNING id;
-- session 1
COMMIT;
BEGIN;
-- session 5
BEGIN;
-- session 3
UPDATE account SET balance = balance - 10.00 WHERE id = 2;
-- session 1
SELECT saved FROM savings_plan WHERE id = 5;
-- session 2
BEGIN;
SELECT SUM(balance) FROM account WHERE customer_id = 5;
-- session 5
UPDATE card SET spent_today = spent_today + 32 WHERE id = 4 AND spent_today + 32 <= daily_limit AND state = 'active' RETURNING account_id;
-- session 3
UPDATE account SET balance = balance + 10.00 WHERE id = 19;
-- session 4
BEGIN;
-- session 5
ROLLBACK;
-- session 3
COMMIT;
-- session 2
UPDATE account SET balance = balance - 73 WHERE id = 10;
-- session 4
SELECT SUM(balance) FROM account WHERE customer_id = 10;
UPDATE account SET balance = balance - 71 WHERE id = 20;
-- session 2
INSERT INTO entry (account_id, amount, memo) VALUES (10, -73, 'counter');
-- session 1
UPDATE savings_plan SET saved = 122.00 WHERE id = 5;
COMMIT;
-- session 2
COMMIT;
-- session 4
INSERT INTO entry (account_id, amount, memo) VALUES (20, -71, 'counter');
COMMIT;
-- session 3
BEGIN;
SELECT id, balance FROM account WHERE id IN (9, 11) ORDER BY id FOR UPDATE;
-- session 1
BEGIN;
-- session 5
UPDATE customer SET name = 'N61' WHERE id = 9;
-- session 3
UPDATE account SET balance = 941.00 WHERE id = 11;
-- session 2
UPDATE card SET state = 'blocked' WHERE id = 16 AND state = 'active';
-- session 3
UPDATE account SET balance = 892.00 WHERE id = 9;
-- session 1
SELECT id, balance FROM account WHERE id IN (18, 20) ORDER BY id FOR UPDATE;
-- session 4
UPDATE card SET state = 'blocked' WHERE id = 17 AND state = 'active';
-- session 3
INSERT INTO entry (account_id, amount, memo) VALUES (11, -88.00, 'transfer to 9');
INSERT INTO entry (account_id, amount, memo) VALUES (9, 88.00, 'transfer from 11');
-- session 1
UPDATE account SET balance = 647.00 WHERE id = 18;
-- session 2
BEGIN;
-- session 3
COMMIT;
-- session 2
UPDATE card SET spent_today = spent_today + 27 WHERE id = 9 AND spent_today + 27 <= daily_limit AND state = 'active' RETURNING account_id;
-- session 5
BEGIN;
-- session 2
UPDATE account SET balance = balance - 27 WHERE id = 9;
-- session 5
SELECT saved FROM savings_plan WHERE id = 3;
-- session 1
UPDATE account SET balance = 980.00 WHERE id = 20;
-- session 2
INSERT INTO entry (account_id, amount, memo) VALUES (9, -27, 'card 9');
-- session 5
UPDATE savings_plan SET saved = 176.00 WHERE id = 3;
-- session 4
UPDATE customer SET name = 'N31' WHERE id = 9;
-- session 1
INSERT INTO entry (account_id, amount, memo) VALUES (18, -89.00, 'transfer to 20');
-- session 2
COMMIT;
-- session 3
BEGIN;
-- session 1
INSERT INTO entry (account_id, amount, memo) VALUES (20, 89.00, 'transfer from 18');
-- session 5
COMMIT;
-- session 3
SELECT SUM(balance) FROM account WHERE customer_id = 9;
-- session 4
SELECT a.id, a.balance, e.amount, e.memo, e.at FROM account a JOIN entry e ON e.account_id = a.id WHERE a.id = 1 ORDER BY e.at DESC LIMIT 20;
-- session 2
UPDATE card SET state = 'blocked' WHERE id = 8 AND state = 'active';
-- session 3
UPDATE account SET balance = balance - 74 WHERE id = 17;
-- session 1
COMMIT;
-- session 3
INSERT INTO entry (account_id, amount, memo) VALUES (17, -74, 'counter');
-- session 5
BEGIN;
-- session 4
BEGIN;
UPDATE card SET spent_today = spent_today + 6 WHERE id = 19 AND spent_today + 6 <= daily_limit AND state = 'active' RETURNING account_id;
-- session 3
COMMIT;
-- session 4
UPDATE account SET balance = balance - 6 WHERE id = 19;
-- session 5
SELECT id, balance FROM account WHERE id IN (11, 15) ORDER BY id FOR UPDATE;
UPDATE account SET balance = 1296.00 WHERE id = 15;
-- session 4
INSERT INTO entry (account_id, amount, memo) VALUES (19, -6, 'card 19');
-- session 2
BEGIN;
-- session 5
UPDATE account SET balance = 972.00 WHERE id = 11;
-- session 3
BEGIN;
-- session 2
UPDATE account SET balance = balance + 244 WHERE id = 4;
-- session 3
SELECT saved FROM savings_plan WHERE id = 3;
-- session 1
SELECT a.id, a.balance, e.amount, e.memo, e.at FROM account a JOIN entry e ON e.account_id = a.id WHERE a.id = 2 ORDER BY e.at DESC LIMIT 20;
-- session 5
INSERT INTO entry (account_id, amount, memo) VALUES (15, -31.00, 'transfer to 11');
-- session 3
UPDATE savings_plan SET saved = 194.00 WHERE id = 3;
-- session 5
INSERT INTO entry (account_id, amount, memo) VALUES (11, 31.00, 'transfer from 15');
-- session 3
COMMIT;
-- session 2
INSERT INTO entry (account_id, amount, memo) VALUES (4, 244, 'cash');
-- session 5
COMMIT;
-- session 4
COMMIT;
-- session 1
BEGIN;
-- session 2
COMMIT;
-- session 1
SELECT id, from_account, to_account, amount, next_run, version FROM standing_order WHERE id = 2;
-- session 4
UPDATE customer SET name = 'N5' WHERE id = 2;
-- session 3
BEGIN;
SELECT id, balance FROM account WHERE id IN (16, 20) ORDER BY id FOR UPDATE;
-- session 2
BEGIN;
-- session 1
UPDATE standing_order SET next_run = '2027-01-30', version = 4 WHERE id = 2 AND version = 3 RETURNING id;
-- session 5
BEGIN;
-- session 2
SELECT saved FROM savings_plan WHERE id = 5;
-- session 3
UPDATE account SET balance = 935.00 WHERE id = 20;
-- session 5
SELECT id, from_account, to_account, amount, next_run, version FROM standing_order WHERE id = 6;
-- session 1
UPDATE account SET balance = balance - 10.00 WHERE id = 2;
-- session 2
UPDATE savings_plan SET saved = 167.00 WHERE id = 5;
-- session 3
UPDATE account SET balance = 1067.00 WHERE id = 16;
-- session 5
UPDATE standing_order SET next_run = '2026-12-01', version = 2 WHERE id = 6 AND version = 1 RETURNING id;
-- session 1
UPDATE account SET balance = balance + 10.00 WHERE id = 19;
-- session 5
UPDATE account SET balance = balance - 10.00 WHERE id = 6;
-- session 4
UPDATE card SET state = 'blocked' WHERE id = 7 AND state = 'active';
-- session 3
INSERT INTO entry (account_id, amount, memo) VALUES (20, -45.00, 'transfer to 16');
-- session 5
UPDATE account SET balance = balance + 10.00 WHERE id = 15;
-- session 1
COMMIT;
-- session 2
COMMIT;
-- session 5
COMMIT;
-- session 3
INSERT INTO entry (account_id, amount, memo) VALUES (16, 45.00, 'transfer from 20');
-- session 1
BEGIN;
SELECT saved FROM savings_plan WHERE id = 5;
-- session 3
COMMIT;
-- session 5
BEGIN;
-- session 2
BEGIN;
-- session 3
BEGIN;
-- session 1
UPDATE savings_plan SET saved = 197.00 WHERE id = 5;
-- session 5
SELECT SUM(balance) FROM account WHERE customer_id = 6;
-- session 1
COMMIT;
-- session 2
SELECT saved FROM savings_plan WHERE id = 1;
-- session 5
UPDATE account SET balance = balance - 149 WHERE id = 11;
-- session 3
UPDATE account SET balance = balance + 197 WHERE id = 1;
-- session 5
INSERT INTO entry (account_id, amount, memo) VALUES (11, -149, 'counter');
-- session 4
SELECT a.id, a.balance, e.amount, e.memo, e.at FROM account a JOIN entry e ON e.account_id = a.id WHERE a.id = 9 ORDER BY e.at DESC LIMIT 20;
-- session 5
COMMIT;
-- session 2
UPDATE savings_plan SET saved = 150.00 WHERE id = 1;
-- session 1
BEGIN;
-- session 2
COMMIT;
-- session 3
INSERT INTO entry (account_id, amount, memo) VALUES (1, 197, 'cash');
-- session 4
UPDATE customer SET name = 'N65' WHERE id = 3;
-- session 3
COMMIT;
-- session 1
UPDATE account SET balance = balance + 164 WHERE id = 17;
INSERT INTO entry (account_id, amount, memo) VALUES (17, 164, 'cash');
-- session 2
BEGIN;
-- session 4
BEGIN;
-- session 1
COMMIT;
-- session 2
SELECT saved FROM savings_plan WHERE id = 3;
-- session 5
BEGIN;
-- session 4
SELECT saved FROM savings_plan WHERE id = 8;
-- session 2
UPDATE savings_plan SET saved = 223.00 WHERE id = 3;
-- session 3
BEGIN;
-- session 4
UPDATE savings_plan SET saved = 134.00 WHERE id = 8;
-- session 3
SELECT saved FROM savings_plan WHERE id = 7;
UPDATE savings_plan SET saved = 172.00 WHERE id = 7;
-- session 1
BEGIN;
-- session 5
UPDATE account SET balance = balance + 126 WHERE id = 8;
-- session 2
COMMIT;
-- session 3
COMMIT;
-- session 4
COMMIT;
-- session 1
UPDATE card SET spent_today = spent_today + 1 WHERE id = 6 AND spent_today + 1 <= daily_limit AND state = 'active' RETURNING account_id;
ROLLBACK;
-- session 5
INSERT INTO entry (account_id, amount, memo) VALUES (8, 126, 'cash');
-- session 4
BEGIN;
-- session 1
UPDATE card SET state = 'blocked' WHERE id = 20 AND state = 'active';
-- session 5
COMMIT;
-- session 4
UPDATE card SET spent_today = spent_today + 57 WHERE id = 14 AND spent_today + 57 <= daily_limit AND state = 'active' RETURNING account_id;
-- session 2
UPDATE card SET state = 'blocked' WHERE id = 16 AND state = 'active';
-- session 4
UPDATE account SET balance = balance - 57 WHERE id = 14;
-- session 3
BEGIN;
UPDATE card SET spent_today = spent_today + 47 WHERE id = 20 AND spent_today + 47 <= daily_limit AND state = 'active' RETURNING account_id;
-- session 5
BEGIN;
-- session 4
INSERT INTO entry (account_id, amount, memo) VALUES (14, -57, 'card 14');
COMMIT;
-- session 5
UPDATE account SET balance = balance + 34 WHERE id = 9;
INSERT INTO entry (account_id, amount, memo) VALUES (9, 34, 'cash');
-- session 4
BEGIN;
-- session 3
ROLLBACK;
-- session 1
BEGIN;
-- session 5
COMMIT;
-- session 1
SELECT id, balance FROM account WHERE id IN (8, 11) ORDER BY id FOR UPDATE;
-- session 4
SELECT id, from_account, to_account, amount, next_run, version FROM standing_order WHERE id = 9;
-- session 1
UPDATE account SET balance = 788.00 WHERE id = 11;
-- session 4
UPDATE standing_order SET next_run = '2026-12-31', version = 3 WHERE id = 9 AND version = 2 RETURNING id;
-- session 2
BEGIN;
-- session 1
UPDATE account SET balance = 937.00 WHERE id = 8;
-- session 2
UPDATE account SET balance = balance + 279 WHERE id = 11;
-- session 4
UPDATE account SET balance = balance - 10.00 WHERE id = 9;
-- session 1
INSERT INTO entry (account_id, amount, memo) VALUES (11, -35.00, 'transfer to 8');
INSERT INTO entry (account_id, amount, memo) VALUES (8, 35.00, 'transfer from 11');
-- session 4
UPDATE account SET balance = balance + 10.00 WHERE id = 12;
-- session 1
COMMIT;
-- session 4
COMMIT;
-- session 5
BEGIN;
-- session 3
UPDATE customer SET name = 'N54' WHERE id = 6;
-- session 5
SELECT SUM(balance) FROM account WHERE customer_id = 1;
-- session 2
INSERT INTO entry (account_id, amount, memo) VALUES (11, 279, 'cash');
-- session 5
UPDATE account SET balance = balance - 58 WHERE id = 2;
-- session 2
COMMIT;
-- session 3
UPDATE customer SET name = 'N52' WHERE id = 1;
-- session 1
BEGIN;
-- session 5
INSERT INTO entry (account_id, amount, memo) VALUES (2, -58, 'counter');
COMMIT;
-- session 1
SELECT SUM(balance) FROM account WHERE customer_id = 9;
-- session 2
SELECT a.id, a.balance, e.amount, e.memo, e.at FROM account a JOIN entry e ON e.account_id = a.id WHERE a.id = 8 ORDER BY e.at DESC LIMIT 20;
-- session 1
UPDATE account SET balance = balance - 187 WHERE id = 17;
-- session 4
BEGIN;
-- session 5
BEGIN;
-- session 1
INSERT INTO entry (account_id, amount, memo) VALUES (17, -187, 'counter');
-- session 4
SELECT id, balance FROM account WHERE id IN (6, 20) ORDER BY id FOR UPDATE;
-- session 1
COMMIT;
-- session 5
UPDATE account SET balance = balance + 227 WHERE id = 11;
-- session 3
SELECT a.id, a.balance, e.amount, e.memo, e.at FROM account a JOIN entry e ON e.account_id = a.id WHERE a.id = 11 ORDER BY e.at DESC LIMIT 20;
-- session 4
UPDATE account SET balance = 1362.00 WHERE id = 6;
-- session 5
INSERT INTO entry (account_id, amount, memo) VALUES (11, 227, 'cash');
-- session 4
UPDATE account SET balance = 957.00 WHERE id = 20;
-- session 1
BEGIN;
-- session 4
INSERT INTO entry (account_id, amount, memo) VALUES (6, -22.00, 'transfer to 20');
INSERT INTO entry (account_id, amount, memo) VALUES (20, 22.00, 'transfer from 6');
-- session 2
BEGIN;
-- session 4
COMMIT;
-- session 5
COMMIT;
-- session 1
SELECT saved FROM savings_plan WHERE id = 5;
-- session 2
SELECT id, balance FROM account WHERE id IN (9, 19) ORDER BY id FOR UPDATE;
-- session 1
UPDATE savings_plan SET saved = 220.00 WHERE id = 5;
COMMIT;
-- session 2
UPDATE account SET balance = 853.00 WHERE id = 9;
UPDATE account SET balance = 673.00 WHERE id = 19;
INSERT INTO entry (account_id, amount, memo) VALUES (9, -36.00, 'transfer to 19');
-- session 4
BEGIN;
-- session 3
UPDATE card SET state = 'blocked' WHERE id = 5 AND state = 'active';
-- session 2
INSERT INTO entry (account_id, amount, memo) VALUES (19, 36.00, 'transfer from 9');
-- session 5
SELECT a.id, a.balance, e.amount, e.memo, e.at FROM account a JOIN entry e ON e.account_id = a.id WHERE a.id = 6 ORDER BY e.at DESC LIMIT 20;
-- session 4
UPDATE account SET balance = balance + 32 WHERE id = 10;
-- session 2
COMMIT;
-- session 3
SELECT a.id, a.balance, e.amount, e.memo, e.at FROM account a JOIN entry e ON e.account_id = a.id WHERE a.id = 19 ORDER BY e.at DESC LIMIT 20;
-- session 4
INSERT INTO entry (account_id, amount, memo) VALUES (10, 32, 'cash');
-- session 1
UPDATE card SET state = 'blocked' WHERE id = 13 AND state = 'active';
-- session 5
BEGIN;
-- session 2
BEGIN;
SELECT saved FROM savings_plan WHERE id = 8;
-- session 4
COMMIT;
-- session 1
BEGIN;
SELECT SUM(balance) FROM account WHERE customer_id = 9;
-- session 5
SELECT id, balance FROM account WHERE id IN (5, 10) ORDER BY id FOR UPDATE;
-- session 2
UPDATE savings_plan SET saved = 147.00 WHERE id = 8;
-- session 5
UPDATE account SET balance = 1040.00 WHERE id = 5;
-- session 2
COMMIT;
-- session 1
UPDATE account SET balance = balance - 66 WHERE id = 18;
-- session 2
UPDATE customer SET name = 'N57' WHERE id = 4;
-- session 5
UPDATE account SET balance = 1082.00 WHERE id = 10;
-- session 3
BEGIN;
-- session 2
UPDATE customer SET name = 'N72' WHERE id = 8;
-- session 3
SELECT id, balance FROM account WHERE id IN (4, 16) ORDER BY id FOR UPDATE;
-- session 5
INSERT INTO entry (account_id, amount, memo) VALUES (5, -58.00, 'transfer to 10');
-- session 1
INSERT INTO entry (account_id, amount, memo) VALUES (18, -66, 'counter');
-- session 4
BEGIN;
-- session 1
COMMIT;
-- session 3
UPDATE account SET balance = 1419.00 WHERE id = 4;
-- session 5
INSERT INTO entry (account_id, amount, memo) VALUES (10, 58.00, 'transfer from 5');
-- session 4
SELECT id, balance FROM account WHERE id IN (3, 15) ORDER BY id FOR UPDATE;
-- session 5
COMMIT;
-- session 4
UPDATE account SET balance = 856.00 WHERE id = 3;
-- session 3
UPDATE account SET balance = 1070.00 WHERE id = 16;
-- session 1
BEGIN;
-- session 2
BEGIN;
-- session 4
UPDATE account SET balance = 1349.00 WHERE id = 15;
-- session 3
INSERT INTO entry (account_id, amount, memo) VALUES (4, -3.00, 'transfer to 16');
-- session 1
UPDATE account SET balance = balance + 176 WHERE id = 5;
-- session 2
SELECT saved FROM savings_plan WHERE id = 8;
-- session 3
INSERT INTO entry (account_id, amount, memo) VALUES (16, 3.00, 'transfer from 4');
COMMIT;
-- session 4
INSERT INTO entry (account_id, amount, memo) VALUES (3, -43.00, 'transfer to 15');
INSERT INTO entry (account_id, amount, memo) VALUES (15, 43.00, 'transfer from 3');
-- session 2
UPDATE savings_plan SET saved = 164.00 WHERE id = 8;
-- session 1
INSERT INTO entry (account_id, amount, memo) VALUES (5, 176, 'cash');
-- session 5
BEGIN;
SELECT saved FROM savings_plan WHERE id = 10;
-- session 4
COMMIT;
-- session 2
COMMIT;
-- session 1
COMMIT;
-- session 5
UPDATE savings_plan SET saved = 155.00 WHERE id = 10;
-- session 2
BEGIN;
SELECT saved FROM savings_plan WHERE id = 5;
UPDATE savings_plan SET saved = 256.00 WHERE id = 5;
-- session 3
BEGIN;
SELECT saved FROM savings_plan WHERE id = 4;
-- session 1
BEGIN;
-- session 5
COMMIT;
-- session 4
UPDATE customer SET name = 'N14' WHERE id = 8;
-- session 1
SELECT id, balance FROM account WHERE id IN (7, 15) ORDER BY id FOR UPDATE;
-- session 2
COMMIT;
-- session 3
UPDATE savings_plan SET saved = 204.00 WHERE id = 4;
-- session 1
UPDATE account SET balance = 1262.00 WHERE id = 15;
-- session 5
BEGIN;
-- session 3
COMMIT;
-- session 1
UPDATE account SET balance = 769.00 WHERE id = 7;
INSERT INTO entry (account_id, amount, memo) VALUES (15, -87.00, 'transfer to 7');
-- session 4
BEGIN;
-- session 1
INSERT INTO entry (account_id, amount, memo) VALUES (7, 87.00, 'transfer from 15');
-- session 4
UPDATE account SET balance = balance + 49 WHERE id = 9;
-- session 5
SELECT id, balance FROM account WHERE id IN (7, 12) ORDER BY id FOR UPDATE;
-- session 4
INSERT INTO entry (account_id, amount, memo) VALUES (9, 49, 'cash');
-- session 1
COMMIT;
-- session 5
UPDATE account SET balance = 1350.00 WHERE id = 12;
-- session 4
COMMIT;
-- session 5
UPDATE account SET balance = 818.00 WHERE id = 7;
-- session 2
BEGIN;
-- session 5
INSERT INTO entry (account_id, amount, memo) VALUES (12, -49.00, 'transfer to 7');
-- session 3
UPDATE card SET state = 'blocked' WHERE id = 4 AND state = 'active';
-- session 1
BEGIN;
-- session 2
UPDATE account SET balance = balance + 106 WHERE id = 4;
-- session 1
SELECT id, from_account, to_account, amount, next_run, version FROM standing_order WHERE id = 9;
-- session 4
BEGIN;
-- session 3
BEGIN;
-- session 1
UPDATE standing_order SET next_run = '2027-01-30', version = 4 WHERE id = 9 AND version = 3 RETURNING id;
-- session 5
INSERT INTO entry (account_id, amount, memo) VALUES (7, 49.00, 'transfer from 12');
-- session 2
INSERT INTO entry (account_id, amount, memo) VALUES (4, 106, 'cash');
COMMIT;
-- session 5
COMMIT;
-- session 3
SELECT id, balance FROM account WHERE id IN (18, 20) ORDER BY id FOR UPDATE;
-- session 4
SELECT id, from_account, to_account, amount, next_run, version FROM standing_order WHERE id = 8;
-- session 1
UPDATE account SET balance = balance - 10.00 WHERE id = 9;
-- session 3
UPDATE account SET balance = 887.00 WHERE id = 20;
-- session 1
UPDATE account SET balance = balance + 10.00 WHERE id = 12;
-- session 4
UPDATE standing_order SET next_run = '2026-12-01', version = 2 WHERE id = 8 AND version = 1 RETURNING id;
-- session 1
COMMIT;
-- session 3
UPDATE account SET balance = 651.00 WHERE id = 18;
INSERT INTO entry (account_id, amount, memo) VALUES (20, -70.00, 'transfer to 18');
-- session 4
UPDATE account SET balance = balance - 10.00 WHERE id = 8;
-- session 5
BEGIN;
-- session 3
INSERT INTO entry (account_id, amount, memo) VALUES (18, 70.00, 'transfer from 20');
-- session 2
BEGIN;
-- session 1
UPDATE customer SET name = 'N17' WHERE id = 4;
-- session 4
UPDATE account SET balance = balance + 10.00 WHERE id = 13;
-- session 3
COMMIT;
-- session 2
UPDATE account SET balance = balance + 204 WHERE id = 6;
-- session 5
SELECT id, balance FROM account WHERE id IN (3, 14) ORDER BY id FOR UPDATE;
-- session 3
BEGIN;
SELECT id, balance FROM account WHERE id IN (5, 20) ORDER BY id FOR UPDATE;
-- session 5
UPDATE account SET balance = 748.00 WHERE id = 14;
-- session 4
COMMIT;
-- session 2
INSERT INTO entry (account_id, amount, memo) VALUES (6, 204, 'cash');
COMMIT;
-- session 1
UPDATE customer SET name = 'N39' WHERE id = 6;
-- session 5
UPDATE account SET balance = 926.00 WHERE id = 3;
-- session 3
UPDATE account SET balance = 1148.00 WHERE id = 5;
-- session 4
UPDATE card SET state = 'blocked' WHERE id = 17 AND state = 'active';
-- session 2
UPDATE card SET state = 'blocked' WHERE id = 5 AND state = 'active';
-- session 3
UPDATE account SET balance = 955.00 WHERE id = 20;
-- session 5
INSERT INTO entry (account_id, amount, memo) VALUES (14, -70.00, 'transfer to 3');
-- session 3
INSERT INTO entry (account_id, amount, memo) VALUES (5, -68.00, 'transfer to 20');
-- session 1
BEGIN;
-- session 5
INSERT INTO entry (account_id, amount, memo) VALUES (3, 70.00, 'transfer from 14');
-- session 3
INSERT INTO entry (account_id, amount, memo) VALUES (20, 68.00, 'transfer from 5');
-- session 4
BEGIN;
-- session 1
UPDATE card SET spent_today = spent_today + 57 WHERE id = 8 AND spent_today + 57 <= daily_limit AND state = 'active' RETURNING account_id;
-- session 2
SELECT a.id, a.balance, e.amount, e.memo, e.at FROM account a JOIN entry e ON e.account_id = a.id WHERE a.id = 9 ORDER BY e.at DESC LIMIT 20;
-- session 3
COMMIT;
-- session 1
ROLLBACK;
-- session 4
SELECT SUM(balance) FROM account WHERE customer_id = 10;
-- session 5
COMMIT;
-- session 4
UPDATE account SET balance = balance - 109 WHERE id = 20;
-- session 2
SELECT a.id, a.balance, e.amount, e.memo, e.at FROM account a JOIN entry e ON e.account_id = a.id WHERE a.id = 8 ORDER BY e.at DESC LIMIT 20;
-- session 3
BEGIN;
-- session 1
SELECT a.id, a.balance, e.amount, e.memo, e.at FROM account a JOIN entry e ON e.account_id = a.id WHERE a.id = 10 ORDER BY e.at DESC LIMIT 20;
-- session 4
INSERT INTO entry (account_id, amount, memo) VALUES (20, -109, 'counter');
COMMIT;
-- session 3
SELECT id, balance FROM account WHERE id IN (9, 18) ORDER BY id FOR UPDATE;
-- session 2
BEGIN;
-- session 5
SELECT a.id, a.balance, e.amount, e.memo, e.at FROM account a JOIN entry e ON e.account_id = a.id WHERE a.id = 17 ORDER BY e.at DESC LIMIT 20;
-- session 2
SELECT SUM(balance) FROM account WHERE customer_id = 7;
-- session 5
UPDATE card SET state = 'blocked' WHERE id = 2 AND state = 'active';
-- session 3
UPDATE account SET balance = 562.00 WHERE id = 18;
-- session 2
UPDATE account SET balance = balance - 77 WHERE id = 14;
-- session 3
UPDATE account SET balance = 981.00 WHERE id = 9;
-- session 2
INSERT INTO entry (account_id, amount, memo) VALUES (14, -77, 'counter');
-- session 1
BEGIN;
-- session 2
COMMIT;
-- session 3
INSERT INTO entry (account_id, amount, memo) VALUES (18, -89.00, 'transfer to 9');
-- session 4
BEGIN;
-- session 1
SELECT SUM(balance) FROM account WHERE customer_id = 1;
-- session 3
INSERT INTO entry (account_id, amount, memo) VALUES (9, 89.00, 'transfer from 18');
-- session 1
UPDATE account SET balance = balance - 198 WHERE id = 1;
-- session 4
SELECT saved FROM savings_plan WHERE id = 2;
-- session 3
COMMIT;
-- session 5
BEGIN;
-- session 1
INSERT INTO entry (account_id, amount, memo) VALUES (1, -198, 'counter');
-- session 2
BEGIN;
-- session 5
SELECT id, from_account, to_account, amount, next_run, version FROM standing_order WHERE id = 10;
-- session 3
UPDATE card SET state = 'blocked' WHERE id = 3 AND state = 'active';
-- session 1
COMMIT;
-- session 2
SELECT id, from_account, to_account, amount, next_run, version FROM standing_order WHERE id = 6;
-- session 4
UPDATE savings_plan SET saved = 180.00 WHERE id = 2;
-- session 2
UPDATE standing_order SET next_run = '2026-12-31', version = 3 WHERE id = 6 AND version = 2 RETURNING id;
UPDATE account SET balance = balance - 10.00 WHERE id = 6;
UPDATE account SET balance = balance + 10.00 WHERE id = 15;
-- session 4
COMMIT;
-- session 5
UPDATE standing_order SET next_run = '2026-12-31', version = 3 WHERE id = 10 AND version = 2 RETURNING id;
UPDATE account SET balance = balance - 10.00 WHERE id = 10;
-- session 2
COMMIT;
-- session 4
UPDATE card SET state = 'blocked' WHERE id = 10 AND state = 'active';
-- session 3
UPDATE card SET state = 'blocked' WHERE id = 19 AND state = 'active';
-- session 1
SELECT a.id, a.balance, e.amount, e.memo, e.at FROM account a JOIN entry e ON e.account_id = a.id WHERE a.id = 15 ORDER BY e.at DESC LIMIT 20;
-- session 5
UPDATE account SET balance = balance + 10.00 WHERE id = 11;
COMMIT;
-- session 2
BEGIN;
-- session 4
BEGIN;
-- session 3
BEGIN;
-- session 5
SELECT a.id, a.balance, e.amount, e.memo, e.at FROM account a JOIN entry e ON e.account_id = a.id WHERE a.id = 18 ORDER BY e.at DESC LIMIT 20;
-- session 2
UPDATE account SET balance = balance + 28 WHERE id = 20;
-- session 3
UPDATE card SET spent_today = spent_today + 27 WHERE id = 7 AND spent_today + 27 <= daily_limit AND state = 'active' RETURNING account_id;
-- session 1
BEGIN;
UPDATE card SET spent_today = spent_today + 46 WHERE id = 18 AND spent_today + 46 <= daily_limit AND state = 'active' RETURNING account_id;
-- session 2
INSERT INTO entry (account_id, amount, memo) VALUES (20, 28, 'cash');
-- session 3
ROLLBACK;
-- session 2
COMMIT;
-- session 4
SELECT SUM(balance) FROM account WHERE customer_id = 4;
-- session 1
ROLLBACK;
-- session 4
UPDATE account SET balance = balance - 113 WHERE id = 8;
-- session 3
UPDATE customer SET name = 'N94' WHERE id = 8;
-- session 5
BEGIN;
-- session 1
BEGIN;
-- session 4
INSERT INTO entry (account_id, amount, memo) VALUES (8, -113, 'counter');
-- session 1
SELECT id, balance FROM account WHERE id IN (2, 15) ORDER BY id FOR UPDATE;
UPDATE account SET balance = 1270.00 WHERE id = 15;
-- session 5
UPDATE account SET balance = balance + 7 WHERE id = 6;
-- session 1
UPDATE account SET balance = 791.00 WHERE id = 2;
-- session 2
SELECT a.id, a.balance, e.amount, e.memo, e.at FROM account a JOIN entry e ON e.account_id = a.id WHERE a.id = 7 ORDER BY e.at DESC LIMIT 20;
-- session 4
COMMIT;
-- session 5
INSERT INTO entry (account_id, amount, memo) VALUES (6, 7, 'cash');
-- session 1
INSERT INTO entry (account_id, amount, memo) VALUES (15, -2.00, 'transfer to 2');
-- session 3
BEGIN;
SELECT SUM(balance) FROM account WHERE customer_id = 6;
-- session 2
SELECT a.id, a.balance, e.amount, e.memo, e.at FROM account a JOIN entry e ON e.account_id = a.id WHERE a.id = 1 ORDER BY e.at DESC LIMIT 20;
-- session 1
INSERT INTO entry (account_id, amount, memo) VALUES (2, 2.00, 'transfer from 15');
-- session 5
COMMIT;
-- session 3
UPDATE account SET balance = balance - 77 WHERE id = 11;
-- session 1
COMMIT;
-- session 3
INSERT INTO entry (account_id, amount, memo) VALUES (11, -77, 'counter');
-- session 5
UPDATE customer SET name = 'N74' WHERE id = 9;
-- session 1
SELECT a.id, a.balance, e.amount, e.memo, e.at FROM account a JOIN entry e ON e.account_id = a.id WHERE a.id = 9 ORDER BY e.at DESC LIMIT 20;
-- session 3
COMMIT;
-- session 4
BEGIN;
-- session 2
BEGIN;
-- session 4
SELECT id, from_account, to_account, amount, next_run, version FROM standing_order WHERE id = 10;
-- session 2
UPDATE card SET spent_today = spent_today + 47 WHERE id = 17 AND spent_today + 47 <= daily_limit AND state = 'active' RETURNING account_id;
ROLLBACK;
-- session 3
UPDATE customer SET name = 'N11' WHERE id = 5;
-- session 4
UPDATE standing_order SET next_run = '2027-01-30', version = 4 WHERE id = 10 AND version = 3 RETURNING id;
-- session 5
BEGIN;
-- session 1
BEGIN;
-- session 5
SELECT id, balance FROM account WHERE id IN (16, 20) ORDER BY id FOR UPDATE;
-- session 1
SELECT saved FROM savings_plan WHERE id = 8;
-- session 4
UPDATE account SET balance = balance - 10.00 WHERE id = 10;
-- session 5
UPDATE account SET balance = 1015.00 WHERE id = 16;
-- session 4
UPDATE account SET balance = balance + 10.00 WHERE id = 11;
-- session 1
UPDATE savings_plan SET saved = 212.00 WHERE id = 8;
-- session 4
COMMIT;
-- session 5
UPDATE account SET balance = 929.00 WHERE id = 20;
-- session 1
COMMIT;
-- session 5
INSERT INTO entry (account_id, amount, memo) VALUES (16, -55.00, 'transfer to 20');
-- session 2
BEGIN;
-- session 3
SELECT a.id, a.balance, e.amount, e.memo, e.at FROM account a JOIN entry e ON e.account_id = a.id WHERE a.id = 13 ORDER BY e.at DESC LIMIT 20;
-- session 5
INSERT INTO entry (account_id, amount, memo) VALUES (20, 55.00, 'transfer from 16');
-- session 2
SELECT id, balance FROM account WHERE id IN (13, 16) ORDER BY id FOR UPDATE;
-- session 5
COMMIT;
-- session 4
BEGIN;
-- session 2
UPDATE account SET balance = 1007.00 WHERE id = 16;
-- session 4
SELECT saved FROM savings_plan WHERE id = 4;
-- session 2
UPDATE account SET balance = 1014.00 WHERE id = 13;
-- session 3
BEGIN;
-- session 1
BEGIN;
-- session 3
SELECT id, balance FROM account WHERE id IN (9, 16) ORDER BY id FOR UPDATE;
-- session 4
UPDATE savings_plan SET saved = 252.00 WHERE id = 4;
-- session 1
SELECT id, balance FROM account WHERE id IN (2, 9) ORDER BY id FOR UPDATE;
-- session 2
INSERT INTO entry (account_id, amount, memo) VALUES (16, -8.00, 'transfer to 13');
-- session 5
BEGIN;
-- session 4
COMMIT;
-- session 2
INSERT INTO entry (account_id, amount, memo) VALUES (13, 8.00, 'transfer from 16');
-- session 5
UPDATE card SET spent_today = spent_today + 36 WHERE id = 9 AND spent_today + 36 <= daily_limit AND state = 'active' RETURNING account_id;
-- session 2
COMMIT;
-- session 4
BEGIN;
-- session 5
UPDATE account SET balance = balance - 36 WHERE id = 9;
-- session 4
SELECT id, from_account, to_account, amount, next_run, version FROM standing_order WHERE id = 3;
UPDATE standing_order SET next_run = '2026-12-01', version = 2 WHERE id = 3 AND version = 1 RETURNING id;
-- session 3
UPDATE account SET balance = 978.00 WHERE id = 9;
-- session 2
SELECT a.id, a.balance, e.amount, e.memo, e.at FROM account a JOIN entry e ON e.account_id = a.id WHERE a.id = 13 ORDER BY e.at DESC LIMIT 20;
-- session 4
UPDATE account SET balance = balance - 10.00 WHERE id = 3;
-- session 3
UPDATE account SET balance = 1010.00 WHERE id = 16;
INSERT INTO entry (account_id, amount, memo) VALUES (9, -3.00, 'transfer to 16');
INSERT INTO entry (account_id, amount, memo) VALUES (16, 3.00, 'transfer from 9');
-- session 4
UPDATE account SET balance = balance + 10.00 WHERE id = 18;
-- session 3
COMMIT;
-- session 4
COMMIT;
-- session 3
BEGIN;
-- session 2
BEGIN;
-- session 1
UPDATE account SET balance = 713.00 WHERE id = 2;
-- session 2
SELECT SUM(balance) FROM account WHERE customer_id = 5;
-- session 1
UPDATE account SET balance = 1056.00 WHERE id = 9;
-- session 3
SELECT saved FROM savings_plan WHERE id = 9;
UPDATE savings_plan SET saved = 229.00 WHERE id = 9;
-- session 4
BEGIN;
-- session 1
INSERT INTO entry (account_id, amount, memo) VALUES (2, -78.00, 'transfer to 9');
-- session 2
UPDATE account SET balance = balance - 132 WHERE id = 10;
-- session 1
INSERT INTO entry (account_id, amount, memo) VALUES (9, 78.00, 'transfer from 2');
-- session 3
COMMIT;
-- session 1
COMMIT;
-- session 5
INSERT INTO entry (account_id, amount, memo) VALUES (9, -36, 'card 9');
COMMIT;
-- session 4
SELECT id, balance FROM account WHERE id IN (10, 15) ORDER BY id FOR UPDATE;
-- session 2
INSERT INTO entry (account_id, amount, memo) VALUES (10, -132, 'counter');
COMMIT;
-- session 1
BEGIN;
-- session 5
BEGIN;
-- session 4
UPDATE account SET balance = 906.00 WHERE id = 10;
-- session 5
UPDATE account SET balance = balance + 264 WHERE id = 16;
-- session 4
UPDATE account SET balance = 1294.00 WHERE id = 15;
-- session 1
UPDATE account SET balance = balance + 231 WHERE id = 20;
-- session 3
BEGIN;
-- session 2
BEGIN;
-- session 1
INSERT INTO entry (account_id, amount, memo) VALUES (20, 231, 'cash');
-- session 3
SELECT SUM(balance) FROM account WHERE customer_id = 6;
-- session 5
INSERT INTO entry (account_id, amount, memo) VALUES (16, 264, 'cash');
-- session 2
SELECT SUM(balance) FROM account WHERE customer_id = 2;
-- session 3
UPDATE account SET balance = balance - 124 WHERE id = 11;
-- session 2
UPDATE account SET balance = balance - 101 WHERE id = 3;
-- session 4
INSERT INTO entry (account_id, amount, memo) VALUES (10, -24.00, 'transfer to 15');
-- session 1
COMMIT;
-- session 5
COMMIT;
-- session 2
INSERT INTO entry (account_id, amount, memo) VALUES (3, -101, 'counter');
-- session 3
INSERT INTO entry (account_id, amount, memo) VALUES (11, -124, 'counter');
COMMIT;
-- session 4
INSERT INTO entry (account_id, amount, memo) VALUES (15, 24.00, 'transfer from 10');
-- session 2
COMMIT;
-- session 5
UPDATE customer SET name = 'N90' WHERE id = 5;
-- session 1
BEGIN;
-- session 4
COMMIT;
-- session 1
UPDATE account SET balance = balance + 241 WHERE id = 5;
-- session 5
BEGIN;
-- session 4
UPDATE customer SET name = 'N23' WHERE id = 5;
-- session 1
INSERT INTO entry (account_id, amount, memo) VALUES (5, 241, 'cash');
COMMIT;
-- session 3
BEGIN;
-- session 5
SELECT id, from_account, to_account, amount, next_run, version FROM standing_order WHERE id = 5;
-- session 4
BEGIN;
-- session 3
SELECT id, from_account, to_account, amount, next_run, version FROM standing_order WHERE id = 4;
-- session 4
UPDATE card SET spent_today = spent_today + 40 WHERE id = 18 AND spent_today + 40 <= daily_limit AND state = 'active' RETURNING account_id;
-- session 3
UPDATE standing_order SET next_run = '2026-12-31', version = 3 WHERE id = 4 AND version = 2 RETURNING id;
-- session 5
UPDATE standing_order SET next_run = '2026-12-01', version = 2 WHERE id = 5 AND version = 1 RETURNING id;
-- session 4
ROLLBACK;
-- session 3
UPDATE account SET balance = balance - 10.00 WHERE id = 4;
-- session 1
UPDATE card SET state = 'blocked' WHERE id = 4 AND state = 'active';
-- session 3
UPDATE account SET balance = balance + 10.00 WHERE id = 17;
-- session 4
UPDATE card SET state = 'blocked' WHERE id = 4 AND state = 'active';
-- session 3
COMMIT;
-- session 5
UPDATE account SET balance = balance - 10.00 WHERE id = 5;
-- session 1
BEGIN;
-- session 3
BEGIN;
-- session 1
SELECT SUM(balance) FROM account WHERE customer_id = 6;
-- session 5
UPDATE account SET balance = balance + 10.00 WHERE id = 16;
-- session 1
UPDATE account SET balance = balance - 105 WHERE id = 12;
-- session 3
UPDATE account SET balance = balance + 233 WHERE id = 11;
INSERT INTO entry (account_id, amount, memo) VALUES (11, 233, 'cash');
-- session 4
BEGIN;
-- session 1
INSERT INTO entry (account_id, amount, memo) VALUES (12, -105, 'counter');
-- session 5
COMMIT;
-- session 3
COMMIT;
-- session 4
SELECT SUM(balance) FROM account WHERE customer_id = 2;
-- session 1
COMMIT;
-- session 4
UPDATE account SET balance = balance - 156 WHERE id = 3;
-- session 5
BEGIN;
-- session 4
INSERT INTO entry (account_id, amount, memo) VALUES (3, -156, 'counter');
-- session 5
SELECT id, from_account, to_account, amount, next_run, version FROM standing_order WHERE id = 4;
-- session 4
COMMIT;
-- session 3
BEGIN;
-- session 5
UPDATE standing_order SET next_run = '2027-01-30', version = 4 WHERE id = 4 AND version = 3 RETURNING id;
-- session 3
UPDATE card SET spent_today = spent_today + 29 WHERE id = 5 AND spent_today + 29 <= daily_limit AND state = 'active' RETURNING account_id;
-- session 1
BEGIN;
-- session 3
ROLLBACK;
-- session 5
UPDATE account SET balance = balance - 10.00 WHERE id = 4;
-- session 1
SELECT SUM(balance) FROM account WHERE customer_id = 3;
-- session 4
BEGIN;
-- session 5
UPDATE account SET balance = balance + 10.00 WHERE id = 17;
COMMIT;
-- session 1
UPDATE account SET balance = balance - 94 WHERE id = 6;
-- session 4
SELECT saved FROM savings_plan WHERE id = 9;
UPDATE savings_plan SET saved = 242.00 WHERE id = 9;
-- session 1
INSERT INTO entry (account_id, amount, memo) VALUES (6, -94, 'counter');
COMMIT;
-- session 4
COMMIT;
-- session 3
BEGIN;
SELECT id, from_account, to_account, amount, next_run, version FROM standing_order WHERE id = 12;
UPDATE standing_order SET next_run = '2026-12-31', version = 3 WHERE id = 12 AND version = 2 RETURNING id;
UPDATE account SET balance = balance - 10.00 WHERE id = 12;
-- session 5
BEGIN;
-- session 3
UPDATE account SET balance = balance + 10.00 WHERE id = 9;
-- session 1
BEGIN;
-- session 5
UPDATE card SET spent_today = spent_today + 27 WHERE id = 19 AND spent_today + 27 <= daily_limit AND state = 'active' RETURNING account_id;
-- session 3
COMMIT;
-- session 1
SELECT id, balance FROM account WHERE id IN (7, 17) ORDER BY id FOR UPDATE;
-- session 5
ROLLBACK;
-- session 1
UPDATE account SET balance = 730.00 WHERE id = 7;
UPDATE account SET balance = 942.00 WHERE id = 17;
INSERT INTO entry (account_id, amount, memo) VALUES (7, -88.00, 'transfer to 17');
-- session 3
BEGIN;
-- session 1
INSERT INTO entry (account_id, amount, memo) VALUES (17, 88.00, 'transfer from 7');
-- session 3
UPDATE account SET balance = balance + 205 WHERE id = 18;
-- session 1
COMMIT;
-- session 3
INSERT INTO entry (account_id, amount, memo) VALUES (18, 205, 'cash');
-- session 5
UPDATE card SET state = 'blocked' WHERE id = 17 AND state = 'active';
-- session 3
COMMIT;
-- session 1
BEGIN;
SELECT SUM(balance) FROM account WHERE customer_id = 2;
-- session 5
BEGIN;
SELECT id, from_account, to_account, amount, next_run, version FROM standing_order WHERE id = 2;
-- session 1
UPDATE account SET balance = balance - 185 WHERE id = 4;
-- session 3
BEGIN;
-- session 5
UPDATE standing_order SET next_run = '2027-03-01', version = 5 WHERE id = 2 AND version = 4 RETURNING id;
UPDATE account SET balance = balance - 10.00 WHERE id = 2;
-- session 1
INSERT INTO entry (account_id, amount, memo) VALUES (4, -185, 'counter');
-- session 3
UPDATE card SET spent_today = spent_today + 11 WHERE id = 10 AND spent_today + 11 <= daily_limit AND state = 'active' RETURNING account_id;
-- session 5
UPDATE account SET balance = balance + 10.00 WHERE id = 19;
-- session 1
COMMIT;
-- session 3
ROLLBACK;
-- session 5
COMMIT;
-- session 1
UPDATE customer SET name = 'N74' WHERE id = 3;
-- session 5
BEGIN;
-- session 3
SELECT a.id, a.balance, e.amount, e.memo, e.at FROM account a JOIN entry e ON e.account_id = a.id WHERE a.id = 11 ORDER BY e.at DESC LIMIT 20;
-- session 5
SELECT id, balance FROM account WHERE id IN (3, 8) ORDER BY id FOR UPDATE;
UPDATE account SET balance = 775.00 WHERE id = 8;
-- session 1
BEGIN;
-- session 3
UPDATE customer SET name = 'N57' WHERE id = 6;
-- session 5
UPDATE account SET balance = 698.00 WHERE id = 3;
-- session 1
SELECT saved FROM savings_plan WHERE id = 2;
UPDATE savings_plan SET saved = 188.00 WHERE id = 2;
-- session 5
INSERT INTO entry (account_id, amount, memo) VALUES (8, -39.00, 'transfer to 3');
-- session 1
COMMIT;
-- session 5
INSERT INTO entry (account_id, amount, memo) VALUES (3, 39.00, 'transfer from 8');
COMMIT;
-- session 3
BEGIN;
UPDATE card SET spent_today = spent_today + 45 WHERE id = 2 AND spent_today + 45 <= daily_limit AND state = 'active' RETURNING account_id;
ROLLBACK;
-- session 5
UPDATE card SET state = 'blocked' WHERE id = 13 AND state = 'active';
-- session 1
SELECT a.id, a.balance, e.amount, e.memo, e.at FROM account a JOIN entry e ON e.account_id = a.id WHERE a.id = 20 ORDER BY e.at DESC LIMIT 20;
BEGIN;
UPDATE account SET balance = balance + 207 WHERE id = 9;
INSERT INTO entry (account_id, amount, memo) VALUES (9, 207, 'cash');
-- session 5
SELECT a.id, a.balance, e.amount, e.memo, e.at FROM account a JOIN entry e ON e.account_id = a.id WHERE a.id = 9 ORDER BY e.at DESC LIMIT 20;
-- session 1
COMMIT;
-- session 5
BEGIN;
SELECT id, from_account, to_account, amount, next_run, version FROM standing_order WHERE id = 11;
UPDATE standing_order SET next_run = '2027-01-30', version = 4 WHERE id = 11 AND version = 3 RETURNING id;
UPDATE account SET balance = balance - 10.00 WHERE id = 11;
UPDATE account SET balance = balance + 10.00 WHERE id = 10;
COMMIT;
