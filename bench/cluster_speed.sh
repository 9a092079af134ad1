#!/usr/bin/env bash
# bench/cluster_speed.sh [--transactions N] [--workers N] [--delay MS]…: what it costs to check a stream through a cluster
# instead of in one process, on the same cores.
#
# Three nats-server (replicas = 3) on loopback; everything between them, and between them and the workers and producers,
# goes through a relay (bench/delay.py) that delays it by MS milliseconds each way (0, no relay; 1; 20 if none is given).
# Prints a table: the time from the first message to the verdict, and the processor time of everything but the servers
# and the relay.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

transactions=200000 workers=2 delays=()
while [[ $# -gt 0 ]]; do
  case $1 in
    --transactions) transactions=$2 && shift 2 ;;
    --workers) workers=$2 && shift 2 ;;
    --delay) delays+=("$2") && shift 2 ;;
    *) echo "unknown option $1" >&2 && exit 2 ;;
  esac
done
[[ ${#delays[@]} -gt 0 ]] || delays=(0 1 20)
ISOLDE=${ISOLDE:-build/isolde}
command -v nats-server >/dev/null || { echo "needs nats-server (Debian: apt-get install nats-server)" >&2 && exit 2; }
folder=$(mktemp -d "${TMPDIR:-/tmp}/isolde-speed-XXXXXX")
chmod 700 "$folder"
running=()
take_down() {
  for one in "${running[@]}"; do kill -9 "$one" 2>/dev/null || true; done
  [[ ${#running[@]} -eq 0 ]] || wait "${running[@]}" 2>/dev/null || true
  running=()
  rm -rf "$folder"/store*
}
trap 'take_down; rm -rf "$folder"' EXIT
password=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
base=$((20000 + RANDOM % 20000))

# set_up DELAY: sets `hosts`.
set_up() {
  local i far=0 pairs=()
  [[ $1 == 0 ]] || far=100 # ports of the relay
  hosts=''
  for i in 1 2 3; do
    hosts+="${hosts:+,}127.0.0.1:$((base + far + i))"
    pairs+=("$((base + 100 + i)):$((base + i))" "$((base + 110 + i)):$((base + 10 + i))")
    cat >"$folder/nats$i.conf" <<CONF
server_name: n$i
listen: 127.0.0.1:$((base + i))
client_advertise: "127.0.0.1:$((base + far + i))"
jetstream { store_dir: "$folder/store$i" }
authorization { user: isolde, password: $password }
cluster {
  name: isolde
  listen: 127.0.0.1:$((base + 10 + i))
  cluster_advertise: "127.0.0.1:$((base + far + 10 + i))"
  routes: [ nats://127.0.0.1:$((base + far + 11)), nats://127.0.0.1:$((base + far + 12)), nats://127.0.0.1:$((base + far + 13)) ]
}
CONF
    nats-server -c "$folder/nats$i.conf" >>"$folder/nats$i.log" 2>&1 &
    running+=($!)
  done
  if [[ $1 != 0 ]]; then
    python3 bench/delay.py "$1" "${pairs[@]}" >>"$folder/delay.log" 2>&1 &
    running+=($!)
  fi
}

TIMEFORMAT=$'wall_s %R\ncpu_u %U\ncpu_y %S'
timed() { { time "${@:2}" >"$1.out" 2>&1; } 2>"$1" || true; }
seconds() { awk '/^wall_s/ { print $2 }' "$1"; }
cpu() { awk '/^cpu_/ { c += $2 } END { print c }' "$@"; }

"$ISOLDE" gen --out "$folder/h.jsonl" --transactions "$transactions" --level snapshot-isolation --quiet
timed "$folder/one" "$ISOLDE" watch "$folder/h.jsonl" --level snapshot-isolation --quiet
printf '%s transactions; %s\n\n' "$transactions" "$(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2)"
printf '| run | seconds | processor seconds | verdict |\n| --- | ---: | ---: | --- |\n'
printf '| one process, from the file | %s | %s | %s |\n' "$(seconds "$folder/one")" "$(cpu "$folder/one")" "$(cat "$folder/one.out")"
for delay in "${delays[@]}"; do
  set_up "$delay"
  address="nats://isolde:$password@$hosts/speed?replicas=3"
  for _ in $(seq 60); do
    "$ISOLDE" watch "$address" --level snapshot-isolation --producers 1 --timeout 1 --quiet >/dev/null 2>&1 || [[ $? -eq 3 ]] && break
    sleep 1
  done
  timed "$folder/watch" "$ISOLDE" watch "$address" --level snapshot-isolation --producers 1 --workers "$workers" --quiet &
  watch=$!
  timed "$folder/send" "$ISOLDE" send "$folder/h.jsonl" "$address" --name a --quiet
  wait "$watch"
  printf '| cluster, %s workers, %s ms | %s | %s | %s |\n' "$workers" "$delay" "$(seconds "$folder/watch")" \
    "$(cpu "$folder/watch" "$folder/send")" "$(sed 's/nats:[^ ]*/it/' "$folder/watch.out")"
  take_down
done
