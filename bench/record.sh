#!/usr/bin/env bash
# bench/record.sh [SECONDS] [ROUNDS]: what recording costs, and what the certificate from the database's log costs.
#
# Runs the same workload, level, clients and seed alternately with and without recording (`isolde record --no-trace` sends
# the same statements and keeps no journal, clock or evidence): ROUNDS (7) rounds of SECONDS (5) each, in alternating order.
# Each run has its own server. A cost is the median over the rounds, each compared with the run beside it, with the
# quartiles, which show how much of it is chance. It is given twice: for transactions per second, and for the CPU time of
# clients and server together per transaction. The latter bounds throughput, and hardly changes on a machine that does other
# work too.
# "journal alone" records too, but asks the database for nothing (--no-evidence).
# The second table: how long it took to recover the order of versions after runs of 10 and of 60 seconds (LONG=0 skips it).
# DATABASES (postgres mariadb sqlite), WORKLOADS (register list-append), CLIENTS (8) and KEYS (10000) say what is run. With
# few keys the clients mostly wait for each other's locks, and recording costs nothing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
seconds=${1:-5}
rounds=${2:-7}
isolde=${ISOLDE:-build/isolde}
databases=${DATABASES:-postgres mariadb sqlite}
workloads=${WORKLOADS:-register list-append}
clients=${CLIENTS:-8}
keys=${KEYS:-10000}
[[ $seconds =~ ^[1-9][0-9]*$ && $rounds =~ ^[1-9][0-9]*$ ]] || { echo "usage: bench/record.sh [SECONDS] [ROUNDS]" >&2; exit 2; }
[[ -x $isolde ]] || { echo "bench/record.sh: no $isolde (./dev build)" >&2; exit 2; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

level_of() { [[ $1 == sqlite ]] && echo serializable || echo snapshot-isolation; }

# run DATABASE WORKLOAD SECONDS HOW: the summary of one run, as JSON
run() {
  local where=(--spawn "$1") how=()
  [[ $1 == sqlite ]] && where=("sqlite:$scratch/bench.db?timeout=1000")
  [[ $1 == mariadb ]] && where+=(--server-settings innodb_snapshot_isolation=ON)
  case $4 in
    bare) how=(--no-trace) ;;
    journal) how=(--out "$scratch/h.isl" --no-evidence) ;;
    all) how=(--out "$scratch/h.isl") ;;
  esac
  rm -rf "$scratch"/h.isl* "$scratch"/bench.db*
  "$isolde" record "${where[@]}" --workload "$2" --level "$(level_of "$1")" --clients "$clients" --keys "$keys" --time "$3" --seed 1 --json "${how[@]}"
}

number() { grep -o "\"$1\": [0-9.]*" | head -1 | cut -d' ' -f2; } # number NAME: that member of the JSON on stdin

# quartiles NAME: median, lower and upper quartile of that list
quartiles() { sort -g "$scratch/$1.list" | awk '{v[NR]=$1} function q(p,  i){i=1+p*(NR-1); return v[int(i)]+(i-int(i))*(v[int(i)+(int(i)<NR)]-v[int(i)])} END{print q(.5), q(.25), q(.75)}'; }
median() { quartiles "$1" | awk -v d="${2:-0}" '{printf "%.*f", d, $1}'; }
spread() { quartiles "$1" | awk '{printf "%.1f (%.1f to %.1f)", $1, $2, $3}'; }

echo "$(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2 | sed 's/^ *//'), $(nproc) cores, load $(cut -d' ' -f1 /proc/loadavg), $("$isolde" --version)"
echo
echo "| database | workload | transactions/s | recorded | cost % | CPU µs per transaction | recorded | cost % | journal alone, cost % | journals, MB/s |"
echo "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
for database in $databases; do
  for workload in $workloads; do
    rm -f "$scratch"/*.list
    for ((round = 0; round < rounds; ++round)); do
      order=(bare journal all) && ((round % 2 == 0)) || order=(all journal bare)
      for how in "${order[@]}"; do
        report=$(run "$database" "$workload" "$seconds" "$how")
        awk -v c="$(number committed <<<"$report")" -v a="$(number aborted <<<"$report")" -v s="$(number run <<<"$report")" \
          -v u="$(number cpu_seconds <<<"$report")" -v j="$(number journal_bytes <<<"$report")" \
          'BEGIN{print (c+a)/s, 1e6*u/(c+a), j/s/1e6}' >"$scratch/$how"
        read -r rate cpu journal <"$scratch/$how"
        echo "$rate" >>"$scratch/rate-$how.list" && echo "$cpu" >>"$scratch/cpu-$how.list" && echo "$journal" >>"$scratch/bytes-$how.list"
      done
      for how in all journal; do
        paste -d' ' "$scratch/bare" "$scratch/$how" | awk '{print 100*($1-$4)/$1}' >>"$scratch/rate-cost-$how.list"
        paste -d' ' "$scratch/bare" "$scratch/$how" | awk '{print 100*($5-$2)/$2}' >>"$scratch/cpu-cost-$how.list"
      done
    done
    echo "| $database | $workload | $(median rate-bare) | $(median rate-all) | $(spread rate-cost-all) | $(median cpu-bare) | $(median cpu-all) |" \
      "$(spread cpu-cost-all) | $(spread cpu-cost-journal) | $(median bytes-all 1) |"
  done
done

[[ ${LONG:-1} != 0 ]] || exit 0
echo
echo "| database | workload | run s | committed | versions in the log | recovery s | share of the run |"
echo "| --- | --- | ---: | ---: | ---: | ---: | ---: |"
for database in $databases; do
  [[ $database != sqlite ]] || continue # SQLite reports the place of each commit with the commit
  for time in 10 60; do
    report=$(run "$database" list-append "$time" all)
    awk -v d="$database" -v r="$(number run <<<"$report")" -v c="$(number committed <<<"$report")" -v v="$(number versions <<<"$report")" \
      -v k="$(number recovery <<<"$report")" 'BEGIN{printf "| %s | list-append | %.0f | %d | %d | %.2f | %.1f %% |\n", d, r, c, v, k, 100*k/r}'
  done
done
