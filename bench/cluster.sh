#!/usr/bin/env bash
# bench/cluster.sh [--transactions N] [--rate SHARE] [--kills N] [--pause SECONDS] [--workers N] [--seed N] [--keep]:
# a cluster on this machine that is killed all the time, and must find the same as one process.
#
# Starts three nats-server (JetStream, replicas = 3) on loopback, with a password of their own, and WORKERS workers. Two
# producers send a history with planted violations, slowly enough that all kills happen meanwhile: every PAUSE seconds a
# worker, the merger or a server is killed with -9 and started again. A second stream, on which nothing is planted, is
# checked by the same workers' program at the same time. Prints what was found, how often something was reported twice,
# and what `isolde watch` finds in the same files. Exit status 0 if they agree.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

transactions=60000 kills=100 workers=4 seed=1 keep=no rate=0.05 pause=3
while [[ $# -gt 0 ]]; do
  case $1 in
    --transactions) transactions=$2 && shift 2 ;;
    --kills) kills=$2 && shift 2 ;;
    --workers) workers=$2 && shift 2 ;;
    --seed) seed=$2 && shift 2 ;;
    --rate) rate=$2 && shift 2 ;;
    --pause) pause=$2 && shift 2 ;;
    --keep) keep=yes && shift ;;
    *) echo "unknown option $1" >&2 && exit 2 ;;
  esac
done
ISOLDE=${ISOLDE:-build/isolde}
command -v nats-server >/dev/null || { echo "needs nats-server (Debian: apt-get install nats-server)" >&2 && exit 2; }
RANDOM=$seed

folder=$(mktemp -d "${TMPDIR:-/tmp}/isolde-cluster-XXXXXX")
chmod 700 "$folder"
declare -A pid=()
cleanup() {
  for one in "${pid[@]}"; do kill -9 "$one" 2>/dev/null || true; done
  wait 2>/dev/null || true
  [[ $keep == yes ]] && echo "kept: $folder" || rm -rf "$folder"
}
trap cleanup EXIT

# ---- servers
base=$((20000 + RANDOM % 20000))
password=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
hosts=''
for i in 1 2 3; do
  hosts+="${hosts:+,}127.0.0.1:$((base + i))"
  cat >"$folder/nats$i.conf" <<CONF
