#!/usr/bin/env bash
# The commands of README and docs that need a server, a broker or a browser's place to listen, and so do not run with the
# `console` blocks of tests/docs_test.cc. Each is taken from its page: one that is no longer there is a failure.
#
#   commands_of_docs.sh ISOLDE SOURCE       one line a command; what is not installed here is passed over with a line
#
# Times are shortened, and ports are those that are free; the rest runs as it is shown.
set -uo pipefail
isolde=$(realpath "$1") source=$(realpath "$2") build=$(dirname "$(realpath "$1")")
folder=$(mktemp -d)
chmod 755 "$folder" # servers run as other users
trap 'kill $(jobs -p) 2>/dev/null; wait 2>/dev/null; rm -rf "$folder"' EXIT
cd "$folder"
ln -s "$source/examples" examples
[[ ! -d $build/servers/postgres-15.3 ]] || ln -s "$build/servers/postgres-15.3" postgres-15.3
export PATH="$(dirname "$isolde"):$PATH" TMPDIR=$folder
port=$((20000 + RANDOM % 30000))
failed=0

# shown PAGE COMMAND: whether the page has the line.
shown() {
  grep -qxF -- "\$ $2" "$source/$1" || grep -qxF -- "$2" "$source/$1" || { echo "$1 no longer shows: $2"; failed=1; return 1; }
}
# try PAGE STATUS PATTERN COMMAND [SED]: STATUS is a pattern, too: "0|1".
try() {
  local page=$1 wanted=$2 pattern=$3 command=$4 status=0
  shown "$page" "$command" || return 0
  [[ -z ${5:-} ]] || command=$(sed -E "$5" <<<"$command")
  timeout 120 bash -c "$command" >out.txt 2>&1 </dev/null || status=$?
  if [[ ! $status =~ ^($wanted)$ ]] || ! grep -qE -- "$pattern" out.txt; then
    echo "$page: $command: exit status $status"
    tail -20 out.txt
    failed=1
  else
    echo "$page: $command: $status"
  fi
}
# need PROGRAM WHAT: false, and a line, if it is not there.
need() { command -v "$1" >/dev/null || [[ -d $1 || -x $1 ]] || { echo "passed over: $2 (no $1)"; return 1; }; }

try docs/audit.md 1 'lost update on orders.total' 'isolde audit examples/audit/purchase.sql --schema examples/audit/shop.ddl --show 1'
isolde gen --out run.jsonl --transactions 1k --level serializable --quiet
try docs/ci.md 0 'satisfies serializable' 'isolde check run.jsonl --level serializable || [ $? -eq 3 ]'

if need mariadbd MariaDB; then
  try README.md 1 'violates snapshot-isolation' 'isolde record --spawn mariadb --workload rmw --level "repeatable read" --clients 16 --time 5 --check snapshot-isolation'
  try docs/probe.md '0|1' '^P4 ' 'isolde probe --spawn mariadb'
fi
if need "$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -1)" PostgreSQL; then
  try docs/hunt.md '0|1' 'oracle rounds' 'isolde hunt --spawn postgres --level serializable --time 10m' 's/10m/4/'
fi
if need postgres-15.3 'PostgreSQL 15.3'; then
  try README.md '0|1' 'PostgreSQL 15.3' 'isolde hunt --spawn postgres --server-path postgres-15.3/bin --level "repeatable read" --time 10m' 's/10m/4/'
fi

if need mpirun 'several ranks' && need "$(dirname "$isolde")/isolde-mpi" 'several ranks'; then
  try docs/batch.md 0 '100,000 transactions' 'isolde gen --out h.isl --transactions 100k --level snapshot-isolation --plant lost-update:0.001'
  try docs/batch.md 0 '100,000 transactions' 'isolde convert h.isl big --segments 8'
  try docs/batch.md 1 'violates snapshot-isolation' 'mpirun -n 4 isolde-mpi check big --level snapshot-isolation' 's/mpirun/mpirun --quiet --allow-run-as-root --oversubscribe/'
fi

if need nats-server 'a cluster'; then
  here="s/127.0.0.1 -js/127.0.0.1 -p $port -js/; s#/tmp/nats#$folder/nats#; s#nats://localhost/#nats://localhost:$port/#"
  for command in 'nats-server -a 127.0.0.1 -js -sd /tmp/nats &' \
    'isolde watch nats://localhost/shop --level snapshot-isolation --producers 1 --workers 2 &'; do
    shown docs/cluster.md "$command" || continue
    bash -c "exec $(sed -E "$here; s/ &\$//" <<<"$command")" >"watch.txt" 2>&1 </dev/null &
    watcher=$!
    sleep 2
  done
  try docs/cluster.md 0 'planted lost-update' 'isolde gen --out bad.jsonl --transactions 20k --level snapshot-isolation --plant lost-update:0.01'
  try docs/cluster.md 0 '20,000 transactions' 'isolde send bad.jsonl nats://localhost/shop --name app-1' "$here"
  wait "$watcher"
  status=$?
  if [[ $status != 1 ]] || ! grep -q 'violates snapshot-isolation' watch.txt; then
    echo "docs/cluster.md: the watch ended with $status"
    tail watch.txt
    failed=1
  fi
fi

if need curl 'a run that is followed'; then
  here="s#/tmp/isolde.socket#$folder/isolde.socket#; s/127.0.0.1:9000/127.0.0.1:$((port + 1))/"
  command='isolde watch --listen unix:/tmp/isolde.socket --profile postgres:repeatable-read --serve 127.0.0.1:9000'
  if shown docs/online.md "$command"; then
    bash -c "exec $(sed -E "$here" <<<"$command")" >serve.txt 2>&1 </dev/null &
    watcher=$!
    for ((i = 0; i < 100; i++)); do grep -q "follow this run" serve.txt 2>/dev/null && break; sleep 0.1; done
    try docs/online.md 0 'TYPE isolde_watch_violations_total counter' 'curl -s http://127.0.0.1:9000/metrics | grep violations' "$here"
    kill -INT "$watcher"
    wait "$watcher" || true
  fi
fi
[[ $failed == 0 ]]
