-- about: look whether a name is free, then take it; no unique key keeps two from taking the same
-- schema: shop.ddl
-- at read-committed: phantom
-- at snapshot-isolation: phantom

-- session a
BEGIN;
SELECT count(*) FROM members WHERE name = 'ann';
INSERT INTO members (id, name) VALUES (1, 'ann');
COMMIT;
-- session b
BEGIN;
SELECT count(*) FROM members WHERE name = 'bob';
INSERT INTO members (id, name) VALUES (2, 'bob');
COMMIT;
