#!/usr/bin/env bash
# MariaDB, REPEATABLE READ with innodb_snapshot_isolation=ON: statements that use a secondary index do not notice that a
# row has changed since the snapshot, where error 1020 is promised.
# usage: bash mariadb-snapshot-isolation-secondary-index.sh [arguments of mariadb: -S, -h, -P, -u, DATABASE …]
set -u
args=("$@")
dir=$(mktemp -d)
trap 'exec 11>&- 12>&-; wait; rm -rf "$dir"' EXIT
sql() { mariadb -N -s --unbuffered --force "${args[@]}" "$@"; }
open() {
  mkfifo "$dir/in$1" "$dir/out$1"
  sql <"$dir/in$1" >"$dir/out$1" 2>&1 &
  eval "exec 1$1>'$dir/in$1' 2$1<'$dir/out$1'"
}
say() { # say SESSION SQL: sends it and prints the answer
  echo "T$1: $2"
  printf '%s\nselect "--done--";\n' "$2" >&"1$1"
  local line
  while read -r line <&"2$1" && [[ $line != --done-- ]]; do echo "      $line"; done
}
# one TITLE INDEX THEIRS OURS: T1 takes its snapshot, T2 changes the row, T1 goes on.
one() {
  echo "-- $1, ${2:-no index on c}"
  sql -e "drop table if exists x, total; create table x (id int primary key, c int, d int${2:+, $2}) engine=InnoDB;
          create table total (id int primary key, t int) engine=InnoDB;
          insert into x values (1, 1, 0), (2, 7, 0); insert into total values (1, -1)"
  open 1
  open 2
  for session in 1 2; do
    say $session 'set session innodb_snapshot_isolation = ON; set session transaction isolation level repeatable read;'
  done
  say 1 'start transaction with consistent snapshot;'
  say 1 'select * from x where c = 1;'
  say 2 "$3"
  say 1 "$4 select row_count();"
  say 1 'select * from x where c = 1; select * from total;'
  say 1 'commit;'
  exec 11>&- 12>&-
  wait
  rm -f "$dir"/in* "$dir"/out*
}

sql -e 'select version()'
# M1: the row is passed over.
for index in 'key (c)' ''; do
  one 'an UPDATE passes over a row that was deleted' "$index" 'delete from x where id = 1;' \
    'update x set d = 100 where c = 1;'
  one 'a DELETE passes over a row whose indexed column changed' "$index" 'update x set c = 5 where id = 1;' \
    'delete from x where c = 1;'
done
# M2: a newer value than the snapshot's is used.
for index in 'key (c)' ''; do
  one 'an UPDATE sums values that are newer than its snapshot' "$index" 'update x set c = 100 where id = 1;' \
    'update total set t = (select sum(c) from x);'
done
sql -e 'drop table x, total'
