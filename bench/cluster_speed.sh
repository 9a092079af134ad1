#!/usr/bin/env bash
# bench/cluster_speed.sh [--transactions N] [--ops N] [--workers N] [--delay MS]…: what it costs to check a stream through
# a cluster instead of in one process, on the same cores.
#
# Three nats-server (replicas = 3), the workers, the merger and a producer, each a host of its own: a network namespace
# with an address. The hosts are joined by bench/delay_link.cc, which delays every packet by MS milliseconds each way
# (0, 1 and 20 if none is given). Needs root, ip (iproute2) and g++. The first row of a cluster is without these hosts,
# on loopback.
#
# Prints a table: seconds from the first message to the verdict, transactions per second, the processor time of workers,
# merger and producer, what that is more than one process needs, and the processor time of the servers.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

transactions=200000 ops=15 workers=2 delays=()
while [[ $# -gt 0 ]]; do
  case $1 in
    --transactions) transactions=$2 && shift 2 ;;
    --ops) ops=$2 && shift 2 ;;
    --workers) workers=$2 && shift 2 ;;
    --delay) delays+=("$2") && shift 2 ;;
    *) echo "unknown option $1" >&2 && exit 2 ;;
  esac
done
[[ ${#delays[@]} -gt 0 ]] || delays=(0 1 20)
ISOLDE=${ISOLDE:-build/isolde}
for program in nats-server ip g++; do
  command -v $program >/dev/null || { echo "needs $program (Debian: nats-server, iproute2, g++)" >&2 && exit 2; }
done
folder=$(mktemp -d "${TMPDIR:-/tmp}/isolde-speed-XXXXXX")
chmod 700 "$folder"
running=() spaces=()
take_down() {
  for one in "${running[@]}"; do kill -9 "$one" 2>/dev/null || true; done
  [[ ${#running[@]} -eq 0 ]] || wait "${running[@]}" 2>/dev/null || true
  for space in "${spaces[@]}"; do ip netns del "$space" 2>/dev/null || true; done
  running=() spaces=()
  rm -rf "$folder"/store*
}
trap 'take_down; rm -rf "$folder"' EXIT
g++ -O2 -std=c++20 -o "$folder/delay_link" bench/delay_link.cc
password=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
base=$((20000 + RANDOM % 20000))

# on HOST: sets `at`, what comes before a command that is to run in its namespace, if there are any. (`ip` becomes the
# command, so $! is the command's.)
on() {
  at=()
  [[ ${#spaces[@]} -eq 0 ]] || at=(ip netns exec "isolde-$base-$1")
}
# set_up DELAY, or loopback: sets `hosts` and `servers`.
set_up() {
  local i address=() routes='' names=(n1 n2 n3 merger producer) pairs=()
  for ((i = 1; i <= workers; i++)); do names+=("w$i"); done
  if [[ $1 != loopback ]]; then
    for i in "${!names[@]}"; do
      spaces+=("isolde-$base-${names[i]}")
      ip netns add "isolde-$base-${names[i]}"
      pairs+=("isolde-$base-${names[i]}:10.77.0.$((i + 1))")
    done
    : >"$folder/link.log"
    "$folder/delay_link" "$1" "${pairs[@]}" >"$folder/link.log" &
    running+=($!)
    until grep -q ready "$folder/link.log"; do sleep 0.1; done
  fi
  hosts='' servers=()
  for i in 1 2 3; do
    address[i]=$([[ $1 == loopback ]] && echo 127.0.0.1 || echo "10.77.0.$i")
    routes+=" nats://${address[i]}:$((base + 10 + i)),"
  done
  for i in 1 2 3; do
    hosts+="${hosts:+,}${address[i]}:$((base + i))"
    cat >"$folder/nats$i.conf" <<CONF
server_name: n$i
listen: ${address[i]}:$((base + i))
jetstream { store_dir: "$folder/store$i" }
authorization { user: isolde, password: "$password" }
cluster { name: isolde, listen: ${address[i]}:$((base + 10 + i)), routes: [ ${routes%,} ] }
CONF
    on "n$i"
    "${at[@]}" nats-server -c "$folder/nats$i.conf" >>"$folder/nats$i.log" 2>&1 &
    running+=($!)
    servers+=($!)
  done
}

TIMEFORMAT=$'wall_s %R\ncpu_u %U\ncpu_y %S'
timed() { { time "${@:2}" >"$1.out" 2>&1; } 2>"$1" || true; }
cpu() { awk '/^cpu_/ { c += $2 } END { printf "%.2f", c }' "$@"; }
wall() { awk '/^wall_s/ { print $2 }' "$1"; }
# Of running processes, in seconds.
cpu_now() { for one in "$@"; do cat "/proc/$one/stat"; done | awk -v hz="$(getconf CLK_TCK)" '{ t += $14 + $15 } END { printf "%.2f", t / hz }'; }
row() { # row NAME SECONDS CPU SERVERS VERDICT
  printf '| %s | %s | %s | %s | %s | %s | %s |\n' "$1" "$2" "$(echo "$transactions / $2" | bc)" "$3" \
    "$(echo "scale=4; 100 * ($3 - $one_cpu) / $one_cpu" | bc | xargs printf '%.0f %%')" "$4" "$5"
}

"$ISOLDE" gen --out "$folder/h.jsonl" --transactions "$transactions" --ops "$ops" --level snapshot-isolation --quiet
timed "$folder/one" "$ISOLDE" watch "$folder/h.jsonl" --level snapshot-isolation --quiet
one_cpu=$(cpu "$folder/one")
printf '%s transactions, %s workers; %s\n\n' "$transactions" "$workers" "$(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2)"
printf '| run | seconds | transactions/s | processor s | overhead | of servers | verdict |\n| --- | ---: | ---: | ---: | ---: | ---: | --- |\n'
row "one process, from the file" "$(wall "$folder/one")" "$one_cpu" "" "$(cut -d' ' -f1 "$folder/one.out")"
for delay in loopback "${delays[@]}"; do
  set_up "$delay"
  address="nats://isolde:$password@$hosts/speed?replicas=3"
  on merger
  watch=("${at[@]}" "$ISOLDE" watch "$address" --level snapshot-isolation --producers 1 --quiet)
  for _ in $(seq 60); do
    "${watch[@]}" --timeout 1 >/dev/null 2>&1 || [[ $? -eq 3 ]] && break
    sleep 1
  done
  # Workers are there, and hold their partitions, before the first message.
  parts=()
  for ((i = 1; i <= workers; i++)); do
    on "w$i"
    "${at[@]}" "$ISOLDE" watch "$address" --worker --name "w$i" --quiet &
    parts+=($!)
    running+=($!)
  done
  sleep 3
  before=$(cpu_now "${servers[@]}")
  timed "$folder/watch" "${watch[@]}" &
  merging=$!
  start=$(date +%s.%N)
  on producer
  timed "$folder/send" "${at[@]}" "$ISOLDE" send "$folder/h.jsonl" "$address" --name a --quiet
  wait "$merging"
  end=$(date +%s.%N)
  after=$(cpu_now "${servers[@]}")
  of_workers=$(cpu_now "${parts[@]}")
  name=$([[ $delay == loopback ]] && echo "cluster, loopback" || echo "cluster, hosts, $delay ms")
  row "$name" "$(echo "$end - $start" | bc | xargs printf '%.2f')" "$(echo "$(cpu "$folder/watch" "$folder/send") + $of_workers" | bc)" \
    "$(echo "$after - $before" | bc)" "$(cut -d' ' -f1 "$folder/watch.out")"
  take_down
done
