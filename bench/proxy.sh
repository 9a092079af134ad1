#!/bin/bash
# bench/proxy.sh [SECONDS]: what `isolde proxy` costs: CPU time per round trip at 32 clients, beside the server itself over
# TCP, and pgbouncer if it is installed. Starts a PostgreSQL server of its own in a scratch folder.
set -euo pipefail
seconds=${1:-5}
clients=${CLIENTS:-32}
root=$(cd "$(dirname "$0")/.." && pwd)
programs=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1)
folder=$(mktemp -d)
user=$(id -un)
as() { if [[ $user == root ]]; then su -s /bin/bash postgres -c "$1"; else bash -c "$1"; fi; }
[[ $user == root ]] && chown postgres "$folder"
chmod 755 "$folder"
port=$((20000 + RANDOM % 20000))
cleanup() {
  kill ${middle:-} 2>/dev/null || true
  as "$programs/pg_ctl -D $folder/data -m immediate stop >/dev/null" || true
  rm -rf "$folder"
}
trap cleanup EXIT
as "$programs/initdb -D $folder/data --auth=trust -U bench >/dev/null"
as "$programs/pg_ctl -D $folder/data -w -l $folder/log -o '-c port=$port -c listen_addresses=127.0.0.1 \
  -c unix_socket_directories=$folder -c fsync=off -c synchronous_commit=off -c max_connections=200' start >/dev/null"
bench() { pgbench -h "$1" -p "$2" -U bench "${@:3}" postgres 2>&1; }
bench "$folder" "$port" -i -q -s 10 >/dev/null

cpu_of() { awk '{print ($14 + $15) * 10000}' "/proc/$1/stat"; } # in microseconds

measure() { # measure NAME HOST PORT [PID]
  local what tps before after trips
  for what in "-S -M simple" "-S -M prepared" "-M simple" "-M prepared"; do
    before=0 after=0
    [[ -z ${4:-} ]] || before=$(cpu_of "$4")
    local out
    # shellcheck disable=SC2086
    out=$(bench "$2" "$3" -n -c "$clients" -j 1 -T "$seconds" $what)
    [[ -z ${4:-} ]] || after=$(cpu_of "$4")
    tps=$(awk '/^tps/ {printf "%.0f", $3}' <<<"$out")
    trips=$(awk '/actually processed/ {sub("/.*", "", $6); print $6}' <<<"$out")
    [[ $what == *-S* ]] || trips=$((trips * 7))
    printf '%-26s %-16s %8s tps' "$1" "$what" "$tps"
    [[ -z ${4:-} ]] || printf ' %6.1f us of CPU per round trip' "$(bc -l <<<"($after - $before) / $trips")"
    printf '\n'
  done
}

middle_at() { # middle_at COMMAND…: starts it, and waits until it takes connections at $((port + 1))
  "$@" >"$folder/middle.log" 2>&1 &
  middle=$!
  until (exec 3<>"/dev/tcp/127.0.0.1/$((port + 1))") 2>/dev/null; do sleep 0.1; done
}
stop_middle() { kill "$middle" && wait "$middle" || true; }

measure "direct TCP" 127.0.0.1 "$port"
socket="postgres://bench@${folder//\//%2F}:$port/postgres"
middle_at "$root/build/isolde" proxy --listen "127.0.0.1:$((port + 1))" --to "$socket"
measure "isolde proxy" 127.0.0.1 $((port + 1)) "$middle"
stop_middle
middle_at "$root/build/isolde" proxy --listen "127.0.0.1:$((port + 1))" --to "$socket" --out "$(mktemp -u).isl"
measure "isolde proxy --out" 127.0.0.1 $((port + 1)) "$middle"
stop_middle
if command -v pgbouncer >/dev/null; then
  cat >"$folder/pgbouncer.ini" <<END
[databases]
postgres = host=$folder port=$port dbname=postgres user=bench
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = $((port + 1))
auth_type = any
pool_mode = session
default_pool_size = 100
END
  chmod 644 "$folder/pgbouncer.ini"
  middle_at $([[ $user == root ]] && echo "setpriv --reuid=postgres --regid=postgres --clear-groups") pgbouncer "$folder/pgbouncer.ini"
  measure "pgbouncer (session)" 127.0.0.1 $((port + 1)) "$middle"
fi
