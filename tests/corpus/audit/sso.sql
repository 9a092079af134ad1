-- about: accounts of an organisation; faults: licences are counted before one is taken, the last owner leaves, an invitation is looked at in one transaction and used in the next, a plan's price is changed between two reads of an invoice run; safe: a unique user name, a token that is used by an UPDATE with a condition, an outbox by DELETE RETURNING, an idempotency key, a profile with @Version
-- schema: sso.ddl
-- at read-committed: phantom, read skew
-- first five at read-committed: licence.org_id, member.role, plan.price
-- at snapshot-isolation: phantom
-- first five at snapshot-isolation: licence.org_id, member.role
-- never: token, outbox, request_key, invitation
-- across transactions: overwrites invitation.state
-- session 1
update member set role='owner' where id=9;
-- session 2
BEGIN;
-- session 3
BEGIN;
-- session 4
BEGIN;
-- session 5
select id, org_id, state from invitation where code='inv38';
-- session 2
select 1 from member where username='u44';
-- session 5
BEGIN;
-- session 2
insert into member (org_id, username, role, display, version) values (5, 'u44', 'user', 'U', 0);
-- session 5
insert into member (org_id, username, role, display, version) values (4, 'new101', 'user', 'New', 0);
-- session 2
COMMIT;
-- session 5
update invitation set state='used' where id=38;
COMMIT;
-- session 3
select p.price from plan p join org o on o.plan_id = p.id where o.id=2;
select count(*) from licence where org_id=2;
-- session 2
delete from licence where org_id=4 and member_id=10;
-- session 3
select p.per_seat from plan p join org o on o.plan_id = p.id where o.id=2;
-- session 5
BEGIN;
-- session 4
select org0_.id as id1_0_0_, org0_.name as name2_0_0_, org0_.licences as licences3_0_0_ from org org0_ where org0_.id=2;
-- session 5
select p.price from plan p join org o on o.plan_id = p.id where o.id=3;
-- session 3
insert into bill (org_id, amount) values (2, 10);
-- session 4
select count(licence0_.id) as col_0_0_ from licence licence0_ where licence0_.org_id=2;
-- session 5
select count(*) from licence where org_id=3;
-- session 1
update plan set price=26, per_seat=5 where id=1;
-- session 2
BEGIN;
-- session 4
insert into licence (org_id, member_id) values (2, 24);
-- session 2
delete from outbox where id in (select id from outbox order by id limit 3 for update skip locked) returning id, topic, body;
-- session 5
select p.per_seat from plan p join org o on o.plan_id = p.id where o.id=3;
-- session 4
insert into outbox (topic, body) values ('licence', 'org 2');
-- session 2
COMMIT;
-- session 3
COMMIT;
-- session 5
insert into bill (org_id, amount) values (3, 20);
-- session 4
COMMIT;
-- session 1
BEGIN;
-- session 5
COMMIT;
-- session 1
select member0_.id as id1_2_0_, member0_.display as display2_2_0_, member0_.version as version3_2_0_ from member member0_ where member0_.id=30;
update member set display='M 30.37', version=1 where id=30 and version=0;
-- session 2
update member set role='owner' where id=7;
-- session 1
COMMIT;
-- session 3
select id, org_id, state from invitation where code='inv25';
-- session 5
BEGIN;
-- session 4
BEGIN;
-- session 5
select 1 from member where username='u19';
-- session 4
delete from outbox where id in (select id from outbox order by id limit 3 for update skip locked) returning id, topic, body;
-- session 2
BEGIN;
-- session 4
COMMIT;
-- session 5
insert into member (org_id, username, role, display, version) values (2, 'u19', 'user', 'U', 0);
-- session 2
select p.price from plan p join org o on o.plan_id = p.id where o.id=1;
-- session 5
COMMIT;
-- session 2
select count(*) from licence where org_id=1;
-- session 3
BEGIN;
-- session 1
BEGIN;
-- session 2
select p.per_seat from plan p join org o on o.plan_id = p.id where o.id=1;
-- session 3
insert into member (org_id, username, role, display, version) values (1, 'new102', 'user', 'New', 0);
-- session 1
select org0_.id as id1_0_0_, org0_.name as name2_0_0_, org0_.licences as licences3_0_0_ from org org0_ where org0_.id=3;
select count(licence0_.id) as col_0_0_ from licence licence0_ where licence0_.org_id=3;
-- session 2
insert into bill (org_id, amount) values (1, 20);
-- session 4
BEGIN;
-- session 3
update invitation set state='used' where id=25;
-- session 4
select member0_.id as id1_2_ from member member0_ where member0_.org_id=2 and member0_.role='owner';
-- session 2
COMMIT;
-- session 4
update member set role='user' where id=1;
-- session 5
BEGIN;
-- session 1
insert into licence (org_id, member_id) values (3, 15);
-- session 3
COMMIT;
-- session 4
COMMIT;
-- session 5
select org0_.id as id1_0_0_, org0_.name as name2_0_0_, org0_.licences as licences3_0_0_ from org org0_ where org0_.id=2;
select count(licence0_.id) as col_0_0_ from licence licence0_ where licence0_.org_id=2;
-- session 1
insert into outbox (topic, body) values ('licence', 'org 3');
-- session 5
insert into licence (org_id, member_id) values (2, 4);
-- session 3
BEGIN;
-- session 1
COMMIT;
-- session 3
select org0_.id as id1_0_0_, org0_.name as name2_0_0_, org0_.licences as licences3_0_0_ from org org0_ where org0_.id=1;
-- session 2
BEGIN;
-- session 5
insert into outbox (topic, body) values ('licence', 'org 2');
COMMIT;
-- session 1
BEGIN;
-- session 3
select count(licence0_.id) as col_0_0_ from licence licence0_ where licence0_.org_id=1;
-- session 2
select member0_.id as id1_2_0_, member0_.display as display2_2_0_, member0_.version as version3_2_0_ from member member0_ where member0_.id=20;
-- session 4
BEGIN;
-- session 2
update member set display='M 20.74', version=1 where id=20 and version=0;
-- session 1
update token set used=true where value='tok11' and used=false returning member_id;
insert into outbox (topic, body) values ('login', 'member 12');
-- session 4
insert into request_key (key, member_id) values ('k29', 5) on conflict (key) do nothing returning key;
-- session 2
COMMIT;
-- session 3
insert into licence (org_id, member_id) values (1, 16);
-- session 1
COMMIT;
-- session 3
insert into outbox (topic, body) values ('licence', 'org 1');
-- session 4
insert into outbox (topic, body) values ('api', 'k29');
COMMIT;
-- session 3
COMMIT;
-- session 1
update member set role='owner' where id=4;
-- session 5
BEGIN;
-- session 2
BEGIN;
-- session 3
BEGIN;
-- session 5
delete from outbox where id in (select id from outbox order by id limit 3 for update skip locked) returning id, topic, body;
-- session 2
select org0_.id as id1_0_0_, org0_.name as name2_0_0_, org0_.licences as licences3_0_0_ from org org0_ where org0_.id=5;
-- session 4
BEGIN;
-- session 5
COMMIT;
-- session 4
select member0_.id as id1_2_0_, member0_.display as display2_2_0_, member0_.version as version3_2_0_ from member member0_ where member0_.id=12;
-- session 1
BEGIN;
-- session 2
select count(licence0_.id) as col_0_0_ from licence licence0_ where licence0_.org_id=5;
-- session 3
select 1 from member where username='u38';
-- session 1
select p.price from plan p join org o on o.plan_id = p.id where o.id=2;
-- session 2
insert into licence (org_id, member_id) values (5, 17);
-- session 1
select count(*) from licence where org_id=2;
select p.per_seat from plan p join org o on o.plan_id = p.id where o.id=2;
-- session 4
update member set display='M 12.83', version=1 where id=12 and version=0;
-- session 1
insert into bill (org_id, amount) values (2, 36);
COMMIT;
-- session 3
insert into member (org_id, username, role, display, version) values (1, 'u38', 'user', 'U', 0);
-- session 2
insert into outbox (topic, body) values ('licence', 'org 5');
COMMIT;
-- session 4
COMMIT;
update plan set price=22, per_seat=4 where id=2;
-- session 2
BEGIN;
-- session 3
COMMIT;
-- session 5
update member set role='owner' where id=10;
-- session 3
delete from licence where org_id=2 and member_id=20;
-- session 2
delete from outbox where id in (select id from outbox order by id limit 3 for update skip locked) returning id, topic, body;
-- session 5
BEGIN;
-- session 2
COMMIT;
-- session 1
BEGIN;
-- session 4
BEGIN;
-- session 5
select p.price from plan p join org o on o.plan_id = p.id where o.id=4;
-- session 3
BEGIN;
delete from outbox where id in (select id from outbox order by id limit 3 for update skip locked) returning id, topic, body;
-- session 5
select count(*) from licence where org_id=4;
-- session 2
BEGIN;
-- session 4
select 1 from member where username='u41';
-- session 1
select member0_.id as id1_2_0_, member0_.display as display2_2_0_, member0_.version as version3_2_0_ from member member0_ where member0_.id=14;
-- session 3
COMMIT;
-- session 5
select p.per_seat from plan p join org o on o.plan_id = p.id where o.id=4;
-- session 4
insert into member (org_id, username, role, display, version) values (3, 'u41', 'user', 'U', 0);
COMMIT;
-- session 1
update member set display='M 14.27', version=1 where id=14 and version=0;
-- session 2
select member0_.id as id1_2_ from member member0_ where member0_.org_id=5 and member0_.role='owner';
update member set role='user' where id=4;
-- session 5
insert into bill (org_id, amount) values (4, 26);
-- session 2
COMMIT;
-- session 1
COMMIT;
-- session 5
COMMIT;
-- session 4
BEGIN;
select member0_.id as id1_2_ from member member0_ where member0_.org_id=4 and member0_.role='owner';
-- session 3
select id, org_id, state from invitation where code='inv15';
-- session 1
BEGIN;
-- session 3
BEGIN;
-- session 1
select org0_.id as id1_0_0_, org0_.name as name2_0_0_, org0_.licences as licences3_0_0_ from org org0_ where org0_.id=3;
-- session 3
insert into member (org_id, username, role, display, version) values (1, 'new103', 'user', 'New', 0);
-- session 2
BEGIN;
-- session 4
update member set role='user' where id=8;
-- session 1
select count(licence0_.id) as col_0_0_ from licence licence0_ where licence0_.org_id=3;
insert into licence (org_id, member_id) values (3, 7);
-- session 2
select p.price from plan p join org o on o.plan_id = p.id where o.id=4;
-- session 3
update invitation set state='used' where id=15;
-- session 4
COMMIT;
-- session 2
select count(*) from licence where org_id=4;
-- session 3
COMMIT;
-- session 2
select p.per_seat from plan p join org o on o.plan_id = p.id where o.id=4;
-- session 1
insert into outbox (topic, body) values ('licence', 'org 3');
-- session 5
select id, org_id, state from invitation where code='inv12';
-- session 2
insert into bill (org_id, amount) values (4, 26);
-- session 5
BEGIN;
-- session 1
COMMIT;
-- session 5
insert into member (org_id, username, role, display, version) values (3, 'new104', 'user', 'New', 0);
-- session 2
COMMIT;
-- session 1
BEGIN;
-- session 5
update invitation set state='used' where id=12;
-- session 1
update token set used=true where value='tok43' and used=false returning member_id;
-- session 5
COMMIT;
-- session 4
BEGIN;
insert into request_key (key, member_id) values ('k6', 28) on conflict (key) do nothing returning key;
-- session 3
BEGIN;
select p.price from plan p join org o on o.plan_id = p.id where o.id=1;
-- session 1
insert into outbox (topic, body) values ('login', 'member 14');
COMMIT;
-- session 4
insert into outbox (topic, body) values ('api', 'k6');
COMMIT;
-- session 3
select count(*) from licence where org_id=1;
-- session 2
BEGIN;
-- session 3
select p.per_seat from plan p join org o on o.plan_id = p.id where o.id=1;
-- session 2
select member0_.id as id1_2_0_, member0_.display as display2_2_0_, member0_.version as version3_2_0_ from member member0_ where member0_.id=24;
update member set display='M 24.78', version=1 where id=24 and version=0;
-- session 3
insert into bill (org_id, amount) values (1, 26);
-- session 5
BEGIN;
select org0_.id as id1_0_0_, org0_.name as name2_0_0_, org0_.licences as licences3_0_0_ from org org0_ where org0_.id=1;
-- session 2
COMMIT;
-- session 3
COMMIT;
-- session 1
BEGIN;
-- session 5
select count(licence0_.id) as col_0_0_ from licence licence0_ where licence0_.org_id=1;
insert into licence (org_id, member_id) values (1, 30);
-- session 4
update member set role='owner' where id=1;
-- session 1
select member0_.id as id1_2_ from member member0_ where member0_.org_id=3 and member0_.role='owner';
-- session 3
BEGIN;
-- session 5
insert into outbox (topic, body) values ('licence', 'org 1');
-- session 1
update member set role='user' where id=7;
-- session 3
select member0_.id as id1_2_0_, member0_.display as display2_2_0_, member0_.version as version3_2_0_ from member member0_ where member0_.id=23;
-- session 2
BEGIN;
-- session 1
COMMIT;
-- session 3
update member set display='M 23.80', version=1 where id=23 and version=0;
-- session 5
COMMIT;
-- session 3
COMMIT;
-- session 4
BEGIN;
-- session 2
select org0_.id as id1_0_0_, org0_.name as name2_0_0_, org0_.licences as licences3_0_0_ from org org0_ where org0_.id=2;
-- session 4
select p.price from plan p join org o on o.plan_id = p.id where o.id=2;
-- session 2
select count(licence0_.id) as col_0_0_ from licence licence0_ where licence0_.org_id=2;
-- session 4
select count(*) from licence where org_id=2;
-- session 5
BEGIN;
-- session 2
insert into licence (org_id, member_id) values (2, 30);
-- session 3
delete from licence where org_id=3 and member_id=30;
-- session 4
select p.per_seat from plan p join org o on o.plan_id = p.id where o.id=2;
-- session 1
BEGIN;
-- session 2
insert into outbox (topic, body) values ('licence', 'org 2');
-- session 4
insert into bill (org_id, amount) values (2, 36);
-- session 5
select 1 from member where username='u23';
-- session 2
COMMIT;
-- session 4
COMMIT;
-- session 5
insert into member (org_id, username, role, display, version) values (2, 'u23', 'user', 'U', 0);
-- session 1
delete from outbox where id in (select id from outbox order by id limit 3 for update skip locked) returning id, topic, body;
-- session 3
BEGIN;
-- session 5
COMMIT;
-- session 1
COMMIT;
-- session 3
delete from outbox where id in (select id from outbox order by id limit 3 for update skip locked) returning id, topic, body;
COMMIT;
-- session 4
BEGIN;
-- session 2
BEGIN;
select member0_.id as id1_2_0_, member0_.display as display2_2_0_, member0_.version as version3_2_0_ from member member0_ where member0_.id=7;
-- session 1
BEGIN;
-- session 4
select 1 from member where username='u22';
-- session 2
update member set display='M 7.10', version=1 where id=7 and version=0;
-- session 1
select 1 from member where username='u48';
-- session 4
insert into member (org_id, username, role, display, version) values (1, 'u22', 'user', 'U', 0);
-- session 3
update member set role='owner' where id=1;
-- session 5
BEGIN;
select member0_.id as id1_2_ from member member0_ where member0_.org_id=5 and member0_.role='owner';
-- session 2
COMMIT;
-- session 4
COMMIT;
-- session 1
insert into member (org_id, username, role, display, version) values (4, 'u48', 'user', 'U', 0);
-- session 5
ROLLBACK;
-- session 3
BEGIN;
-- session 1
COMMIT;
-- session 3
select member0_.id as id1_2_ from member member0_ where member0_.org_id=4 and member0_.role='owner';
-- session 4
BEGIN;
-- session 2
BEGIN;
-- session 1
BEGIN;
-- session 4
delete from outbox where id in (select id from outbox order by id limit 3 for update skip locked) returning id, topic, body;
-- session 5
BEGIN;
-- session 3
ROLLBACK;
-- session 1
update token set used=true where value='tok14' and used=false returning member_id;
-- session 4
COMMIT;
-- session 5
insert into request_key (key, member_id) values ('k27', 20) on conflict (key) do nothing returning key;
insert into outbox (topic, body) values ('api', 'k27');
-- session 2
select p.price from plan p join org o on o.plan_id = p.id where o.id=3;
-- session 1
insert into outbox (topic, body) values ('login', 'member 15');
-- session 5
COMMIT;
-- session 3
select id, org_id, state from invitation where code='inv7';
-- session 4
delete from licence where org_id=1 and member_id=24;
-- session 2
select count(*) from licence where org_id=3;
-- session 3
BEGIN;
-- session 1
COMMIT;
-- session 3
insert into member (org_id, username, role, display, version) values (3, 'new105', 'user', 'New', 0);
-- session 2
select p.per_seat from plan p join org o on o.plan_id = p.id where o.id=3;
-- session 5
BEGIN;
-- session 3
update invitation set state='used' where id=7;
-- session 1
BEGIN;
-- session 5
insert into request_key (key, member_id) values ('k10', 29) on conflict (key) do nothing returning key;
-- session 2
insert into bill (org_id, amount) values (3, 30);
-- session 1
select member0_.id as id1_2_0_, member0_.display as display2_2_0_, member0_.version as version3_2_0_ from member member0_ where member0_.id=26;
-- session 3
COMMIT;
-- session 2
COMMIT;
-- session 4
BEGIN;
-- session 5
insert into outbox (topic, body) values ('api', 'k10');
-- session 1
update member set display='M 26.3', version=1 where id=26 and version=0;
-- session 5
COMMIT;
-- session 4
delete from outbox where id in (select id from outbox order by id limit 3 for update skip locked) returning id, topic, body;
COMMIT;
-- session 1
COMMIT;
-- session 3
BEGIN;
-- session 2
BEGIN;
delete from outbox where id in (select id from outbox order by id limit 3 for update skip locked) returning id, topic, body;
-- session 3
select member0_.id as id1_2_0_, member0_.display as display2_2_0_, member0_.version as version3_2_0_ from member member0_ where member0_.id=4;
-- session 2
COMMIT;
-- session 1
BEGIN;
-- session 4
BEGIN;
select member0_.id as id1_2_ from member member0_ where member0_.org_id=5 and member0_.role='owner';
-- session 1
select member0_.id as id1_2_0_, member0_.display as display2_2_0_, member0_.version as version3_2_0_ from member member0_ where member0_.id=1;
-- session 3
update member set display='M 4.85', version=1 where id=4 and version=0;
-- session 4
ROLLBACK;
-- session 5
BEGIN;
-- session 3
COMMIT;
-- session 1
update member set display='M 1.34', version=1 where id=1 and version=0;
-- session 5
delete from outbox where id in (select id from outbox order by id limit 3 for update skip locked) returning id, topic, body;
-- session 1
COMMIT;
-- session 5
COMMIT;
-- session 2
BEGIN;
select p.price from plan p join org o on o.plan_id = p.id where o.id=3;
select count(*) from licence where org_id=3;
-- session 3
delete from licence where org_id=3 and member_id=16;
-- session 2
select p.per_seat from plan p join org o on o.plan_id = p.id where o.id=3;
-- session 4
BEGIN;
-- session 1
BEGIN;
-- session 2
insert into bill (org_id, amount) values (3, 30);
-- session 4
select member0_.id as id1_2_ from member member0_ where member0_.org_id=5 and member0_.role='owner';
-- session 1
select member0_.id as id1_2_ from member member0_ where member0_.org_id=2 and member0_.role='owner';
-- session 5
delete from licence where org_id=5 and member_id=14;
-- session 4
ROLLBACK;
-- session 2
COMMIT;
-- session 3
delete from licence where org_id=5 and member_id=25;
-- session 4
BEGIN;
-- session 1
update member set role='user' where id=1;
-- session 4
delete from outbox where id in (select id from outbox order by id limit 3 for update skip locked) returning id, topic, body;
-- session 5
update plan set price=28, per_seat=5 where id=2;
delete from licence where org_id=5 and member_id=16;
-- session 1
COMMIT;
-- session 4
COMMIT;
-- session 2
BEGIN;
-- session 1
select id, org_id, state from invitation where code='inv5';
-- session 3
update plan set price=19, per_seat=3 where id=2;
-- session 2
select p.price from plan p join org o on o.plan_id = p.id where o.id=4;
-- session 4
BEGIN;
-- session 3
BEGIN;
-- session 1
BEGIN;
-- session 2
select count(*) from licence where org_id=4;
-- session 4
select member0_.id as id1_2_ from member member0_ where member0_.org_id=4 and member0_.role='owner';
-- session 2
select p.per_seat from plan p join org o on o.plan_id = p.id where o.id=4;
-- session 4
ROLLBACK;
-- session 3
update token set used=true where value='tok39' and used=false returning member_id;
insert into outbox (topic, body) values ('login', 'member 10');
-- session 2
insert into bill (org_id, amount) values (4, 26);
-- session 5
BEGIN;
-- session 2
COMMIT;
-- session 1
insert into member (org_id, username, role, display, version) values (1, 'new106', 'user', 'New', 0);
-- session 4
BEGIN;
-- session 3
COMMIT;
-- session 5
select 1 from member where username='u56';
-- session 1
update invitation set state='used' where id=5;
-- session 5
insert into member (org_id, username, role, display, version) values (3, 'u56', 'user', 'U', 0);
-- session 4
insert into request_key (key, member_id) values ('k15', 3) on conflict (key) do nothing returning key;
-- session 1
COMMIT;
-- session 4
insert into outbox (topic, body) values ('api', 'k15');
-- session 5
COMMIT;
-- session 2
BEGIN;
-- session 4
COMMIT;
-- session 3
BEGIN;
-- session 2
delete from outbox where id in (select id from outbox order by id limit 3 for update skip locked) returning id, topic, body;
-- session 3
select 1 from member where username='u53';
-- session 2
COMMIT;
-- session 3
insert into member (org_id, username, role, display, version) values (4, 'u53', 'user', 'U', 0);
COMMIT;
-- session 4
delete from licence where org_id=1 and member_id=5;
-- session 1
BEGIN;
-- session 5
BEGIN;
-- session 1
select 1 from member where username='u44';
-- session 5
insert into request_key (key, member_id) values ('k25', 1) on conflict (key) do nothing returning key;
-- session 3
delete from licence where org_id=2 and member_id=15;
-- session 5
insert into outbox (topic, body) values ('api', 'k25');
-- session 2
BEGIN;
select p.price from plan p join org o on o.plan_id = p.id where o.id=5;
-- session 1
ROLLBACK;
-- session 5
COMMIT;
-- session 4
update member set role='owner' where id=2;
-- session 2
select count(*) from licence where org_id=5;
select p.per_seat from plan p join org o on o.plan_id = p.id where o.id=5;
-- session 4
BEGIN;
-- session 2
insert into bill (org_id, amount) values (5, 22);
-- session 5
update member set role='owner' where id=1;
-- session 2
COMMIT;
-- session 3
BEGIN;
-- session 4
insert into request_key (key, member_id) values ('k18', 23) on conflict (key) do nothing returning key;
-- session 1
BEGIN;
-- session 4
insert into outbox (topic, body) values ('api', 'k18');
-- session 3
select member0_.id as id1_2_0_, member0_.display as display2_2_0_, member0_.version as version3_2_0_ from member member0_ where member0_.id=21;
-- session 1
select member0_.id as id1_2_0_, member0_.display as display2_2_0_, member0_.version as version3_2_0_ from member member0_ where member0_.id=29;
-- session 4
COMMIT;
-- session 5
BEGIN;
-- session 2
BEGIN;
-- session 3
update member set display='M 21.38', version=1 where id=21 and version=0;
-- session 5
select member0_.id as id1_2_ from member member0_ where member0_.org_id=2 and member0_.role='owner';
-- session 1
update member set display='M 29.84', version=1 where id=29 and version=0;
-- session 2
select 1 from member where username='u16';
-- session 4
BEGIN;
-- session 2
insert into member (org_id, username, role, display, version) values (2, 'u16', 'user', 'U', 0);
-- session 1
COMMIT;
-- session 3
COMMIT;
-- session 4
delete from outbox where id in (select id from outbox order by id limit 3 for update skip locked) returning id, topic, body;
-- session 5
update member set role='user' where id=6;
-- session 2
COMMIT;
-- session 4
COMMIT;
-- session 1
BEGIN;
-- session 5
COMMIT;
-- session 1
select member0_.id as id1_2_ from member member0_ where member0_.org_id=4 and member0_.role='owner';
ROLLBACK;
-- session 2
BEGIN;
-- session 3
BEGIN;
-- session 4
update member set role='owner' where id=7;
-- session 2
delete from outbox where id in (select id from outbox order by id limit 3 for update skip locked) returning id, topic, body;
-- session 5
BEGIN;
select 1 from member where username='u29';
-- session 2
COMMIT;
-- session 4
update plan set price=25, per_seat=5 where id=1;
-- session 5
insert into member (org_id, username, role, display, version) values (5, 'u29', 'user', 'U', 0);
COMMIT;
-- session 3
delete from outbox where id in (select id from outbox order by id limit 3 for update skip locked) returning id, topic, body;
-- session 1
BEGIN;
delete from outbox where id in (select id from outbox order by id limit 3 for update skip locked) returning id, topic, body;
-- session 3
COMMIT;
-- session 4
BEGIN;
-- session 1
COMMIT;
-- session 2
BEGIN;
-- session 5
BEGIN;
select member0_.id as id1_2_ from member member0_ where member0_.org_id=2 and member0_.role='owner';
-- session 4
delete from outbox where id in (select id from outbox order by id limit 3 for update skip locked) returning id, topic, body;
-- session 2
delete from outbox where id in (select id from outbox order by id limit 3 for update skip locked) returning id, topic, body;
-- session 3
update member set role='owner' where id=10;
-- session 1
BEGIN;
-- session 5
ROLLBACK;
-- session 1
select member0_.id as id1_2_ from member member0_ where member0_.org_id=5 and member0_.role='owner';
-- session 4
COMMIT;
-- session 2
COMMIT;
-- session 5
BEGIN;
select p.price from plan p join org o on o.plan_id = p.id where o.id=1;
-- session 1
ROLLBACK;
-- session 3
BEGIN;
-- session 5
select count(*) from licence where org_id=1;
-- session 3
select 1 from member where username='u10';
insert into member (org_id, username, role, display, version) values (5, 'u10', 'user', 'U', 0);
COMMIT;
-- session 5
select p.per_seat from plan p join org o on o.plan_id = p.id where o.id=1;
-- session 2
BEGIN;
-- session 4
BEGIN;
select org0_.id as id1_0_0_, org0_.name as name2_0_0_, org0_.licences as licences3_0_0_ from org org0_ where org0_.id=5;
-- session 5
insert into bill (org_id, amount) values (1, 25);
-- session 1
BEGIN;
-- session 3
BEGIN;
-- session 4
select count(licence0_.id) as col_0_0_ from licence licence0_ where licence0_.org_id=5;
insert into licence (org_id, member_id) values (5, 26);
-- session 2
select member0_.id as id1_2_0_, member0_.display as display2_2_0_, member0_.version as version3_2_0_ from member member0_ where member0_.id=17;
-- session 1
select org0_.id as id1_0_0_, org0_.name as name2_0_0_, org0_.licences as licences3_0_0_ from org org0_ where org0_.id=1;
-- session 4
insert into outbox (topic, body) values ('licence', 'org 5');
-- session 5
COMMIT;
-- session 3
select p.price from plan p join org o on o.plan_id = p.id where o.id=4;
-- session 4
COMMIT;
-- session 2
update member set display='M 17.7', version=1 where id=17 and version=0;
-- session 1
select count(licence0_.id) as col_0_0_ from licence licence0_ where licence0_.org_id=1;
insert into licence (org_id, member_id) values (1, 3);
-- session 3
select count(*) from licence where org_id=4;
-- session 4
BEGIN;
-- session 2
COMMIT;
-- session 5
select id, org_id, state from invitation where code='inv18';
-- session 4
select org0_.id as id1_0_0_, org0_.name as name2_0_0_, org0_.licences as licences3_0_0_ from org org0_ where org0_.id=2;
-- session 1
insert into outbox (topic, body) values ('licence', 'org 1');
COMMIT;
-- session 4
select count(licence0_.id) as col_0_0_ from licence licence0_ where licence0_.org_id=2;
-- session 3
select p.per_seat from plan p join org o on o.plan_id = p.id where o.id=4;
-- session 1
BEGIN;
-- session 5
BEGIN;
insert into member (org_id, username, role, display, version) values (4, 'new107', 'user', 'New', 0);
update invitation set state='used' where id=18;
-- session 1
select member0_.id as id1_2_0_, member0_.display as display2_2_0_, member0_.version as version3_2_0_ from member member0_ where member0_.id=18;
-- session 4
insert into licence (org_id, member_id) values (2, 25);
-- session 5
COMMIT;
-- session 3
insert into bill (org_id, amount) values (4, 25);
-- session 4
insert into outbox (topic, body) values ('licence', 'org 2');
-- session 2
BEGIN;
-- session 4
COMMIT;
-- session 2
update token set used=true where value='tok56' and used=false returning member_id;
-- session 1
update member set display='M 18.90', version=1 where id=18 and version=0;
-- session 3
COMMIT;
-- session 1
COMMIT;
-- session 2
insert into outbox (topic, body) values ('login', 'member 27');
-- session 3
BEGIN;
-- session 2
COMMIT;
-- session 5
BEGIN;
-- session 3
update token set used=true where value='tok22' and used=false returning member_id;
-- session 2
delete from licence where org_id=5 and member_id=29;
-- session 5
select p.price from plan p join org o on o.plan_id = p.id where o.id=3;
-- session 4
BEGIN;
-- session 3
insert into outbox (topic, body) values ('login', 'member 23');
-- session 5
select count(*) from licence where org_id=3;
-- session 3
COMMIT;
-- session 5
select p.per_seat from plan p join org o on o.plan_id = p.id where o.id=3;
-- session 4
update token set used=true where value='tok8' and used=false returning member_id;
-- session 1
delete from licence where org_id=5 and member_id=25;
-- session 5
insert into bill (org_id, amount) values (3, 25);
-- session 4
insert into outbox (topic, body) values ('login', 'member 9');
-- session 3
BEGIN;
-- session 5
COMMIT;
-- session 3
select member0_.id as id1_2_ from member member0_ where member0_.org_id=2 and member0_.role='owner';
-- session 4
COMMIT;
-- session 3
ROLLBACK;
-- session 2
update plan set price=23, per_seat=4 where id=2;
-- session 4
BEGIN;
-- session 1
BEGIN;
-- session 5
delete from licence where org_id=1 and member_id=30;
-- session 4
insert into request_key (key, member_id) values ('k8', 19) on conflict (key) do nothing returning key;
insert into outbox (topic, body) values ('api', 'k8');
-- session 3
BEGIN;
-- session 1
update token set used=true where value='tok51' and used=false returning member_id;
-- session 4
COMMIT;
-- session 5
BEGIN;
-- session 3
select p.price from plan p join org o on o.plan_id = p.id where o.id=2;
-- session 4
BEGIN;
-- session 2
BEGIN;
-- session 3
select count(*) from licence where org_id=2;
-- session 5
select member0_.id as id1_2_ from member member0_ where member0_.org_id=3 and member0_.role='owner';
-- session 2
select member0_.id as id1_2_ from member member0_ where member0_.org_id=5 and member0_.role='owner';
-- session 5
update member set role='user' where id=7;
-- session 1
insert into outbox (topic, body) values ('login', 'member 22');
-- session 5
COMMIT;
-- session 1
COMMIT;
-- session 3
select p.per_seat from plan p join org o on o.plan_id = p.id where o.id=2;
-- session 4
insert into request_key (key, member_id) values ('k21', 10) on conflict (key) do nothing returning key;
-- session 2
ROLLBACK;
-- session 3
insert into bill (org_id, amount) values (2, 45);
-- session 4
insert into outbox (topic, body) values ('api', 'k21');
COMMIT;
-- session 2
update member set role='owner' where id=3;
-- session 3
COMMIT;
-- session 4
BEGIN;
-- session 1
BEGIN;
select p.price from plan p join org o on o.plan_id = p.id where o.id=2;
-- session 2
BEGIN;
-- session 5
BEGIN;
-- session 4
select member0_.id as id1_2_ from member member0_ where member0_.org_id=3 and member0_.role='owner';
-- session 2
select 1 from member where username='u9';
-- session 5
select member0_.id as id1_2_0_, member0_.display as display2_2_0_, member0_.version as version3_2_0_ from member member0_ where member0_.id=3;
-- session 4
ROLLBACK;
-- session 2
insert into member (org_id, username, role, display, version) values (2, 'u9', 'user', 'U', 0);
-- session 1
select count(*) from licence where org_id=2;
-- session 5
update member set display='M 3.32', version=1 where id=3 and version=0;
-- session 3
BEGIN;
-- session 2
COMMIT;
-- session 1
select p.per_seat from plan p join org o on o.plan_id = p.id where o.id=2;
-- session 3
update token set used=true where value='tok20' and used=false returning member_id;
-- session 1
insert into bill (org_id, amount) values (2, 45);
-- session 3
insert into outbox (topic, body) values ('login', 'member 21');
-- session 5
COMMIT;
-- session 1
COMMIT;
-- session 4
BEGIN;
-- session 3
COMMIT;
-- session 2
BEGIN;
-- session 4
select org0_.id as id1_0_0_, org0_.name as name2_0_0_, org0_.licences as licences3_0_0_ from org org0_ where org0_.id=4;
-- session 2
delete from outbox where id in (select id from outbox order by id limit 3 for update skip locked) returning id, topic, body;
-- session 5
select id, org_id, state from invitation where code='inv14';
-- session 3
BEGIN;
-- session 2
COMMIT;
-- session 4
select count(licence0_.id) as col_0_0_ from licence licence0_ where licence0_.org_id=4;
-- session 5
BEGIN;
-- session 3
select member0_.id as id1_2_ from member member0_ where member0_.org_id=4 and member0_.role='owner';
-- session 4
insert into licence (org_id, member_id) values (4, 23);
insert into outbox (topic, body) values ('licence', 'org 4');
-- session 1
update member set role='owner' where id=9;
-- session 3
ROLLBACK;
-- session 5
insert into member (org_id, username, role, display, version) values (5, 'new108', 'user', 'New', 0);
-- session 4
COMMIT;
-- session 2
delete from licence where org_id=2 and member_id=13;
-- session 5
update invitation set state='used' where id=14;
-- session 3
BEGIN;
-- session 1
BEGIN;
-- session 5
COMMIT;
-- session 3
delete from outbox where id in (select id from outbox order by id limit 3 for update skip locked) returning id, topic, body;
COMMIT;
-- session 2
delete from licence where org_id=1 and member_id=25;
-- session 1
select member0_.id as id1_2_ from member member0_ where member0_.org_id=3 and member0_.role='owner';
-- session 5
delete from licence where org_id=3 and member_id=6;
-- session 1
ROLLBACK;
-- session 2
BEGIN;
-- session 4
BEGIN;
select member0_.id as id1_2_ from member member0_ where member0_.org_id=3 and member0_.role='owner';
-- session 3
BEGIN;
-- session 2
select 1 from member where username='u18';
insert into member (org_id, username, role, display, version) values (3, 'u18', 'user', 'U', 0);
-- session 5
BEGIN;
delete from outbox where id in (select id from outbox order by id limit 3 for update skip locked) returning id, topic, body;
-- session 1
select id, org_id, state from invitation where code='inv22';
-- session 4
ROLLBACK;
-- session 2
COMMIT;
-- session 3
select org0_.id as id1_0_0_, org0_.name as name2_0_0_, org0_.licences as licences3_0_0_ from org org0_ where org0_.id=5;
-- session 1
BEGIN;
-- session 5
COMMIT;
-- session 1
insert into member (org_id, username, role, display, version) values (3, 'new109', 'user', 'New', 0);
-- session 3
select count(licence0_.id) as col_0_0_ from licence licence0_ where licence0_.org_id=5;
-- session 2
BEGIN;
-- session 3
insert into licence (org_id, member_id) values (5, 21);
insert into outbox (topic, body) values ('licence', 'org 5');
-- session 4
BEGIN;
-- session 1
update invitation set state='used' where id=22;
-- session 3
COMMIT;
-- session 2
update token set used=true where value='tok27' and used=false returning member_id;
-- session 1
COMMIT;
-- session 5
BEGIN;
insert into request_key (key, member_id) values ('k27', 9) on conflict (key) do nothing returning key;
-- session 4
select member0_.id as id1_2_ from member member0_ where member0_.org_id=5 and member0_.role='owner';
-- session 5
ROLLBACK;
-- session 2
insert into outbox (topic, body) values ('login', 'member 28');
-- session 4
ROLLBACK;
-- session 2
COMMIT;
-- session 5
delete from licence where org_id=4 and member_id=27;
-- session 1
BEGIN;
-- session 3
BEGIN;
-- session 4
update member set role='owner' where id=4;
-- session 1
select org0_.id as id1_0_0_, org0_.name as name2_0_0_, org0_.licences as licences3_0_0_ from org org0_ where org0_.id=5;
-- session 3
select p.price from plan p join org o on o.plan_id = p.id where o.id=4;
-- session 1
select count(licence0_.id) as col_0_0_ from licence licence0_ where licence0_.org_id=5;
insert into licence (org_id, member_id) values (5, 18);
-- session 2
BEGIN;
-- session 3
select count(*) from licence where org_id=4;
-- session 2
select 1 from member where username='u13';
-- session 4
BEGIN;
-- session 1
insert into outbox (topic, body) values ('licence', 'org 5');
-- session 2
insert into member (org_id, username, role, display, version) values (3, 'u13', 'user', 'U', 0);
-- session 5
BEGIN;
delete from outbox where id in (select id from outbox order by id limit 3 for update skip locked) returning id, topic, body;
COMMIT;
-- session 2
COMMIT;
-- session 4
insert into request_key (key, member_id) values ('k26', 23) on conflict (key) do nothing returning key;
-- session 1
COMMIT;
-- session 3
select p.per_seat from plan p join org o on o.plan_id = p.id where o.id=4;
insert into bill (org_id, amount) values (4, 30);
-- session 4
insert into outbox (topic, body) values ('api', 'k26');
-- session 3
COMMIT;
-- session 4
COMMIT;
update member set role='owner' where id=1;
-- session 3
BEGIN;
-- session 5
BEGIN;
-- session 2
BEGIN;
-- session 5
update token set used=true where value='tok49' and used=false returning member_id;
-- session 1
BEGIN;
-- session 2
select p.price from plan p join org o on o.plan_id = p.id where o.id=2;
-- session 1
select member0_.id as id1_2_0_, member0_.display as display2_2_0_, member0_.version as version3_2_0_ from member member0_ where member0_.id=15;
-- session 3
select member0_.id as id1_2_0_, member0_.display as display2_2_0_, member0_.version as version3_2_0_ from member member0_ where member0_.id=21;
-- session 5
insert into outbox (topic, body) values ('login', 'member 20');
-- session 2
select count(*) from licence where org_id=2;
-- session 4
update plan set price=26, per_seat=5 where id=1;
-- session 1
update member set display='M 15.8', version=1 where id=15 and version=0;
COMMIT;
-- session 2
select p.per_seat from plan p join org o on o.plan_id = p.id where o.id=2;
-- session 5
COMMIT;
-- session 3
update member set display='M 21.81', version=2 where id=21 and version=1;
-- session 2
insert into bill (org_id, amount) values (2, 45);
-- session 5
BEGIN;
-- session 1
BEGIN;
-- session 5
select member0_.id as id1_2_ from member member0_ where member0_.org_id=4 and member0_.role='owner';
-- session 4
update member set role='owner' where id=8;
-- session 2
COMMIT;
-- session 1
select p.price from plan p join org o on o.plan_id = p.id where o.id=3;
select count(*) from licence where org_id=3;
-- session 5
ROLLBACK;
-- session 2
update member set role='owner' where id=8;
-- session 1
select p.per_seat from plan p join org o on o.plan_id = p.id where o.id=3;
-- session 3
COMMIT;
-- session 1
insert into bill (org_id, amount) values (3, 31);
-- session 4
BEGIN;
update token set used=true where value='tok1' and used=false returning member_id;
insert into outbox (topic, body) values ('login', 'member 2');
-- session 1
COMMIT;
-- session 4
COMMIT;
-- session 2
update member set role='owner' where id=4;
-- session 5
BEGIN;
-- session 1
BEGIN;
-- session 4
select id, org_id, state from invitation where code='inv37';
-- session 1
select member0_.id as id1_2_ from member member0_ where member0_.org_id=1 and member0_.role='owner';
update member set role='user' where id=5;
-- session 2
BEGIN;
select member0_.id as id1_2_ from member member0_ where member0_.org_id=3 and member0_.role='owner';
-- session 5
insert into request_key (key, member_id) values ('k23', 2) on conflict (key) do nothing returning key;
-- session 3
BEGIN;
-- session 1
COMMIT;
-- session 4
BEGIN;
-- session 5
insert into outbox (topic, body) values ('api', 'k23');
-- session 2
ROLLBACK;
-- session 5
COMMIT;
-- session 3
select org0_.id as id1_0_0_, org0_.name as name2_0_0_, org0_.licences as licences3_0_0_ from org org0_ where org0_.id=5;
-- session 4
insert into member (org_id, username, role, display, version) values (3, 'new110', 'user', 'New', 0);
-- session 3
select count(licence0_.id) as col_0_0_ from licence licence0_ where licence0_.org_id=5;
-- session 4
update invitation set state='used' where id=37;
-- session 3
insert into licence (org_id, member_id) values (5, 29);
-- session 4
COMMIT;
-- session 2
BEGIN;
-- session 1
BEGIN;
-- session 3
insert into outbox (topic, body) values ('licence', 'org 5');
-- session 4
update member set role='owner' where id=9;
-- session 1
select 1 from member where username='u8';
-- session 2
select p.price from plan p join org o on o.plan_id = p.id where o.id=4;
-- session 3
COMMIT;
-- session 5
BEGIN;
-- session 4
BEGIN;
-- session 5
update token set used=true where value='tok55' and used=false returning member_id;
-- session 2
select count(*) from licence where org_id=4;
-- session 1
insert into member (org_id, username, role, display, version) values (5, 'u8', 'user', 'U', 0);
-- session 4
select org0_.id as id1_0_0_, org0_.name as name2_0_0_, org0_.licences as licences3_0_0_ from org org0_ where org0_.id=4;
-- session 5
insert into outbox (topic, body) values ('login', 'member 26');
-- session 4
select count(licence0_.id) as col_0_0_ from licence licence0_ where licence0_.org_id=4;
-- session 3
update plan set price=23, per_seat=4 where id=1;
-- session 5
COMMIT;
-- session 4
insert into licence (org_id, member_id) values (4, 2);
-- session 2
select p.per_seat from plan p join org o on o.plan_id = p.id where o.id=4;
-- session 1
COMMIT;
-- session 4
insert into outbox (topic, body) values ('licence', 'org 4');
-- session 2
insert into bill (org_id, amount) values (4, 30);
COMMIT;
-- session 4
COMMIT;
-- session 2
select id, org_id, state from invitation where code='inv18';
-- session 3
select id, org_id, state from invitation where code='inv19';
-- session 4
update member set role='owner' where id=7;
-- session 3
BEGIN;
-- session 5
BEGIN;
select member0_.id as id1_2_0_, member0_.display as display2_2_0_, member0_.version as version3_2_0_ from member member0_ where member0_.id=25;
-- session 3
insert into member (org_id, username, role, display, version) values (5, 'new111', 'user', 'New', 0);
-- session 1
BEGIN;
-- session 2
BEGIN;
-- session 3
update invitation set state='used' where id=19;
-- session 2
select member0_.id as id1_2_ from member member0_ where member0_.org_id=3 and member0_.role='owner';
-- session 5
update member set display='M 25.31', version=1 where id=25 and version=0;
COMMIT;
-- session 1
select member0_.id as id1_2_0_, member0_.display as display2_2_0_, member0_.version as version3_2_0_ from member member0_ where member0_.id=8;
-- session 3
COMMIT;
-- session 4
BEGIN;
-- session 2
update member set role='user' where id=7;
-- session 4
insert into request_key (key, member_id) values ('k15', 9) on conflict (key) do nothing returning key;
-- session 2
COMMIT;
-- session 1
update member set display='M 8.13', version=1 where id=8 and version=0;
COMMIT;
-- session 4
ROLLBACK;
BEGIN;
-- session 5
BEGIN;
-- session 1
BEGIN;
-- session 4
delete from outbox where id in (select id from outbox order by id limit 3 for update skip locked) returning id, topic, body;
-- session 3
update plan set price=23, per_seat=4 where id=2;
-- session 1
select member0_.id as id1_2_ from member member0_ where member0_.org_id=2 and member0_.role='owner';
-- session 5
select member0_.id as id1_2_0_, member0_.display as display2_2_0_, member0_.version as version3_2_0_ from member member0_ where member0_.id=12;
-- session 2
update member set role='owner' where id=3;
-- session 1
ROLLBACK;
-- session 3
BEGIN;
-- session 4
COMMIT;
-- session 5
update member set display='M 12.47', version=2 where id=12 and version=1;
COMMIT;
-- session 1
BEGIN;
-- session 4
BEGIN;
-- session 1
select 1 from member where username='u55';
-- session 4
select member0_.id as id1_2_0_, member0_.display as display2_2_0_, member0_.version as version3_2_0_ from member member0_ where member0_.id=2;
-- session 5
BEGIN;
-- session 3
delete from outbox where id in (select id from outbox order by id limit 3 for update skip locked) returning id, topic, body;
-- session 5
select member0_.id as id1_2_0_, member0_.display as display2_2_0_, member0_.version as version3_2_0_ from member member0_ where member0_.id=21;
-- session 4
update member set display='M 2.75', version=1 where id=2 and version=0;
-- session 1
insert into member (org_id, username, role, display, version) values (5, 'u55', 'user', 'U', 0);
-- session 3
COMMIT;
-- session 5
update member set display='M 21.50', version=3 where id=21 and version=2;
-- session 1
COMMIT;
-- session 4
COMMIT;
-- session 5
COMMIT;
-- session 3
BEGIN;
-- session 2
BEGIN;
select p.price from plan p join org o on o.plan_id = p.id where o.id=1;
-- session 3
insert into request_key (key, member_id) values ('k15', 11) on conflict (key) do nothing returning key;
-- session 2
select count(*) from licence where org_id=1;
-- session 3
ROLLBACK;
-- session 2
select p.per_seat from plan p join org o on o.plan_id = p.id where o.id=1;
-- session 5
delete from licence where org_id=2 and member_id=8;
-- session 1
BEGIN;
-- session 2
insert into bill (org_id, amount) values (1, 31);
-- session 5
delete from licence where org_id=3 and member_id=3;
-- session 4
BEGIN;
update token set used=true where value='tok1' and used=false returning member_id;
-- session 1
insert into request_key (key, member_id) values ('k2', 26) on conflict (key) do nothing returning key;
-- session 2
COMMIT;
-- session 1
insert into outbox (topic, body) values ('api', 'k2');
-- session 3
BEGIN;
-- session 4
ROLLBACK;
-- session 3
select 1 from member where username='u10';
-- session 1
COMMIT;
-- session 3
ROLLBACK;
-- session 4
select id, org_id, state from invitation where code='inv28';
-- session 5
update member set role='owner' where id=1;
-- session 4
BEGIN;
-- session 2
BEGIN;
-- session 3
BEGIN;
update token set used=true where value='tok58' and used=false returning member_id;
-- session 4
insert into member (org_id, username, role, display, version) values (4, 'new112', 'user', 'New', 0);
-- session 1
select id, org_id, state from invitation where code='inv31';
-- session 3
insert into outbox (topic, body) values ('login', 'member 29');
-- session 2
select member0_.id as id1_2_ from member member0_ where member0_.org_id=1 and member0_.role='owner';
-- session 3
COMMIT;
-- session 4
update invitation set state='used' where id=28;
-- session 1
BEGIN;
-- session 2
ROLLBACK;
-- session 1
insert into member (org_id, username, role, display, version) values (2, 'new113', 'user', 'New', 0);
-- session 4
COMMIT;
-- session 1
update invitation set state='used' where id=31;
COMMIT;
-- session 5
BEGIN;
select org0_.id as id1_0_0_, org0_.name as name2_0_0_, org0_.licences as licences3_0_0_ from org org0_ where org0_.id=5;
-- session 2
BEGIN;
-- session 5
select count(licence0_.id) as col_0_0_ from licence licence0_ where licence0_.org_id=5;
-- session 3
BEGIN;
-- session 2
select member0_.id as id1_2_ from member member0_ where member0_.org_id=4 and member0_.role='owner';
-- session 1
BEGIN;
-- session 2
update member set role='user' where id=3;
-- session 3
insert into request_key (key, member_id) values ('k18', 22) on conflict (key) do nothing returning key;
-- session 4
select id, org_id, state from invitation where code='inv23';
-- session 5
insert into licence (org_id, member_id) values (5, 3);
-- session 2
COMMIT;
-- session 3
ROLLBACK;
-- session 1
delete from outbox where id in (select id from outbox order by id limit 3 for update skip locked) returning id, topic, body;
-- session 4
BEGIN;
-- session 1
COMMIT;
-- session 4
insert into member (org_id, username, role, display, version) values (4, 'new114', 'user', 'New', 0);
update invitation set state='used' where id=23;
-- session 5
insert into outbox (topic, body) values ('licence', 'org 5');
COMMIT;
-- session 4
COMMIT;
-- session 2
BEGIN;
-- session 3
BEGIN;
-- session 1
BEGIN;
-- session 5
delete from licence where org_id=3 and member_id=25;
-- session 2
select org0_.id as id1_0_0_, org0_.name as name2_0_0_, org0_.licences as licences3_0_0_ from org org0_ where org0_.id=2;
-- session 4
BEGIN;
-- session 1
select member0_.id as id1_2_0_, member0_.display as display2_2_0_, member0_.version as version3_2_0_ from member member0_ where member0_.id=11;
-- session 4
update token set used=true where value='tok3' and used=false returning member_id;
-- session 2
select count(licence0_.id) as col_0_0_ from licence licence0_ where licence0_.org_id=2;
-- session 3
insert into request_key (key, member_id) values ('k1', 4) on conflict (key) do nothing returning key;
-- session 2
insert into licence (org_id, member_id) values (2, 22);
-- session 4
insert into outbox (topic, body) values ('login', 'member 4');
-- session 3
insert into outbox (topic, body) values ('api', 'k1');
-- session 1
update member set display='M 11.3', version=1 where id=11 and version=0;
-- session 4
COMMIT;
-- session 2
insert into outbox (topic, body) values ('licence', 'org 2');
-- session 1
COMMIT;
-- session 3
COMMIT;
-- session 2
COMMIT;
-- session 5
BEGIN;
-- session 3
BEGIN;
-- session 5
update token set used=true where value='tok29' and used=false returning member_id;
-- session 4
BEGIN;
-- session 3
select org0_.id as id1_0_0_, org0_.name as name2_0_0_, org0_.licences as licences3_0_0_ from org org0_ where org0_.id=3;
-- session 4
select member0_.id as id1_2_ from member member0_ where member0_.org_id=4 and member0_.role='owner';
-- session 5
insert into outbox (topic, body) values ('login', 'member 30');
COMMIT;
-- session 1
select id, org_id, state from invitation where code='inv23';
-- session 4
ROLLBACK;
-- session 3
select count(licence0_.id) as col_0_0_ from licence licence0_ where licence0_.org_id=3;
insert into licence (org_id, member_id) values (3, 5);
insert into outbox (topic, body) values ('licence', 'org 3');
-- session 5
BEGIN;
-- session 3
COMMIT;
-- session 2
BEGIN;
-- session 5
update token set used=true where value='tok12' and used=false returning member_id;
-- session 2
select member0_.id as id1_2_ from member member0_ where member0_.org_id=4 and member0_.role='owner';
-- session 4
delete from licence where org_id=3 and member_id=24;
-- session 5
insert into outbox (topic, body) values ('login', 'member 13');
-- session 2
ROLLBACK;
-- session 1
BEGIN;
-- session 3
BEGIN;
-- session 5
COMMIT;
-- session 1
select 1 from member where username='u26';
-- session 3
update token set used=true where value='tok46' and used=false returning member_id;
-- session 4
BEGIN;
-- session 1
insert into member (org_id, username, role, display, version) values (1, 'u26', 'user', 'U', 0);
-- session 2
BEGIN;
-- session 1
COMMIT;
-- session 5
BEGIN;
-- session 3
insert into outbox (topic, body) values ('login', 'member 17');
-- session 4
select p.price from plan p join org o on o.plan_id = p.id where o.id=3;
-- session 2
insert into request_key (key, member_id) values ('k13', 16) on conflict (key) do nothing returning key;
-- session 3
COMMIT;
-- session 5
select org0_.id as id1_0_0_, org0_.name as name2_0_0_, org0_.licences as licences3_0_0_ from org org0_ where org0_.id=2;
-- session 2
insert into outbox (topic, body) values ('api', 'k13');
-- session 5
select count(licence0_.id) as col_0_0_ from licence licence0_ where licence0_.org_id=2;
-- session 4
select count(*) from licence where org_id=3;
-- session 5
insert into licence (org_id, member_id) values (2, 10);
-- session 2
COMMIT;
-- session 5
insert into outbox (topic, body) values ('licence', 'org 2');
-- session 1
BEGIN;
-- session 4
select p.per_seat from plan p join org o on o.plan_id = p.id where o.id=3;
insert into bill (org_id, amount) values (3, 35);
-- session 5
COMMIT;
-- session 1
delete from outbox where id in (select id from outbox order by id limit 3 for update skip locked) returning id, topic, body;
-- session 3
delete from licence where org_id=3 and member_id=22;
-- session 4
COMMIT;
-- session 1
COMMIT;
-- session 2
delete from licence where org_id=3 and member_id=18;
-- session 4
BEGIN;
-- session 3
BEGIN;
-- session 4
update token set used=true where value='tok22' and used=false returning member_id;
-- session 3
insert into request_key (key, member_id) values ('k26', 22) on conflict (key) do nothing returning key;
-- session 4
ROLLBACK;
-- session 3
ROLLBACK;
-- session 1
BEGIN;
-- session 4
BEGIN;
-- session 2
BEGIN;
-- session 1
select member0_.id as id1_2_ from member member0_ where member0_.org_id=3 and member0_.role='owner';
-- session 2
update token set used=true where value='tok44' and used=false returning member_id;
-- session 4
delete from outbox where id in (select id from outbox order by id limit 3 for update skip locked) returning id, topic, body;
-- session 5
update plan set price=15, per_seat=3 where id=1;
-- session 2
insert into outbox (topic, body) values ('login', 'member 15');
-- session 4
COMMIT;
-- session 1
ROLLBACK;
delete from licence where org_id=3 and member_id=1;
-- session 2
COMMIT;
-- session 3
delete from licence where org_id=5 and member_id=2;
-- session 2
BEGIN;
-- session 4
BEGIN;
-- session 3
BEGIN;
-- session 5
delete from licence where org_id=1 and member_id=12;
-- session 3
select member0_.id as id1_2_ from member member0_ where member0_.org_id=5 and member0_.role='owner';
-- session 4
select member0_.id as id1_2_0_, member0_.display as display2_2_0_, member0_.version as version3_2_0_ from member member0_ where member0_.id=8;
update member set display='M 8.89', version=2 where id=8 and version=1;
COMMIT;
-- session 1
BEGIN;
-- session 2
select member0_.id as id1_2_ from member member0_ where member0_.org_id=2 and member0_.role='owner';
ROLLBACK;
-- session 3
update member set role='user' where id=9;
-- session 5
BEGIN;
insert into request_key (key, member_id) values ('k22', 2) on conflict (key) do nothing returning key;
-- session 1
select p.price from plan p join org o on o.plan_id = p.id where o.id=2;
-- session 3
COMMIT;
-- session 2
select id, org_id, state from invitation where code='inv36';
-- session 1
select count(*) from licence where org_id=2;
-- session 2
BEGIN;
-- session 5
insert into outbox (topic, body) values ('api', 'k22');
COMMIT;
-- session 2
insert into member (org_id, username, role, display, version) values (2, 'new115', 'user', 'New', 0);
-- session 1
select p.per_seat from plan p join org o on o.plan_id = p.id where o.id=2;
-- session 2
update invitation set state='used' where id=36;
-- session 1
insert into bill (org_id, amount) values (2, 33);
-- session 2
COMMIT;
-- session 3
BEGIN;
select org0_.id as id1_0_0_, org0_.name as name2_0_0_, org0_.licences as licences3_0_0_ from org org0_ where org0_.id=5;
-- session 4
delete from licence where org_id=3 and member_id=4;
-- session 1
COMMIT;
-- session 5
delete from licence where org_id=5 and member_id=15;
-- session 2
BEGIN;
update token set used=true where value='tok13' and used=false returning member_id;
-- session 3
select count(licence0_.id) as col_0_0_ from licence licence0_ where licence0_.org_id=5;
ROLLBACK;
-- session 2
insert into outbox (topic, body) values ('login', 'member 14');
-- session 1
BEGIN;
-- session 2
COMMIT;
-- session 1
select p.price from plan p join org o on o.plan_id = p.id where o.id=3;
-- session 2
BEGIN;
-- session 3
update member set role='owner' where id=5;
-- session 5
update plan set price=26, per_seat=5 where id=2;
-- session 1
select count(*) from licence where org_id=3;
-- session 2
delete from outbox where id in (select id from outbox order by id limit 3 for update skip locked) returning id, topic, body;
-- session 5
BEGIN;
-- session 2
COMMIT;
-- session 3
delete from licence where org_id=3 and member_id=25;
-- session 5
select 1 from member where username='u4';
-- session 1
select p.per_seat from plan p join org o on o.plan_id = p.id where o.id=3;
-- session 5
insert into member (org_id, username, role, display, version) values (5, 'u4', 'user', 'U', 0);
COMMIT;
-- session 1
insert into bill (org_id, amount) values (3, 38);
-- session 3
BEGIN;
-- session 2
BEGIN;
-- session 3
update token set used=true where value='tok20' and used=false returning member_id;
-- session 1
COMMIT;
-- session 2
update token set used=true where value='tok2' and used=false returning member_id;
-- session 3
ROLLBACK;
-- session 2
insert into outbox (topic, body) values ('login', 'member 3');
-- session 3
BEGIN;
-- session 5
BEGIN;
-- session 2
COMMIT;
-- session 1
BEGIN;
select p.price from plan p join org o on o.plan_id = p.id where o.id=5;
-- session 3
select p.price from plan p join org o on o.plan_id = p.id where o.id=5;
-- session 5
insert into request_key (key, member_id) values ('k20', 23) on conflict (key) do nothing returning key;
insert into outbox (topic, body) values ('api', 'k20');
-- session 2
BEGIN;
-- session 1
select count(*) from licence where org_id=5;
select p.per_seat from plan p join org o on o.plan_id = p.id where o.id=5;
-- session 3
select count(*) from licence where org_id=5;
-- session 1
insert into bill (org_id, amount) values (5, 56);
-- session 2
update token set used=true where value='tok36' and used=false returning member_id;
-- session 5
COMMIT;
-- session 3
select p.per_seat from plan p join org o on o.plan_id = p.id where o.id=5;
-- session 2
insert into outbox (topic, body) values ('login', 'member 7');
-- session 3
insert into bill (org_id, amount) values (5, 56);
-- session 1
COMMIT;
-- session 2
COMMIT;
-- session 3
COMMIT;
-- session 1
BEGIN;
-- session 5
BEGIN;
-- session 3
update plan set price=20, per_seat=4 where id=1;
-- session 2
BEGIN;
-- session 5
update token set used=true where value='tok50' and used=false returning member_id;
-- session 3
select id, org_id, state from invitation where code='inv40';
-- session 1
update token set used=true where value='tok35' and used=false returning member_id;
-- session 3
BEGIN;
insert into member (org_id, username, role, display, version) values (1, 'new116', 'user', 'New', 0);
-- session 5
insert into outbox (topic, body) values ('login', 'member 21');
-- session 2
select member0_.id as id1_2_ from member member0_ where member0_.org_id=4 and member0_.role='owner';
-- session 1
insert into outbox (topic, body) values ('login', 'member 6');
-- session 2
ROLLBACK;
-- session 3
update invitation set state='used' where id=40;
-- session 5
COMMIT;
-- session 3
COMMIT;
-- session 1
COMMIT;
-- session 2
delete from licence where org_id=2 and member_id=9;
-- session 5
BEGIN;
-- session 1
select id, org_id, state from invitation where code='inv20';
-- session 2
delete from licence where org_id=1 and member_id=4;
-- session 1
BEGIN;
-- session 3
BEGIN;
-- session 5
insert into request_key (key, member_id) values ('k21', 4) on conflict (key) do nothing returning key;
-- session 3
delete from outbox where id in (select id from outbox order by id limit 3 for update skip locked) returning id, topic, body;
-- session 1
insert into member (org_id, username, role, display, version) values (1, 'new117', 'user', 'New', 0);
update invitation set state='used' where id=20;
-- session 5
ROLLBACK;
-- session 3
COMMIT;
-- session 1
COMMIT;
-- session 3
BEGIN;
-- session 1
update member set role='owner' where id=7;
-- session 5
BEGIN;
-- session 3
update token set used=true where value='tok30' and used=false returning member_id;
-- session 5
select member0_.id as id1_2_ from member member0_ where member0_.org_id=2 and member0_.role='owner';
ROLLBACK;
-- session 1
select id, org_id, state from invitation where code='inv3';
-- session 3
insert into outbox (topic, body) values ('login', 'member 1');
COMMIT;
-- session 1
BEGIN;
insert into member (org_id, username, role, display, version) values (4, 'new118', 'user', 'New', 0);
update invitation set state='used' where id=3;
COMMIT;
BEGIN;
insert into request_key (key, member_id) values ('k11', 24) on conflict (key) do nothing returning key;
insert into outbox (topic, body) values ('api', 'k11');
COMMIT;
BEGIN;
update token set used=true where value='tok43' and used=false returning member_id;
ROLLBACK;
BEGIN;
delete from outbox where id in (select id from outbox order by id limit 3 for update skip locked) returning id, topic, body;
COMMIT;
BEGIN;
select org0_.id as id1_0_0_, org0_.name as name2_0_0_, org0_.licences as licences3_0_0_ from org org0_ where org0_.id=4;
select count(licence0_.id) as col_0_0_ from licence licence0_ where licence0_.org_id=4;
insert into licence (org_id, member_id) values (4, 20);
insert into outbox (topic, body) values ('licence', 'org 4');
COMMIT;
BEGIN;
select org0_.id as id1_0_0_, org0_.name as name2_0_0_, org0_.licences as licences3_0_0_ from org org0_ where org0_.id=1;
select count(licence0_.id) as col_0_0_ from licence licence0_ where licence0_.org_id=1;
insert into licence (org_id, member_id) values (1, 14);
insert into outbox (topic, body) values ('licence', 'org 1');
COMMIT;
