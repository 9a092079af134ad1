-- about: an id that was used before is not the one that the INSERT has made
-- schema: stock_rows.ddl
-- at read-committed: lost update; targets bill.sum
-- session 1
SELECT ip FROM bill WHERE id = 41;
BEGIN;
INSERT INTO bill (number, ip, sum) VALUES ('R1', 'a', 0);
SELECT sum FROM bill WHERE id = 41;
UPDATE bill SET sum = 5 WHERE id = 41;
COMMIT;
-- session 2
BEGIN;
INSERT INTO bill (number, ip, sum) VALUES ('R2', 'b', 0);
SELECT sum FROM bill WHERE id = 41;
UPDATE bill SET sum = 7 WHERE id = 41;
COMMIT;
