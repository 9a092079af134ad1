#!/usr/bin/env bash
# bench/watch_socket.sh [THOUSANDS [MIB]]: `isolde watch` on a stream that comes over a unix socket as fast as it takes it.
#
# THOUSANDS (1000) of transactions, --memory MIB (1024). Rows: timeline (15 operations, 1,000 keys, zipf, database timestamps) and
# mirror (TPC-C-shaped, each operation with its interval), with one and two threads that check beside the one that reads. The
# sender costs next to nothing (bench/send_lines.cc). A rate is on the clock; processor time is the watcher's, all of its threads,
# so that what bounds a busy machine shows, too. The mirror takes the last transactions only when their sessions have been silent for
# a second: with few thousands the clock shows that, not the speed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
thousands=${1:-1000}
mib=${2:-1024}
isolde=${ISOLDE:-build/isolde}
for program in "$isolde" build/send_lines build/mirror_bench; do
  [[ -x $program ]] || { echo "bench/watch_socket.sh: no $program (./dev bench online builds it)" >&2; exit 2; }
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$isolde" gen --quiet --out "$scratch/timeline.jsonl" --transactions $((thousands * 1000)) --sessions 24 --ops 15 --keys 1000 --distribution zipf \
  --reads 0.5 --level snapshot-isolation --evidence timestamps --seed 1
build/mirror_bench --thousands "$thousands" --write "$scratch/mirror.jsonl"

# row METHOD THREADS OPTION…
row() {
  local socket=$scratch/socket watcher taken user system peak
  "$isolde" watch --listen "unix:$socket" --method "$1" --threads "$2" --memory "$mib" --json "${@:3}" >"$scratch/out" 2>"$scratch/errors" &
  watcher=$!
  until [[ -S $socket ]]; do sleep 0.05; done
  local begin
  begin=$(date +%s.%N)
  build/send_lines "$socket" "$scratch/$1.jsonl"
  local end
  end=$(date +%s.%N)
  read -r user system < <(awk '{ print $14 / 100, $15 / 100 }' "/proc/$watcher/stat" 2>/dev/null || echo "0 0")
  peak=$(awk '/VmHWM/ { print $2 / 1024 }' "/proc/$watcher/status" 2>/dev/null || echo 0)
  kill -TERM "$watcher" 2>/dev/null || true
  wait "$watcher" || true
  taken=$((thousands * 1000)) # send_lines waited until all of them were
  awk -v m="$1" -v t="$2" -v n="${taken:-0}" -v a="$begin" -v b="$end" -v u="$user" -v s="$system" -v p="$peak" -v size="$(stat -c %s "$scratch/$1.jsonl")" \
    'BEGIN { w = b - a; printf "| %-8s | %7s | %12.0f | %8.0f | %12.2f | %9.2f | %8.0f |\n", m, t, n / w, size / w / 1e6, u * 1e6 / n, s * 1e6 / n, p }'
}

echo "$(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2 | sed 's/^ *//'), $(nproc) cores, load $(cut -d' ' -f1 /proc/loadavg), $("$isolde" --version); $thousands,000 transactions, --memory $mib"
echo
echo "| method   | threads | transact./s  | MB/s     | user, us/txn | system    | peak MiB |"
echo "| -------- | ------: | -----------: | -------: | -----------: | --------: | -------: |"
for threads in 1 2; do row timeline $threads --level snapshot-isolation; done
for threads in 1 2; do row mirror $threads --profile snapshot-isolation --silence 1 --hold 0.1; done
