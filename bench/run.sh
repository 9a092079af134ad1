#!/usr/bin/env bash
# bench/run.sh [TRANSACTIONS]: generates histories and prints what loading and checking them costs (./dev bench calls it).
#
# Histories: 15 operations per transaction, half of them reads, 50 sessions, 1,000 keys with a zipf distribution, database
# timestamps. The larger ones have 3 and 10 times TRANSACTIONS (1000000), the lists a tenth. CPU is user + system time of
# the whole run; load and check are the parts that the program itself counts; MiB is the peak of resident memory.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
base=${1:-1000000}
isolde=${ISOLDE:-build/isolde}
[[ $base =~ ^[1-9][0-9]*$ ]] || { echo "usage: bench/run.sh [TRANSACTIONS]" >&2; exit 2; }
[[ -x $isolde ]] || { echo "bench/run.sh: no $isolde (./dev build)" >&2; exit 2; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The field `"name": value` in one JSON report; cpu_field: in its CPU seconds.
field() { grep -o "\"$1\": [0-9.]*" <<<"$2" | head -1 | cut -d' ' -f2; }
cpu_field() { field "$1" "$(grep -o '"cpu_seconds": {[^}]*}' <<<"$2")"; }

generate() { # generate FILE TRANSACTIONS [OPTION…]
  "$isolde" gen --quiet --out "$1" --transactions "$2" --sessions 50 --ops 15 --keys 1000 --distribution zipf --reads 0.5 \
    --level snapshot-isolation --evidence timestamps --seed 1 "${@:3}"
}

row() { # row WHAT FILE LEVEL
  local report spent TIMEFORMAT='%R %U %S'
  # bash's own `time` prints the user and system seconds of the child.
  { spent=$( { time "$isolde" check "$2" --level "$3" --json >"$scratch/report"; } 2>&1 ); } || true
  report=$(cat "$scratch/report")
  local verdict wall user system
  verdict=$(grep -o '"verdict": "[a-z]*"' <<<"$report" | cut -d'"' -f4)
  read -r wall user system <<<"$(tail -1 <<<"$spent")"
  awk -v what="$1" -v load="$(cpu_field load "$report")" -v check="$(cpu_field check "$report")" -v cpu="$user" -v sys="$system" \
    -v wall="$wall" -v mib="$(field peak_mib "$report")" -v size="$(stat -c %s "$2")" -v verdict="$verdict" 'BEGIN {
      printf "| %-29s | %6.2f | %6.2f | %6.2f | %6.2f | %7.0f | %7.0f | %-9s |\n", what, load, check, cpu + sys, wall, mib, size / 1048576, verdict }'
}

human() { if (($1 % 1000000 == 0)); then echo "$(($1 / 1000000)) M"; elif (($1 % 1000 == 0)); then echo "$(($1 / 1000)) K"; else echo "$1"; fi; }

echo "$(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2 | sed 's/^ *//'), $(nproc) cores, $("$isolde" --version)"
echo
echo "| history, check at SI          |load CPU|checkCPU|  CPU s | wall s | peak MiB| file MiB| verdict   |"
echo "| ----------------------------- | -----: | -----: | -----: | -----: | ------: | ------: | --------- |"
generate "$scratch/h.jsonl" "$base"
row "$(human "$base") x 15, JSON Lines" "$scratch/h.jsonl" snapshot-isolation
rm "$scratch/h.jsonl"
for times in 1 3 10; do
  generate "$scratch/h.isl" $((base * times))
  row "$(human $((base * times))) x 15, .isl" "$scratch/h.isl" snapshot-isolation
  rm "$scratch/h.isl"
done
lists=$((base / 10 > 0 ? base / 10 : 1))
generate "$scratch/l.jsonl" "$lists" --type list
row "$(human "$lists") x 15, lists, JSON Lines" "$scratch/l.jsonl" snapshot-isolation
"$isolde" convert --quiet "$scratch/l.jsonl" "$scratch/l.isl"
row "$(human "$lists") x 15, lists, .isl" "$scratch/l.isl" snapshot-isolation
