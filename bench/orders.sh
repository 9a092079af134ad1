#!/usr/bin/env bash
# bench/orders.sh [TRANSACTIONS]: what checking by version orders, version sets and expected orders costs, beside what Emme,
# Enne and Elle publish (./dev bench calls it after bench/run.sh).
#
# Histories, all serializable, 5 operations per transaction, 50 sessions, uniformly drawn keys:
#   items       reads and writes of 1,000 keys                                      (Emme, figure 9; Enne, figure 11)
#   predicates  half scans, aggregates and predicate updates over 100 keys, a tenth inserts   (figures 10 and 12)
#   lists       reads and appends, no evidence except values                        (Elle)
# in three sizes each, to show how cost grows; TRANSACTIONS (100000) is the size of the items. Check is the CPU seconds of
# checking alone, the best of three runs; "at most" is the project's promise for that row; MiB is the peak of resident
# memory.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
base=${1:-100000}
isolde=${ISOLDE:-build/isolde}
[[ $base =~ ^[1-9][0-9]*$ ]] || { echo "usage: bench/orders.sh [TRANSACTIONS]" >&2; exit 2; }
[[ -x $isolde ]] || { echo "bench/orders.sh: no $isolde (./dev build)" >&2; exit 2; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

field() { grep -o "\"$1\": [0-9.]*" <<<"$2" | head -1 | cut -d' ' -f2; }
cpu_field() { field "$1" "$(grep -o '"cpu_seconds": {[^}]*}' <<<"$2")"; }
human() { if (($1 % 1000000 == 0)); then echo "$(($1 / 1000000)) M"; elif (($1 % 1000 == 0)); then echo "$(($1 / 1000)) K"; else echo "$1"; fi; }

generate() { # generate TRANSACTIONS OPTION…
  "$isolde" gen --quiet --out "$scratch/h.isl" --transactions "$1" --sessions 50 --ops 5 --distribution uniform \
    --level serializable --seed 1 "${@:2}"
}

row() { # row WHAT TRANSACTIONS METHOD [AT_MOST]
  local report best='' check verdict
  for _ in 1 2 3; do
    report=$("$isolde" check "$scratch/h.isl" --level serializable --method "$3" --json) || true
    check=$(cpu_field check "$report")
    best=$(awk -v a="${best:-$check}" -v b="$check" 'BEGIN { print (a < b) ? a : b }')
  done
  verdict=$(grep -o '"verdict": "[a-z]*"' <<<"$report" | cut -d'"' -f4)
  awk -v what="$(human "$2") $1" -v method="$3" -v check="$best" -v most="${4:-}" -v n="$2" \
    -v mib="$(field peak_mib "$report")" -v verdict="$verdict" 'BEGIN {
      printf "| %-26s | %-6s | %8.3f | %7s | %9d | %8.0f | %-9s |\n", what, method, check, most, n / (check > 0 ? check : 0.000001), mib, verdict }'
}

echo
echo "| history                    | method | check CPU| at most |     txn/s | peak MiB | verdict   |"
echo "| -------------------------- | ------ | -------: | ------: | --------: | -------: | --------- |"
for times in 1 3 10; do
  n=$((base * times))
  generate "$n" --type row --predicates 0 --keys 1000 --evidence order,versions
  row items "$n" replay "$( ((n == 100000)) && echo 0.05)"
  row items "$n" graph "$( ((n == 100000)) && echo 0.3)"
done
for times in 1 4 16; do
  n=$((base / 40 * times))
  generate "$n" --type row --keys 100 --evidence order
  row predicates "$n" replay "$( ((n == 2500)) && echo 0.02)"
  generate "$n" --type row --keys 100 --evidence versions,vsets
  row "predicates, sets" "$n" graph "$( ((n == 2500)) && echo 0.2)"
done
for times in 1 3; do
  n=$((base * times))
  generate "$n" --type row --keys 100 --evidence order
  row predicates "$n" replay "$( ((n == 100000)) && echo 2)"
done
for times in 1 3 10; do
  n=$((base * times))
  generate "$n" --type list --keys 1000 --evidence none
  row lists "$n" graph "$( ((n == 1000000)) && echo 2)"
done
