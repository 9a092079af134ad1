#!/usr/bin/env bash
# bench/watch_live.sh [SECONDS [CLIENTS [WHICH]]]: watches real servers while they run, with the mirror and the profile of
# each server and level. Nothing may be reported. SECONDS (60) per run, CLIENTS (24).
#
# A row is one run of `isolde record --watch`. The last rows use a profile that is too strong on purpose; another engine must
# confirm their reports from the same recording. WHICH: only rows whose name matches this extended regular
# expression.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
seconds=${1:-60}
clients=${2:-24}
which=${3:-.}
isolde=${ISOLDE:-build/isolde}
[[ -x $isolde ]] || { echo "bench/watch_live.sh: no $isolde (./dev build)" >&2; exit 2; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
wrong=0

field() { grep -o "\"$1\": \?\"\?[a-z0-9.-]*" "$2" | tail -1 | sed 's/.*: \?"\?//'; }

# row WHAT SERVER LEVEL WORKLOAD WANTED [RECORD OPTION…]
row() {
  local what=$1 out=$scratch/h.isl verdict status=0 mark=''
  grep -qE "$which" <<<"$what" || return 0
  "$isolde" record --spawn "$2" --level "$3" --workload "$4" --clients "$clients" --time "$seconds" --out "$out" --watch --json \
    "${@:6}" >"$scratch/summary" 2>"$scratch/errors" || status=$?
  case $status in 0) verdict=nothing ;; 1) verdict=violated ;; *) verdict="failed ($status)" ;; esac
  [[ $verdict == "$5" ]] || { mark=' (!)'; wrong=$((wrong + 1)); }
  printf '| %s | %s | %s | %s | %s | %s | %s%s |\n' "$what" "$(field committed "$scratch/summary")" \
    "$(field dependencies "$scratch/summary")" "$(field overlapping "$scratch/summary")" "$(field deduced "$scratch/summary")" \
    "$(field violations "$scratch/summary")" "$verdict" "$mark"
  [[ $verdict == failed* ]] && head -3 "$scratch/errors"
  rm -rf "$out"*
}

echo "$(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2 | sed 's/^ *//'), $(nproc) cores, $("$isolde" --version); $seconds s, $clients clients"
echo
echo "| run | committed | dependencies | with overlapping intervals | of these deduced | violations | verdict |"
echo "| --- | --- | --- | --- | --- | --- | --- |"
for workload in tpcc smallbank blindw-rw+ ycsb-a; do
  for level in serializable 'repeatable read' 'read committed' 'read uncommitted'; do
    row "PostgreSQL $level $workload" postgres "$level" $workload nothing
    row "MariaDB $level $workload" mariadb "$level" $workload nothing
    row "MariaDB, snapshot isolation on, $level $workload" mariadb "$level" $workload nothing \
      --server-settings innodb_snapshot_isolation=ON
  done
done
for workload in smallbank ycsb-a; do
  row "too strong: MariaDB repeatable read as snapshot isolation, $workload" mariadb 'repeatable read' $workload violated \
    --profile snapshot-isolation
done
echo
if ((wrong > 0)); then echo "$wrong unexpected results, marked (!)"; exit 1; fi
