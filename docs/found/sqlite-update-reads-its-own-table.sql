-- SQLite 3.40.1: UPDATE evaluates WHERE while it writes, although WHERE reads the table that it changes.
-- usage: sqlite3 :memory: < sqlite-update-reads-its-own-table.sql
select 'SQLite ' || sqlite_version();
create table t (id integer primary key, c int);
insert into t values (1, 1), (2, 2), (3, 3), (4, 4), (5, 5);
select 'rows that SELECT finds: ' || count(*) from t where exists (select 1 from t as u where u.c < 6 and u.c <> t.c);
update t set c = 6 where exists (select 1 from t as u where u.c < 6 and u.c <> t.c);
select 'rows that UPDATE changed: ' || changes();
select 'left as it was: ' || id from t where c <> 6;
