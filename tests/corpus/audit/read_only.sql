-- about: Fekete's read-only anomaly: a deposit, a withdrawal that looks at both accounts, and a report that only reads
-- schema: bank.ddl
-- at snapshot-isolation: read-only anomaly

-- session a
BEGIN;
SELECT bal FROM savings WHERE custid = 7;
UPDATE savings SET bal = 20 WHERE custid = 7;
COMMIT;
-- session b
BEGIN;
SELECT bal FROM savings WHERE custid = 8;
SELECT bal FROM checking WHERE custid = 8;
UPDATE checking SET bal = -11 WHERE custid = 8;
COMMIT;
-- session c
BEGIN;
SELECT bal FROM savings WHERE custid = 9;
SELECT bal FROM checking WHERE custid = 9;
COMMIT;
