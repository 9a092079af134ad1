-- about: a row with id <> 37 is not the row with id = 37: two transactions cannot go wrong, three can
-- schema: stock_rows.ddl
-- at read-committed: phantom
-- session 1
BEGIN;
SELECT 1 FROM bill WHERE number = 'R1' AND id != 37;
UPDATE bill SET ip = 'a' WHERE id = 37;
COMMIT;
-- session 2
BEGIN;
INSERT INTO bill (number, ip) VALUES ('R2', 'b');
COMMIT;
