#!/usr/bin/env bash
# The way of docs/start.md for somebody who has just installed Isolde: from nothing to a verdict on an own history. Each
# step prints how long it took.
set -euo pipefail
cd "$(mktemp -d)"
step() { # step EXPECTED-STATUS COMMAND…
  local expected=$1 status=0 start=$EPOCHREALTIME
  shift
  "$@" >out 2>&1 || status=$?
  awk -v from="$start" -v to="$EPOCHREALTIME" -v what="$*" 'BEGIN { printf "  %6.2f s  %s\n", to - from, what }'
  [[ $status == "$expected" ]] || { cat out; echo "exit status $status, expected $expected"; exit 1; }
}
cat >first.jsonl <<'H'
{"id": 1, "session": 1, "ops": [["w","balance",100]]}
{"id": 2, "session": 1, "ops": [["r","balance",100],["w","balance",110]]}
{"id": 3, "session": 2, "ops": [["r","balance",100],["w","balance",120]]}
H
step 0 isolde --version
step 1 isolde check first.jsonl
grep -q 'lost-update' out
step 0 isolde explain lost-update
sed 's/\["r","balance",100\],\["w","balance",120\]/["r","balance",110],["w","balance",130]/' first.jsonl >fixed.jsonl
step 0 isolde check fixed.jsonl --prove
step 1 isolde check first.jsonl --html first.html
grep -q '<!doctype html>' first.html
step 0 isolde demo
