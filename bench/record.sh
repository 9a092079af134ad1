#!/usr/bin/env bash
# bench/record.sh [SECONDS] [ROUNDS]: what recording costs, and what the certificate from the database's log costs.
#
# The same workload, level, clients and seed, run with recording and without it (`isolde record --no-trace` sends the same
# statements and keeps no journal, clock or evidence), in turn, ROUNDS (7) rounds of SECONDS (5) each; which comes first
# changes from round to round. Each run has a server of its own. The cost is the median over the rounds of what the round
# with recording lost against the one beside it; the quartiles of it say how much of that is chance.
# "no facts" records too, but asks the database for nothing (--no-evidence): what is left is the journal and the clock.
# The second table: how long recovering the order of versions took after runs of 10 and of 60 seconds (LONG=0 leaves it out).
# DATABASES (postgres mariadb sqlite), WORKLOADS (register list-append), CLIENTS (8) and KEYS (10000) say what is run. With few
# keys the clients wait for each other's locks most of the time, and recording costs nothing.
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
    no-facts) how=(--out "$scratch/h.isl" --no-evidence) ;;
    all) how=(--out "$scratch/h.isl") ;;
  esac
  rm -rf "$scratch"/h.isl* "$scratch"/bench.db*
  "$isolde" record "${where[@]}" --workload "$2" --level "$(level_of "$1")" --clients "$clients" --keys "$keys" --time "$3" --seed 1 --json "${how[@]}"
}

number() { grep -o "\"$1\": [0-9.]*" | head -1 | cut -d' ' -f2; } # number NAME: that member of the JSON read

# quartiles: of the numbers read, one a line: median, lower, upper
quartiles() { sort -g | awk '{v[NR]=$1} function q(p,  i){i=1+p*(NR-1); return v[int(i)]+(i-int(i))*(v[int(i)+(int(i)<NR)]-v[int(i)])} END{printf "%.1f %.1f %.1f\n", q(.5), q(.25), q(.75)}'; }

echo "$(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2 | sed 's/^ *//'), $(nproc) cores, load $(cut -d' ' -f1 /proc/loadavg), $("$isolde" --version)"
echo
echo "| database | workload | committed/s without | with recording | cost % (quartiles) | no facts | cost % (quartiles) | MB/s of journals |"
echo "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |"
for database in $databases; do
  for workload in $workloads; do
    : >"$scratch/bare" && : >"$scratch/all" && : >"$scratch/no-facts" && : >"$scratch/cost-all" && : >"$scratch/cost-no-facts" && : >"$scratch/journal"
    for ((round = 0; round < rounds; ++round)); do
      order=(bare no-facts all) && ((round % 2 == 0)) || order=(all no-facts bare)
      declare -A rate=()
      for how in "${order[@]}"; do
        report=$(run "$database" "$workload" "$seconds" "$how")
        rate[$how]=$(number committed_per_second <<<"$report")
        echo "${rate[$how]}" >>"$scratch/$how"
        [[ $how != all ]] || awk -v b="$(number journal_bytes <<<"$report")" -v s="$(number run <<<"$report")" 'BEGIN{print b/s/1e6}' >>"$scratch/journal"
      done
      for how in all no-facts; do
        awk -v a="${rate[bare]}" -v b="${rate[$how]}" 'BEGIN{print 100*(a-b)/a}' >>"$scratch/cost-$how"
      done
    done
    read -r bare _ < <(quartiles <"$scratch/bare")
    read -r all _ < <(quartiles <"$scratch/all")
    read -r no_facts _ < <(quartiles <"$scratch/no-facts")
    read -r journal _ < <(quartiles <"$scratch/journal")
    read -r cost low high < <(quartiles <"$scratch/cost-all")
    read -r cost2 low2 high2 < <(quartiles <"$scratch/cost-no-facts")
    echo "| $database | $workload | ${bare%.*} | ${all%.*} | $cost ($low to $high) | ${no_facts%.*} | $cost2 ($low2 to $high2) | $journal |"
  done
done

[[ ${LONG:-1} != 0 ]] || exit 0
echo
echo "| database | workload | run s | committed | versions in the log | recovery s | of the run |"
echo "| --- | --- | ---: | ---: | ---: | ---: | ---: |"
for database in $databases; do
  [[ $database != sqlite ]] || continue # the places of its commits come with the commits
  for time in 10 60; do
    report=$(run "$database" list-append "$time" all)
    awk -v d="$database" -v r="$(number run <<<"$report")" -v c="$(number committed <<<"$report")" -v v="$(number versions <<<"$report")" \
      -v k="$(number recovery <<<"$report")" 'BEGIN{printf "| %s | list-append | %.0f | %d | %d | %.2f | %.1f %% |\n", d, r, c, v, k, 100*k/r}'
  done
done
