#!/usr/bin/env bash
# PostgreSQL, SERIALIZABLE: a transaction inserts a primary key that a concurrent one has deleted through another index.
# It then sees two rows of one primary key, and both transactions commit.
# usage: bash postgres-serializable-insert-over-delete.sh [arguments of psql: -h, -p, -U, -d …]
set -u
args=("$@")
dir=$(mktemp -d)
trap 'exec 11>&- 12>&-; wait; rm -rf "$dir"' EXIT
sql() { psql -X -q -A -t "${args[@]}" "$@"; }
open() {
  mkfifo "$dir/in$1" "$dir/out$1"
  sql <"$dir/in$1" >"$dir/out$1" 2>&1 &
  eval "exec 1$1>'$dir/in$1' 2$1<'$dir/out$1'"
}
say() { # say SESSION SQL: sends it and prints the answer
  echo "T$1: $2"
  printf '%s\n\\echo --done--\n' "$2" >&"1$1"
  local line
  while read -r line <&"2$1" && [[ $line != --done-- ]]; do echo "      $line"; done
}

for where in 'id = 1' 'value = 10'; do
  sql -c 'drop table if exists x9b' -c 'create table x9b (id int primary key, value int)' \
    -c 'insert into x9b select i, i * 10 from generate_series(1, 20000) as i' -c 'create index on x9b (value)' \
    -c 'analyze x9b' 2>/dev/null
  echo "-- T2 finds the row by: $where"
  open 1
  open 2
  for session in 1 2; do say $session 'set enable_seqscan = off; set enable_bitmapscan = off;' >/dev/null; done
  say 1 'begin isolation level serializable;'
  say 1 'select * from x9b where id = 1;'
  say 2 'begin isolation level serializable;'
  say 2 "delete from x9b where $where;"
  say 2 'commit;'
  say 1 'insert into x9b values (1, 150005);'
  say 1 'select * from x9b where id = 1;'
  say 1 'commit;'
  say 1 "select 'T1 has ended';"
  exec 11>&- 12>&-
  wait
  rm -f "$dir"/in* "$dir"/out*
done
sql -c 'drop table x9b'
