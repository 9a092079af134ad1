-- about: a transfer between two accounts, and a statement that reads both: the money may be seen in neither
-- schema: bank.ddl
-- at read-committed: read skew; targets checking.bal
-- at repeatable-read: none
-- at snapshot-isolation: none

-- session a
BEGIN;
UPDATE savings SET bal = bal - 30 WHERE custid = 7;
UPDATE checking SET bal = bal + 30 WHERE custid = 7;
COMMIT;
-- session b
BEGIN;
SELECT bal FROM checking WHERE custid = 8;
SELECT bal FROM savings WHERE custid = 8;
COMMIT;