server_name: n$i
listen: 127.0.0.1:$((base + i))
jetstream { store_dir: "$folder/store$i" }
authorization { user: isolde, password: "$password" }
cluster {
  name: isolde
  listen: 127.0.0.1:$((base + 10 + i))
  routes: [ nats://127.0.0.1:$((base + 11)), nats://127.0.0.1:$((base + 12)), nats://127.0.0.1:$((base + 13)) ]
}
CONF
done
start_server() {
  nats-server -c "$folder/nats$1.conf" >>"$folder/nats$1.log" 2>&1 &
  pid[server$1]=$!
}
for i in 1 2 3; do start_server $i; done
address="nats://isolde:$password@$hosts/planted?replicas=3"
valid_address="nats://isolde:$password@$hosts/valid?replicas=3"

# ---- the histories: one with violations, in two parts (a session has one producer), and one without
"$ISOLDE" gen --out "$folder/all.jsonl" --transactions "$transactions" --level snapshot-isolation --plant "lost-update:$rate" --seed "$seed" --quiet
head -1 "$folder/all.jsonl" | tee "$folder/part0.jsonl" >"$folder/part1.jsonl"
tail -n +2 "$folder/all.jsonl" | awk -v to="$folder/part" 'match($0, /"session":[0-9]+/) { print > (to (substr($0, RSTART + 10, RLENGTH - 10) % 2) ".jsonl") }'
"$ISOLDE" gen --out "$folder/valid.jsonl" --transactions "$((transactions / 2))" --level snapshot-isolation --seed "$((seed + 1))" --quiet

# ---- one process
one_start=$(date +%s.%N)
"$ISOLDE" watch "$folder/all.jsonl" --level snapshot-isolation --json >"$folder/one.out" || true
one_end=$(date +%s.%N)

# ---- the cluster
start_worker() {
  "$ISOLDE" watch "$address" --worker --lease 15 --name "w$1" >>"$folder/worker$1.log" 2>&1 &
  pid[worker$1]=$!
}
planted_options=(--level snapshot-isolation --partitions 16 --producers 2 --lease 15 --deadline 600 --silence 600)
valid_options=(--level snapshot-isolation --partitions 4 --producers 1 --lease 15 --deadline 600 --silence 600)
start_merger() {
  "$ISOLDE" watch "$address" "${planted_options[@]}" --json --checkpoint "$folder" >>"$folder/merger.out" 2>>"$folder/merger.log" &
  pid[merger]=$!
}
start_valid() { # a merger with its workers
  "$ISOLDE" watch "$valid_address" "${valid_options[@]}" --workers 2 --json >>"$folder/valid.out" 2>>"$folder/valid.log" &
  pid[valid]=$!
}
# is_set_up ADDRESS OPTION…: its streams are there.
is_set_up() {
  for _ in $(seq 60); do
    "$ISOLDE" watch "$@" --timeout 1 --quiet >/dev/null 2>>"$folder/set_up.log" || [[ $? -eq 3 ]] && return 0
    sleep 1
  done
  tail -5 "$folder/set_up.log" >&2 && echo "the servers did not come up" >&2 && return 1
}
is_set_up "$address" "${planted_options[@]}"
is_set_up "$valid_address" "${valid_options[@]}"
start_merger
start_valid
for ((i = 0; i < workers; i++)); do start_worker $i; done
cluster_start=$(date +%s.%N)
# send FILE ADDRESS NAME: its lines in five pieces per second, for about as long as the kills take.
send() {
  local pieces=$((kills * (pause + 1) * 5 + 1))
  awk -v piece="$(($(wc -l <"$1") / pieces + 1))" '{ print } NR % piece == 0 { fflush(); system("sleep 0.2") }' "$1" |
    "$ISOLDE" send - "$2" --name "$3" --quiet 2>>"$folder/send-$3.log"
}
send "$folder/part0.jsonl" "$address" p0 &
send "$folder/part1.jsonl" "$address" p1 &
send "$folder/valid.jsonl" "$valid_address" v &

done_kills=0
declare -A killed=()
while kill -0 "${pid[merger]}" 2>/dev/null || kill -0 "${pid[valid]}" 2>/dev/null; do
  sleep "$pause"
  ((done_kills < kills)) || continue
  case $((RANDOM % 10)) in
    0) what=merger ;;
    1) what=server$((1 + RANDOM % 3)) ;;
    2) what=valid ;;
    *) what=worker$((RANDOM % workers)) ;;
  esac
  kill -9 "${pid[$what]}" 2>/dev/null || continue # it has reached its end
  wait "${pid[$what]}" 2>/dev/null || true
  done_kills=$((done_kills + 1))
  killed[${what%%[0-9]*}]=$((${killed[${what%%[0-9]*}]:-0} + 1))
  case $what in
    merger) start_merger ;;
    valid) start_valid ;;
    # One server at a time: with two of three gone nothing is stored, by design.
    server*) sleep 2 && start_server "${what#server}" && sleep 8 ;;
    worker*) start_worker "${what#worker}" ;;
  esac
done
cluster_end=$(date +%s.%N)

identities() { sed -n 's/.*"event": "violation", "identity": "\([0-9a-f]*\)".*/\1/p' "$1"; }
identities "$folder/one.out" | sort >"$folder/one.ids"
identities "$folder/violations.jsonl" | sort >"$folder/cluster.ids"
twice=$(uniq -d "$folder/cluster.ids" | wc -l)
missing=$(comm -23 "$folder/one.ids" <(uniq "$folder/cluster.ids") | wc -l)
false=$(comm -13 "$folder/one.ids" <(uniq "$folder/cluster.ids") | wc -l)
alarms=$(identities "$folder/valid.out" | wc -l)
printf '%s transactions, %s workers, %s kills (%s), seed %s\n' "$transactions" "$workers" "$done_kills" \
  "$(for k in "${!killed[@]}"; do printf '%s %s ' "$k" "${killed[$k]}"; done)" "$seed"
printf 'one process: %s violations, %.1f s\n' "$(wc -l <"$folder/one.ids")" "$(echo "$one_end - $one_start" | bc)"
printf 'cluster:     %s reports, %s reported twice, %s missing, %s that one process has not, %.1f s\n' \
  "$(wc -l <"$folder/cluster.ids")" "$twice" "$missing" "$false" "$(echo "$cluster_end - $cluster_start" | bc)"
printf 'valid stream, %s transactions: %s reports\n' "$((transactions / 2))" "$alarms"
tail -qn 1 "$folder/merger.out" "$folder/valid.out"
certified=$(tail -n 1 "$folder/valid.out" | grep -c '"verdict": "satisfied"' || true)
[[ $twice -eq 0 && $missing -eq 0 && $false -eq 0 && $alarms -eq 0 && $certified -eq 1 && $done_kills -ge $kills ]]
