-- SQLite 3.40.1: NOT IN overlooks a NULL if the subquery's column has a descending index.
-- usage: sqlite3 -nullvalue NULL :memory: < sqlite-not-in-descending-index.sql
select 'SQLite ' || sqlite_version();
create table t (c integer);
insert into t values (null), (1);
select 'without an index', 0 not in (select c from t), 0 in (select c from t);
create index ascending on t (c);
select 'with an ascending index', 0 not in (select c from t), 0 in (select c from t);
drop index ascending;
create index descending on t (c desc);
select 'with a descending index', 0 not in (select c from t), 0 in (select c from t);
