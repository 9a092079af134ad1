-- about: SmallBank: a withdrawal from one account looks at both, so two of them overdraw the customer together
-- schema: bank.ddl
-- at snapshot-isolation: write skew; targets checking.bal

-- session a
BEGIN;
SELECT bal FROM savings WHERE custid = 7;
SELECT bal FROM checking WHERE custid = 7;
UPDATE checking SET bal = bal - 100 WHERE custid = 7;
COMMIT;
-- session b
BEGIN;
SELECT bal FROM savings WHERE custid = 8;
SELECT bal FROM checking WHERE custid = 8;
UPDATE savings SET bal = bal - 50 WHERE custid = 8;
COMMIT;
