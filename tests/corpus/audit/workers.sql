-- about: workers; faults: the next mail is read without a lock, a quota is read and written back, the last active worker of a pool leaves; safe: SKIP LOCKED, an upsert that counts hits, a lease whose UPDATE asks when it ends, relative counters; a report reads two tables
-- schema: workers.ddl
-- at read-committed: lost update, phantom, read skew
-- at snapshot-isolation: phantom
-- across transactions: none
-- session 3
BEGIN;
SELECT id, address FROM mail WHERE state = 'ready' ORDER BY id LIMIT 1;
UPDATE mail SET state = 'sent' WHERE id = 1;
COMMIT;
-- session 1
BEGIN;
SELECT id, payload FROM job WHERE state = 'ready' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED;
-- session 2
BEGIN;
-- session 5
BEGIN;
SELECT id, payload FROM job WHERE state = 'ready' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED;
-- session 3
BEGIN;
-- session 4
INSERT INTO mail (state, address) VALUES ('ready', 'u76@example.org');
-- session 1
UPDATE job SET state = 'running', worker = 'w1' WHERE id = 1;
-- session 5
UPDATE job SET state = 'running', worker = 'w2' WHERE id = 2;
COMMIT;
-- session 1
COMMIT;
BEGIN;
-- session 2
SELECT id, payload FROM job WHERE state = 'ready' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED;
-- session 3
SELECT id, payload FROM job WHERE state = 'ready' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED;
-- session 1
UPDATE job SET state = 'done' WHERE id = 1;
-- session 2
UPDATE job SET state = 'running', worker = 'w3' WHERE id = 3;
COMMIT;
-- session 4
BEGIN;
SELECT state, count(*) FROM job GROUP BY state;
-- session 1
INSERT INTO job_log (job_id, message) VALUES (1, 'finished');
-- session 2
BEGIN;
-- session 3
UPDATE job SET state = 'running', worker = 'w1' WHERE id = 4;
-- session 4
SELECT name, n FROM counter;
-- session 5
BEGIN;
-- session 3
COMMIT;
-- session 5
UPDATE job SET state = 'done' WHERE id = 2;
-- session 1
COMMIT;
-- session 2
UPDATE job SET state = 'done' WHERE id = 3;
-- session 1
BEGIN;
-- session 4
COMMIT;
-- session 1
SELECT count(*) FROM worker WHERE pool = 3 AND active = true;
-- session 3
BEGIN;
-- session 2
INSERT INTO job_log (job_id, message) VALUES (3, 'finished');
-- session 3
UPDATE job SET state = 'done' WHERE id = 4;
INSERT INTO job_log (job_id, message) VALUES (4, 'finished');
COMMIT;
-- session 1
UPDATE worker SET active = false WHERE id = 34;
-- session 5
INSERT INTO job_log (job_id, message) VALUES (2, 'finished');
-- session 2
COMMIT;
-- session 5
COMMIT;
-- session 4
BEGIN;
-- session 3
INSERT INTO rate (ip, minute, hits) VALUES ('10.0.0.1', 50, 1) ON CONFLICT (ip, minute) DO UPDATE SET hits = rate.hits + 1 RETURNING hits;
-- session 5
BEGIN;
SELECT state, count(*) FROM job GROUP BY state;
-- session 2
INSERT INTO rate (ip, minute, hits) VALUES ('10.0.0.5', 50, 1) ON CONFLICT (ip, minute) DO UPDATE SET hits = rate.hits + 1 RETURNING hits;
-- session 1
COMMIT;
-- session 4
SELECT id, payload FROM job WHERE state = 'ready' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED;
UPDATE job SET state = 'running', worker = 'w2' WHERE id = 5;
-- session 1
BEGIN;
-- session 4
COMMIT;
-- session 5
SELECT name, n FROM counter;
COMMIT;
-- session 4
BEGIN;
-- session 2
BEGIN;
-- session 3
BEGIN;
-- session 2
SELECT count(*) FROM worker WHERE pool = 2 AND active = true;
UPDATE worker SET active = false WHERE id = 24;
-- session 5
BEGIN;
SELECT id, payload FROM job WHERE state = 'ready' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED;
UPDATE job SET state = 'running', worker = 'w1' WHERE id = 6;
-- session 4
UPDATE job SET state = 'done' WHERE id = 5;
-- session 2
COMMIT;
-- session 5
COMMIT;
BEGIN;
-- session 3
SELECT count(*) FROM worker WHERE pool = 3 AND active = true;
-- session 4
INSERT INTO job_log (job_id, message) VALUES (5, 'finished');
-- session 2
INSERT INTO job (state, payload) VALUES ('ready', 'p6');
-- session 1
SELECT state, count(*) FROM job GROUP BY state;
SELECT name, n FROM counter;
COMMIT;
-- session 4
COMMIT;
-- session 5
UPDATE job SET state = 'done' WHERE id = 6;
-- session 3
UPDATE worker SET active = false WHERE id = 32;
-- session 4
INSERT INTO job (state, payload) VALUES ('ready', 'p4');
-- session 2
UPDATE counter SET n = n + 1 WHERE name = 'jobs';
-- session 3
COMMIT;
-- session 5
INSERT INTO job_log (job_id, message) VALUES (6, 'finished');
COMMIT;
-- session 3
INSERT INTO job (state, payload) VALUES ('ready', 'p8');
-- session 2
UPDATE lease SET owner = 'w3', until = 1063 WHERE name = 'cron' AND until < 1003;
-- session 5
BEGIN;
-- session 2
INSERT INTO mail (state, address) VALUES ('ready', 'u38@example.org');
-- session 3
INSERT INTO job (state, payload) VALUES ('ready', 'p8');
-- session 1
BEGIN;
-- session 2
BEGIN;
SELECT id, payload FROM job WHERE state = 'ready' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED;
-- session 3
INSERT INTO rate (ip, minute, hits) VALUES ('10.0.0.5', 50, 1) ON CONFLICT (ip, minute) DO UPDATE SET hits = rate.hits + 1 RETURNING hits;
-- session 4
UPDATE counter SET n = n + 1 WHERE name = 'jobs';
-- session 5
SELECT id, payload FROM job WHERE state = 'ready' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED;
UPDATE job SET state = 'running', worker = 'w3' WHERE id = 7;
-- session 3
BEGIN;
-- session 1
SELECT id, payload FROM job WHERE state = 'ready' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED;
-- session 4
INSERT INTO rate (ip, minute, hits) VALUES ('10.0.0.3', 50, 1) ON CONFLICT (ip, minute) DO UPDATE SET hits = rate.hits + 1 RETURNING hits;
-- session 5
COMMIT;
-- session 1
UPDATE job SET state = 'running', worker = 'w4' WHERE id = 8;
-- session 3
SELECT id, address FROM mail WHERE state = 'ready' ORDER BY id LIMIT 1;
-- session 4
BEGIN;
-- session 1
COMMIT;
-- session 3
UPDATE mail SET state = 'sent' WHERE id = 2;
-- session 1
BEGIN;
-- session 3
COMMIT;
-- session 2
UPDATE job SET state = 'running', worker = 'w3' WHERE id = 9;
-- session 4
SELECT used, allowed FROM quota WHERE tenant = 'initech';
-- session 1
UPDATE job SET state = 'done' WHERE id = 8;
-- session 3
BEGIN;
-- session 1
INSERT INTO job_log (job_id, message) VALUES (8, 'finished');
-- session 4
UPDATE quota SET used = 2 WHERE tenant = 'initech';
-- session 3
SELECT id, payload FROM job WHERE state = 'ready' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED;
-- session 5
BEGIN;
-- session 4
INSERT INTO usage_log (tenant, amount) VALUES ('initech', 2);
-- session 2
COMMIT;
-- session 4
COMMIT;
-- session 2
BEGIN;
-- session 3
UPDATE job SET state = 'running', worker = 'w4' WHERE id = 10;
-- session 5
UPDATE job SET state = 'done' WHERE id = 7;
-- session 1
COMMIT;
-- session 4
UPDATE lease SET owner = 'w4', until = 1066 WHERE name = 'cron' AND until < 1006;
-- session 3
COMMIT;
-- session 5
INSERT INTO job_log (job_id, message) VALUES (7, 'finished');
-- session 2
UPDATE job SET state = 'done' WHERE id = 9;
-- session 3
BEGIN;
UPDATE job SET state = 'done' WHERE id = 10;
-- session 5
COMMIT;
-- session 3
INSERT INTO job_log (job_id, message) VALUES (10, 'finished');
-- session 4
BEGIN;
-- session 1
UPDATE counter SET n = n + 1 WHERE name = 'jobs';
-- session 2
INSERT INTO job_log (job_id, message) VALUES (9, 'finished');
-- session 5
BEGIN;
SELECT id, address FROM mail WHERE state = 'ready' ORDER BY id LIMIT 1;
-- session 3
COMMIT;
-- session 2
COMMIT;
-- session 4
SELECT id, address FROM mail WHERE state = 'ready' ORDER BY id LIMIT 1;
-- session 5
UPDATE mail SET state = 'sent' WHERE id = 3;
COMMIT;
-- session 2
UPDATE worker SET active = true WHERE id = 22;
-- session 3
UPDATE counter SET n = n + 1 WHERE name = 'mails';
-- session 5
BEGIN;
-- session 2
BEGIN;
-- session 5
SELECT count(*) FROM worker WHERE pool = 1 AND active = true;
-- session 3
INSERT INTO mail (state, address) VALUES ('ready', 'u84@example.org');
-- session 1
UPDATE lease SET owner = 'w5', until = 1067 WHERE name = 'sweep' AND until < 1007;
-- session 5
UPDATE worker SET active = false WHERE id = 14;
-- session 4
UPDATE mail SET state = 'sent' WHERE id = 3;
-- session 5
COMMIT;
-- session 2
SELECT used, allowed FROM quota WHERE tenant = 'initech';
-- session 5
BEGIN;
-- session 4
COMMIT;
-- session 5
SELECT id, address FROM mail WHERE state = 'ready' ORDER BY id LIMIT 1;
-- session 1
BEGIN;
-- session 2
UPDATE quota SET used = 4 WHERE tenant = 'initech';
-- session 4
INSERT INTO rate (ip, minute, hits) VALUES ('10.0.0.2', 50, 1) ON CONFLICT (ip, minute) DO UPDATE SET hits = rate.hits + 1 RETURNING hits;
-- session 1
SELECT id, payload FROM job WHERE state = 'ready' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED;
-- session 5
UPDATE mail SET state = 'sent' WHERE id = 4;
-- session 1
UPDATE job SET state = 'running', worker = 'w1' WHERE id = 11;
COMMIT;
-- session 2
INSERT INTO usage_log (tenant, amount) VALUES ('initech', 2);
-- session 1
BEGIN;
-- session 4
BEGIN;
SELECT used, allowed FROM quota WHERE tenant = 'initech';
UPDATE quota SET used = 6 WHERE tenant = 'initech';
-- session 1
UPDATE job SET state = 'done' WHERE id = 11;
-- session 4
INSERT INTO usage_log (tenant, amount) VALUES ('initech', 2);
-- session 5
COMMIT;
-- session 4
COMMIT;
-- session 1
INSERT INTO job_log (job_id, message) VALUES (11, 'finished');
-- session 3
BEGIN;
-- session 1
COMMIT;
-- session 3
SELECT used, allowed FROM quota WHERE tenant = 'acme';
-- session 5
INSERT INTO mail (state, address) VALUES ('ready', 'u82@example.org');
-- session 4
INSERT INTO rate (ip, minute, hits) VALUES ('10.0.0.4', 50, 1) ON CONFLICT (ip, minute) DO UPDATE SET hits = rate.hits + 1 RETURNING hits;
-- session 3
UPDATE quota SET used = 2 WHERE tenant = 'acme';
INSERT INTO usage_log (tenant, amount) VALUES ('acme', 2);
COMMIT;
UPDATE worker SET active = true WHERE id = 21;
-- session 5
INSERT INTO job (state, payload) VALUES ('ready', 'p6');
-- session 2
COMMIT;
-- session 4
UPDATE lease SET owner = 'w3', until = 1070 WHERE name = 'cron' AND until < 1010;
-- session 3
UPDATE counter SET n = n + 1 WHERE name = 'jobs';
-- session 2
UPDATE lease SET owner = 'w5', until = 1071 WHERE name = 'sweep' AND until < 1011;
-- session 1
BEGIN;
SELECT id, address FROM mail WHERE state = 'ready' ORDER BY id LIMIT 1;
UPDATE mail SET state = 'sent' WHERE id = 5;
COMMIT;
-- session 3
BEGIN;
-- session 1
UPDATE lease SET owner = 'w3', until = 1072 WHERE name = 'cron' AND until < 1012;
-- session 4
UPDATE counter SET n = n + 1 WHERE name = 'jobs';
-- session 3
SELECT id, address FROM mail WHERE state = 'ready' ORDER BY id LIMIT 1;
UPDATE mail SET state = 'sent' WHERE id = 6;
-- session 5
BEGIN;
-- session 4
INSERT INTO rate (ip, minute, hits) VALUES ('10.0.0.4', 50, 1) ON CONFLICT (ip, minute) DO UPDATE SET hits = rate.hits + 1 RETURNING hits;
-- session 1
BEGIN;
-- session 2
INSERT INTO rate (ip, minute, hits) VALUES ('10.0.0.5', 50, 1) ON CONFLICT (ip, minute) DO UPDATE SET hits = rate.hits + 1 RETURNING hits;
-- session 1
SELECT id, address FROM mail WHERE state = 'ready' ORDER BY id LIMIT 1;
UPDATE mail SET state = 'sent' WHERE id = 7;
-- session 3
COMMIT;
-- session 1
COMMIT;
UPDATE worker SET active = true WHERE id = 14;
-- session 4
INSERT INTO rate (ip, minute, hits) VALUES ('10.0.0.5', 50, 1) ON CONFLICT (ip, minute) DO UPDATE SET hits = rate.hits + 1 RETURNING hits;
-- session 5
SELECT used, allowed FROM quota WHERE tenant = 'acme';
-- session 1
BEGIN;
-- session 4
INSERT INTO job (state, payload) VALUES ('ready', 'p8');
-- session 5
UPDATE quota SET used = 6 WHERE tenant = 'acme';
-- session 1
SELECT used, allowed FROM quota WHERE tenant = 'hooli';
-- session 3
INSERT INTO rate (ip, minute, hits) VALUES ('10.0.0.1', 50, 1) ON CONFLICT (ip, minute) DO UPDATE SET hits = rate.hits + 1 RETURNING hits;
-- session 1
UPDATE quota SET used = 1 WHERE tenant = 'hooli';
-- session 3
UPDATE counter SET n = n + 1 WHERE name = 'jobs';
-- session 5
INSERT INTO usage_log (tenant, amount) VALUES ('acme', 4);
-- session 4
UPDATE counter SET n = n + 1 WHERE name = 'mails';
-- session 1
INSERT INTO usage_log (tenant, amount) VALUES ('hooli', 1);
COMMIT;
-- session 4
INSERT INTO job (state, payload) VALUES ('ready', 'p2');
-- session 5
COMMIT;
-- session 1
BEGIN;
-- session 3
INSERT INTO mail (state, address) VALUES ('ready', 'u65@example.org');
-- session 2
UPDATE worker SET active = true WHERE id = 31;
-- session 1
SELECT used, allowed FROM quota WHERE tenant = 'acme';
-- session 4
UPDATE lease SET owner = 'w3', until = 1077 WHERE name = 'sweep' AND until < 1017;
-- session 3
BEGIN;
-- session 2
BEGIN;
-- session 4
INSERT INTO job (state, payload) VALUES ('ready', 'p2');
-- session 1
UPDATE quota SET used = 10 WHERE tenant = 'acme';
-- session 2
SELECT count(*) FROM worker WHERE pool = 2 AND active = true;
UPDATE worker SET active = false WHERE id = 22;
-- session 5
BEGIN;
-- session 4
BEGIN;
-- session 1
INSERT INTO usage_log (tenant, amount) VALUES ('acme', 4);
-- session 3
SELECT id, address FROM mail WHERE state = 'ready' ORDER BY id LIMIT 1;
-- session 5
SELECT id, address FROM mail WHERE state = 'ready' ORDER BY id LIMIT 1;
-- session 4
SELECT used, allowed FROM quota WHERE tenant = 'acme';
-- session 1
COMMIT;
-- session 2
COMMIT;
-- session 3
UPDATE mail SET state = 'sent' WHERE id = 8;
COMMIT;
-- session 2
BEGIN;
-- session 4
UPDATE quota SET used = 12 WHERE tenant = 'acme';
-- session 5
UPDATE mail SET state = 'sent' WHERE id = 8;
COMMIT;
-- session 4
INSERT INTO usage_log (tenant, amount) VALUES ('acme', 2);
COMMIT;
-- session 1
BEGIN;
-- session 2
SELECT state, count(*) FROM job GROUP BY state;
SELECT name, n FROM counter;
COMMIT;
-- session 1
SELECT used, allowed FROM quota WHERE tenant = 'hooli';
-- session 5
INSERT INTO rate (ip, minute, hits) VALUES ('10.0.0.4', 50, 1) ON CONFLICT (ip, minute) DO UPDATE SET hits = rate.hits + 1 RETURNING hits;
-- session 3
INSERT INTO rate (ip, minute, hits) VALUES ('10.0.0.2', 50, 1) ON CONFLICT (ip, minute) DO UPDATE SET hits = rate.hits + 1 RETURNING hits;
-- session 5
INSERT INTO mail (state, address) VALUES ('ready', 'u59@example.org');
INSERT INTO rate (ip, minute, hits) VALUES ('10.0.0.2', 51, 1) ON CONFLICT (ip, minute) DO UPDATE SET hits = rate.hits + 1 RETURNING hits;
-- session 1
UPDATE quota SET used = 2 WHERE tenant = 'hooli';
-- session 5
BEGIN;
-- session 2
UPDATE worker SET active = true WHERE id = 13;
-- session 1
INSERT INTO usage_log (tenant, amount) VALUES ('hooli', 1);
-- session 5
SELECT count(*) FROM worker WHERE pool = 3 AND active = true;
-- session 4
BEGIN;
-- session 1
COMMIT;
-- session 4
SELECT id, address FROM mail WHERE state = 'ready' ORDER BY id LIMIT 1;
UPDATE mail SET state = 'sent' WHERE id = 9;
-- session 5
UPDATE worker SET active = false WHERE id = 32;
COMMIT;
-- session 3
BEGIN;
-- session 1
INSERT INTO rate (ip, minute, hits) VALUES ('10.0.0.3', 51, 1) ON CONFLICT (ip, minute) DO UPDATE SET hits = rate.hits + 1 RETURNING hits;
-- session 3
SELECT id, payload FROM job WHERE state = 'ready' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED;
-- session 4
COMMIT;
-- session 1
INSERT INTO mail (state, address) VALUES ('ready', 'u39@example.org');
-- session 4
BEGIN;
SELECT used, allowed FROM quota WHERE tenant = 'hooli';
-- session 1
UPDATE counter SET n = n + 1 WHERE name = 'jobs';
-- session 5
BEGIN;
-- session 2
BEGIN;
-- session 4
UPDATE quota SET used = 6 WHERE tenant = 'hooli';
-- session 3
UPDATE job SET state = 'running', worker = 'w5' WHERE id = 12;
-- session 4
INSERT INTO usage_log (tenant, amount) VALUES ('hooli', 4);
COMMIT;
-- session 5
SELECT used, allowed FROM quota WHERE tenant = 'hooli';
-- session 2
SELECT used, allowed FROM quota WHERE tenant = 'hooli';
UPDATE quota SET used = 10 WHERE tenant = 'hooli';
INSERT INTO usage_log (tenant, amount) VALUES ('hooli', 4);
-- session 3
COMMIT;
-- session 4
INSERT INTO rate (ip, minute, hits) VALUES ('10.0.0.5', 51, 1) ON CONFLICT (ip, minute) DO UPDATE SET hits = rate.hits + 1 RETURNING hits;
-- session 3
BEGIN;
UPDATE job SET state = 'done' WHERE id = 12;
INSERT INTO job_log (job_id, message) VALUES (12, 'finished');
-- session 5
UPDATE quota SET used = 8 WHERE tenant = 'hooli';
-- session 1
INSERT INTO rate (ip, minute, hits) VALUES ('10.0.0.3', 51, 1) ON CONFLICT (ip, minute) DO UPDATE SET hits = rate.hits + 1 RETURNING hits;
-- session 4
UPDATE lease SET owner = 'w4', until = 1084 WHERE name = 'cron' AND until < 1024;
-- session 2
COMMIT;
BEGIN;
-- session 3
COMMIT;
-- session 2
SELECT used, allowed FROM quota WHERE tenant = 'acme';
UPDATE quota SET used = 15 WHERE tenant = 'acme';
INSERT INTO usage_log (tenant, amount) VALUES ('acme', 3);
-- session 1
INSERT INTO job (state, payload) VALUES ('ready', 'p1');
-- session 4
UPDATE lease SET owner = 'w4', until = 1085 WHERE name = 'sweep' AND until < 1025;
-- session 5
INSERT INTO usage_log (tenant, amount) VALUES ('hooli', 2);
-- session 3
BEGIN;
-- session 4
BEGIN;
SELECT count(*) FROM worker WHERE pool = 2 AND active = true;
-- session 2
COMMIT;
-- session 3
SELECT id, payload FROM job WHERE state = 'ready' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED;
UPDATE job SET state = 'running', worker = 'w3' WHERE id = 13;
-- session 5
COMMIT;
-- session 4
UPDATE worker SET active = false WHERE id = 21;
-- session 5
BEGIN;
SELECT used, allowed FROM quota WHERE tenant = 'hooli';
UPDATE quota SET used = 9 WHERE tenant = 'hooli';
-- session 4
COMMIT;
-- session 3
COMMIT;
-- session 4
BEGIN;
-- session 5
INSERT INTO usage_log (tenant, amount) VALUES ('hooli', 1);
-- session 2
BEGIN;
-- session 5
COMMIT;
-- session 3
BEGIN;
UPDATE job SET state = 'done' WHERE id = 13;
-- session 2
SELECT id, address FROM mail WHERE state = 'ready' ORDER BY id LIMIT 1;
-- session 4
SELECT id, address FROM mail WHERE state = 'ready' ORDER BY id LIMIT 1;
-- session 2
UPDATE mail SET state = 'sent' WHERE id = 10;
-- session 1
BEGIN;
-- session 3
INSERT INTO job_log (job_id, message) VALUES (13, 'finished');
-- session 2
COMMIT;
-- session 3
COMMIT;
-- session 5
UPDATE lease SET owner = 'w5', until = 1086 WHERE name = 'cron' AND until < 1026;
-- session 4
UPDATE mail SET state = 'sent' WHERE id = 10;
-- session 2
BEGIN;
SELECT count(*) FROM worker WHERE pool = 3 AND active = true;
-- session 4
COMMIT;
-- session 2
UPDATE worker SET active = false WHERE id = 32;
-- session 1
SELECT id, address FROM mail WHERE state = 'ready' ORDER BY id LIMIT 1;
-- session 4
INSERT INTO job (state, payload) VALUES ('ready', 'p3');
-- session 3
UPDATE counter SET n = n + 1 WHERE name = 'mails';
-- session 2
COMMIT;
-- session 5
INSERT INTO mail (state, address) VALUES ('ready', 'u61@example.org');
-- session 4
UPDATE worker SET active = true WHERE id = 13;
-- session 1
UPDATE mail SET state = 'sent' WHERE id = 11;
-- session 2
BEGIN;
-- session 1
COMMIT;
-- session 2
SELECT id, payload FROM job WHERE state = 'ready' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED;
-- session 5
BEGIN;
SELECT id, payload FROM job WHERE state = 'ready' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED;
-- session 1
UPDATE worker SET active = true WHERE id = 34;
-- session 2
UPDATE job SET state = 'running', worker = 'w5' WHERE id = 14;
COMMIT;
-- session 4
BEGIN;
-- session 1
UPDATE worker SET active = true WHERE id = 32;
-- session 4
SELECT id, payload FROM job WHERE state = 'ready' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED;
UPDATE job SET state = 'running', worker = 'w1' WHERE id = 15;
-- session 5
UPDATE job SET state = 'running', worker = 'w4' WHERE id = 16;
-- session 4
COMMIT;
BEGIN;
-- session 5
COMMIT;
-- session 2
BEGIN;
-- session 4
UPDATE job SET state = 'done' WHERE id = 15;
-- session 5
BEGIN;
UPDATE job SET state = 'done' WHERE id = 16;
-- session 4
INSERT INTO job_log (job_id, message) VALUES (15, 'finished');
COMMIT;
-- session 5
INSERT INTO job_log (job_id, message) VALUES (16, 'finished');
COMMIT;
-- session 2
UPDATE job SET state = 'done' WHERE id = 14;
INSERT INTO job_log (job_id, message) VALUES (14, 'finished');
COMMIT;
