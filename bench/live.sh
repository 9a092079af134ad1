#!/usr/bin/env bash
# bench/live.sh [SECONDS [CLIENTS [WHICH]]]: workloads on real servers, each recorded for SECONDS (60) with CLIENTS (16), then checked
# by every method that applies. Scratch servers are started and stopped by `isolde record --spawn`.
#
# A row is one recording; a cell is one check: the verdict and its CPU seconds. "graph" uses the order of versions from the
# database's log. "solver" ignores it: values, sessions and clocks are all that it has. The last column is the time that
# certificate recovery took. An unexpected verdict is marked (!). WHICH: only rows whose name matches this extended regular
# expression.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
seconds=${1:-60}
clients=${2:-16}
which=${3:-.}
isolde=${ISOLDE:-build/isolde}
[[ -x $isolde ]] || { echo "bench/live.sh: no $isolde (./dev build)" >&2; exit 2; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
wrong=0

field() { grep -o "\"$1\": \"\?[a-z0-9.]*" <<<"$2" | head -1 | sed 's/.*: "\?//'; }

# judge FILE LEVEL WANTED [OPTION…]: prints one cell
judge() {
  local report verdict cpu mark=''
  report=$("$isolde" check "$1" --level "$2" --json --prove --timeout 120 "${@:4}" 2>/dev/null) || true
  verdict=$(field verdict "$report")
  cpu=$(grep -o '"cpu_seconds": {[^}]*}' <<<"$report" | grep -o '"check": [0-9.]*' | cut -d' ' -f2)
  [[ $verdict == "$3" ]] || { mark=' (!)'; wrong=$((wrong + 1)); }
  printf ' %s %s s%s |' "${verdict:-failed}" "${cpu:-?}" "$mark"
}

# row WHAT LEVEL WORKLOAD SERVER CHECK=WANTED,… [RECORD OPTION…]
row() {
  local what=$1 level=$2 workload=$3 server=$4 checks=$5 summary out=$scratch/h.isl one
  grep -qE "$which" <<<"$what" || return 0
  summary=$("$isolde" record --spawn "$server" --level "$level" --workload "$workload" --clients "$clients" --time "$seconds" \
    --out "$out" --json "${@:6}") || { echo "| $what | recording failed |"; wrong=$((wrong + 1)); rm -rf "$out.recording"; return; }
  printf '| %s | %s | %s |' "$what" "$(field committed "$summary")" "$(field aborted "$summary")"
  for one in ${checks//,/ }; do
    printf ' %s:' "${one%=*}"
    if [[ ${one%=*} == read-committed ]]; then
      judge "$out" "${one%=*}" "${one#*=}"
    else
      judge "$out" "${one%=*}" "${one#*=}" --method graph
      judge "$out" "${one%=*}" "${one#*=}" --method solver --ignore versions
    fi
  done
  printf ' %s s |\n' "$(grep -o '"recovery": [0-9.]*' <<<"$summary" | cut -d' ' -f2)"
  rm -f "$out"
}

echo "$(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2 | sed 's/^ *//'), $(nproc) cores, $("$isolde" --version); $seconds s, $clients clients"
echo
echo "| run | committed | aborted | checks: by graph, by solver | recovery |"
echo "| --- | --- | --- | --- | --- |"
for workload in list-append register predicate smallbank; do
  row "PostgreSQL serializable $workload" serializable $workload postgres serializable=satisfied
  row "PostgreSQL repeatable read $workload" 'repeatable read' $workload postgres snapshot-isolation=satisfied,serializable=violated
  row "PostgreSQL read committed $workload" 'read committed' $workload postgres read-committed=satisfied,snapshot-isolation=violated
done
for workload in rmw register list-append; do
  row "MariaDB repeatable read $workload" 'repeatable read' $workload mariadb snapshot-isolation=violated
  row "MariaDB repeatable read, snapshot isolation on, $workload" 'repeatable read' $workload mariadb snapshot-isolation=satisfied \
    --server-settings innodb_snapshot_isolation=ON
  row "MariaDB serializable $workload" serializable $workload mariadb serializable=satisfied
done
old=build/servers/postgres-15.3/bin
if [[ -x $old/postgres ]]; then
  row "PostgreSQL 15.3 serializable merge" serializable merge postgres serializable=violated --server-path "$old"
fi
row "PostgreSQL serializable merge" serializable merge postgres serializable=satisfied
echo
if ((wrong > 0)); then echo "$wrong unexpected results, marked (!)"; exit 1; fi
