#!/usr/bin/env bash
# PostgreSQL, SERIALIZABLE: three transactions that form a cycle commit, when the third takes its snapshot while the
# first is on its way out of its commit. The first holds many advisory locks, which makes that way longer.
# usage: bash postgres-serializable-commit-race.sh ROUNDS [arguments of psql: -h, -p, -U, -d …]
set -u
rounds=${1:-50}
shift || true
args=("$@")
gates=8 # tables to wait at: which of them is let go of early depends on a hash
dir=$(mktemp -d)
trap 'exec 11>&- 12>&- 13>&-; wait; rm -rf "$dir"' EXIT
sql() { psql -X -q -A -t "${args[@]}" "$@"; }
open() {
  mkfifo "$dir/in$1" "$dir/out$1"
  sql <"$dir/in$1" >"$dir/out$1" 2>&1 &
  eval "exec 1$1>'$dir/in$1' 2$1<'$dir/out$1'"
}
tell() { printf '%s\n\\echo --done--\n' "$2" >&"1$1"; } # sends
hear() {                                                # the answer, in $answer
  local line
  answer=
  while read -r line <&"2$1" && [[ $line != --done-- ]]; do answer+="$line "; done
}
say() { tell "$1" "$2" && hear "$1"; }
waits() { # until the session SESSION waits for a lock
  until [[ $(sql -c "select count(*) from pg_stat_activity where application_name = 'T$1' and wait_event_type = 'Lock'") == 1 ]]; do :; done
}

sql -c 'drop table if exists ssi' -c 'create table ssi (k text primary key, v text)' 2>/dev/null
for ((g = 0; g < gates; g++)); do sql -c "drop table if exists gate$g" -c "create table gate$g ()" 2>/dev/null; done
for session in 1 2 3; do
  open $session
  say $session "set application_name = 'T$session'; set enable_seqscan = off;"
done
seen=0
for ((round = 0; round < rounds; round++)); do
  gate=gate$((round % gates))
  sql -c 'truncate ssi' -c "insert into ssi values ('x', 'x0'), ('y', 'y0')"
  say 1 "begin isolation level serializable; lock table $gate in exclusive mode;"
  say 1 "select v from ssi where k = 'x'; update ssi set v = v || ',x1' where k = 'x';"
  say 1 'select count(pg_advisory_xact_lock(100, i)) from generate_series(1, 5000) as i;'
  say 2 'select pg_advisory_lock(7);'
  say 3 "begin isolation level serializable; select v from ssi where k = 'x';"
  t3=$answer
  say 3 "update ssi set v = v || ',y3' where k = 'y';"
  # LOCK TABLE takes no snapshot: T2's is that of its UPDATE, after T1 has become visible.
  tell 2 "begin isolation level serializable; lock table $gate in share mode; update ssi set v = v || ',x2' where k = 'x' returning v, pg_advisory_unlock(7);"
  waits 2
  tell 3 'select pg_advisory_lock_shared(7); commit;'
  waits 3
  say 1 'commit;'
  hear 2
  t2x=$answer
  hear 3
  t3end=$answer
  say 2 "select v from ssi where k = 'y';"
  t2y=$answer
  say 2 'commit;'
  t2end=$answer
  if [[ $t3 == 'x0 ' && $t2x == *x0,x1,x2* && $t2y == 'y0 ' && $t3end$t2end != *ERROR* ]]; then
    seen=$((seen + 1))
    [[ $seen == 1 ]] && echo "T3 read x = $t3, before T1; T2 read x = $t2x, after T1, and y = $t2y, before T3; all committed"
  fi
  for session in 1 2 3; do say $session 'rollback; select pg_advisory_unlock_all();'; done
done
echo "$(sql -c 'show server_version'): the cycle T1 -> T2 -> T3 -> T1 was committed in $seen of $rounds rounds"
sql -c 'drop table ssi' -c "drop table $(for ((g = 0; g < gates; g++)); do printf 'gate%d%s' $g "$([[ $g -lt $((gates - 1)) ]] && echo ', ')"; done)"
