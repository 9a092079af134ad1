-- PostgreSQL: MERGE into a partitioned table fails with an internal error (XX000) if the new row goes to a partition that
-- the plan has pruned, and the UPDATE action has a correlated subquery.
-- usage: psql -X -f postgres-merge-partitioned-subplan.sql
select version();
create table part_t (id int primary key, c int) partition by list (id);
create table part_t1 partition of part_t for values in (1);
create table part_t2 partition of part_t for values in (2);
create table plain_t (id int primary key, c int);
insert into part_t values (1, 0);
insert into plain_t values (1, 0);
-- Not partitioned: it is carried out.
merge into plain_t as t using (select 2 as id) as s on t.id = 1 and t.id = s.id
  when matched then update set c = (select count(*) from plain_t as u where u.id = t.id)
  when not matched then insert values (s.id, 0);
-- Partitioned: an internal error.
merge into part_t as t using (select 2 as id) as s on t.id = 1 and t.id = s.id
  when matched then update set c = (select count(*) from part_t as u where u.id = t.id)
  when not matched then insert values (s.id, 0);
select 'plain: ' || count(*) || ' rows' from plain_t;
select 'partitioned: ' || count(*) || ' rows' from part_t;
drop table part_t, plain_t;
