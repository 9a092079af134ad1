-- about: a row that a transaction has just made is nobody else's, nor are the rows that belong to it
-- schema: stock_rows.ddl
-- at read-committed: none
-- session 1
BEGIN;
INSERT INTO bill (number, ip, sum) VALUES ('R1', 'a', 0);
INSERT INTO bill_line (bill_id, sum) VALUES (41, 5);
SELECT sum(sum) FROM bill_line WHERE bill_id = 41;
SELECT sum FROM bill WHERE id = 41;
UPDATE bill SET sum = 5 WHERE id = 41;
COMMIT;
-- session 2
BEGIN;
INSERT INTO bill (number, ip, sum) VALUES ('R2', 'b', 0);
INSERT INTO bill_line (bill_id, sum) VALUES (42, 7);
SELECT sum(sum) FROM bill_line WHERE bill_id = 42;
SELECT sum FROM bill WHERE id = 42;
UPDATE bill SET sum = 7 WHERE id = 42;
COMMIT;
