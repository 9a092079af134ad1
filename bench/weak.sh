#!/usr/bin/env bash
# bench/weak.sh [TRANSACTIONS]: what checking the weaker levels costs, on histories of TRANSACTIONS (1000000), a tenth and
# a hundredth of it (./dev bench calls it).
#
# Histories: values and sessions only; 15 operations per transaction, half of them reads, 50 sessions, 1,000 keys with a zipf
# distribution. CPU is checking alone, as the program itself counts it; MiB is the peak of resident memory of the whole run.
# "shuffled": the lines of the file in another order, sessions kept; "planted": one transaction in 10,000 is part of a
# fractured read.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
base=${1:-1000000}
isolde=${ISOLDE:-build/isolde}
[[ $base =~ ^[1-9][0-9]*$ ]] || { echo "usage: bench/weak.sh [TRANSACTIONS]" >&2; exit 2; }
[[ -x $isolde ]] || { echo "bench/weak.sh: no $isolde (./dev build)" >&2; exit 2; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

generate() { # generate FILE TRANSACTIONS [OPTION…]
  "$isolde" gen --quiet --out "$1" --transactions "$2" --sessions 50 --ops 15 --keys 1000 --distribution zipf --reads 0.5 \
    --level serializable --evidence none --seed 1 "${@:3}"
}

row() { # row WHAT FILE: one line, one column per level
  local line report cpu mib verdict level
  line=$(printf '| %-22s |' "$1")
  for level in read-committed monotonic-atomic-view strong-session-monotonic-atomic-view read-atomic causal cursor-stability; do
    report=$("$isolde" check "$2" --level "$level" --json) || true
    cpu=$(grep -o '"cpu_seconds": {[^}]*}' <<<"$report" | grep -o '"check": [0-9.]*' | cut -d' ' -f2)
    mib=$(grep -o '"peak_mib": [0-9.]*' <<<"$report" | head -1 | cut -d' ' -f2)
    verdict=$(grep -o '"verdict": "[a-z]*"' <<<"$report" | cut -d'"' -f4)
    line+=$(printf ' %6.2f s %5.0f MiB %-9s |' "$cpu" "$mib" "$verdict")
  done
  echo "$line"
}

human() { if (($1 % 1000000 == 0)); then echo "$(($1 / 1000000)) M"; elif (($1 % 1000 == 0)); then echo "$(($1 / 1000)) K"; else echo "$1"; fi; }

echo "$(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2 | sed 's/^ *//'), $(nproc) cores, $("$isolde" --version)"
echo
echo "| history                | read-committed               | monotonic-atomic-view        | strong-session-mav           | read-atomic                  | causal                       | cursor-stability             |"
echo "| ---------------------- | ---------------------------- | ---------------------------- | ---------------------------- | ---------------------------- | ---------------------------- | ---------------------------- |"
for n in $((base / 100)) $((base / 10)) "$base"; do
  ((n > 0)) || continue
  generate "$scratch/h.isl" "$n"
  row "$(human "$n")" "$scratch/h.isl"
  generate "$scratch/h.isl" "$n" --shuffle
  row "$(human "$n"), shuffled" "$scratch/h.isl"
  generate "$scratch/h.isl" "$n" --plant fractured-read:0.0001
  row "$(human "$n"), planted" "$scratch/h.isl"
  rm "$scratch/h.isl"
done
