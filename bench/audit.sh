#!/usr/bin/env bash
# bench/audit.sh [APPLICATION…]: prints Tables 1 to 5 of the IsoDiff paper, its numbers beside ours, the time of the search
# with one thread and with two, and the times that `isolde audit` promises.
#
# TRACES (../shared/traces) is the folder of the recorded traces. Every cell is "paper / ours with --paper"; the columns
# "by default" use Isolde's own rules: exact points in time, locks, commutative updates. K and L (5, 5) are -k and -l of
# the search; Table 3 takes every pair of GRID_K (1 5) and GRID_L (1 5; the paper has k = 1, 5, 10 and every l from 1 to 10).
# Every run is bounded: RUN_SECONDS (60), in Table 3 GRID_SECONDS (5); one that the clock ended is marked, and Table 3
# does not try what is larger in k and l than a pair that was not finished. All together are bounded, too: when
# TOTAL_SECONDS (600) are over, the searches that are left are not made, and their cells are "-". What is promised comes
# first. FrontAccounting is in the tables of the paper only if it is asked for by name. Each table is printed as soon as
# it is known; the progress goes to standard error.
# Why the numbers differ: docs/audit.md, "Next to the paper".
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
traces=${TRACES:-../shared/traces}
isolde=${ISOLDE:-build/isolde}
k=${K:-5} l=${L:-5}
total=${TOTAL_SECONDS:-600}
[[ -x $isolde ]] || { echo "bench/audit.sh: no $isolde (./dev build)" >&2; exit 2; }
[[ -d $traces ]] || { echo "bench/audit.sh: no traces in $traces; set TRACES to their folder" >&2; exit 2; }
wanted=" ${*:-tpcc shoppe lfs opencart prestashop wc} "
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# name | trace | schema | the paper's RC: G_T V, E, G_op V, E, dangerous paths, targets, timing %, correlation % | SI: the same, and non-vulnerable %
# | Table 3: RC min, max, SI min, max | Table 5: RC, SI
applications='
tpcc|tpcc/tpcc_mariadb_general.log|tpcc/tpcc_db_info.csv|20 182 906 1490 646 11 76 7.8|30 420 1359 3414 0 0 - - 93|11 19 0 0|100 -
shoppe|acidrain/shoppe.log|acidrain/schema/shoppe_db_info.csv|56 124 1096 736 328 12 85 2.3|84 282 1644 1728 2280 2 52 9.6 69|12 21 2 5|100 100
lfs|acidrain/lfs.log|acidrain/schema/lfs_db_info.csv|154 526 2730 8986 3496 62 26 21|231 1200 4095 20484 128304 10 10 35 19|62 103 10 57|96.8 100
opencart|acidrain/opencart.log|acidrain/schema/opencart_db_info.csv|150 242 1780 2670 1212 19 85 1.6|225 552 2670 6048 0 0 - - 91|19 29 0 0|99.9 -
prestashop|acidrain/prestashop.log|acidrain/schema/prestashop_db_info.csv|420 854 5668 9770 4580 112 17 11|630 1938 8502 22086 162 1 0 0 37|112 162 1 12|99.0 100
wc|acidrain/woocommerce.log|acidrain/schema/woocommerce_db_info.csv|110 642 1998 46838 23048 31 67 10|165 1452 2997 131412 481896 8 29 16 94|31 43 8 17|96.4 100
fa|frontaccounting/frontaccounting_mariadb_general.log|frontaccounting/frontaccounting_db_info.csv|156 142 1982 506 252 11 63 4.0|234 324 2973 1188 1944 6 0 2.6 57|11 19 6 13|100 100'

# member OBJECT NAME JSONFILE: the number NAME in the first object called OBJECT
member() { grep -o "\"$1\": \[\{0,1\}{[^}]*}" "$3" | head -1 | grep -o "\"$2\": [0-9.]*" | head -1 | grep -o '[0-9.]*$' || echo 0; }
targets() { { grep -o '"round": ' "$1" || true; } | wc -l; }
share() { awk -v part="$1" -v whole="$2" 'BEGIN { if (whole == 0) print "-"; else printf "%.0f %%", 100 * part / whole }'; }

# The seconds that a run of at most $1 may still take; 0: none are left.
time_left() {
  local left=$((total - SECONDS))
  echo $((left <= 0 ? 0 : left < $1 ? left : $1))
}

# run NAME LEVEL MODE TRACE SCHEMA SECONDS [OPTION…]: writes $scratch/NAME.LEVEL.MODE; empty if no time is left
run() {
  local name=$1 level=$2 mode=$3 status=0 seconds
  seconds=$(time_left "$6")
  if ((seconds == 0)); then
    : >"$scratch/$name.$level.$mode"
    return
  fi
  local options=(--level "$level" --schema "$traces/$5" -k "$k" -l "$l" --json --timeout "$seconds")
  [[ $mode == paper ]] && options+=(--paper)
  local begun=$SECONDS
  "$isolde" audit "$traces/$4" "${options[@]}" "${@:7}" >"$scratch/$name.$level.$mode" || status=$?
  echo "bench/audit.sh: $name $level $mode k=$k l=$l ${*:7}: $((SECONDS - begun)) s" >&2
  [[ $status != 2 ]] || { echo "bench/audit.sh: $name at $level could not be audited" >&2; exit 1; }
}

# seconds FILE: the time of the search
seconds() { grep -o '"searching": [0-9.]*' "$1" | grep -o '[0-9.]*$' || echo -; }
peak() { grep -o '"peak_mib": [0-9]*' "$1" | grep -o '[0-9]*$' || echo -; }
# was_cut FILE: the clock ended it, or it was not made
was_cut() { [[ ! -s $1 ]] || grep -q '"complete": false' "$1"; }

echo "$(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2 | sed 's/^ *//'), $(nproc) cores, load $(cut -d' ' -f1 /proc/loadavg), $("$isolde" --version), k = $k, l = $l"
# Promises: WooCommerce at SI with k = 10 and l = 6 in a minute (paper: 46 on 20 cores), FrontAccounting in 5 minutes and
# 4 GiB, a million statements read in 60 s of CPU and 1 GiB.
timed() { # timed WHAT PROMISE COMMAND…
  local what=$1 promise=$2 start used left
  shift 2
  left=$(time_left 200)
  if ((left == 0)); then
    echo "| $what | $promise | - |"
    return
  fi
  start=$(date +%s.%N)
  "$@" --timeout "$left" >"$scratch/timed" || [[ $? != 2 ]]
  used=$(awk -v a="$start" -v b="$(date +%s.%N)" 'BEGIN { printf "%.1f", b - a }')
  echo "| $what | $promise | $used s, $(grep -o '"peak_mib": [0-9]*' "$scratch/timed" | grep -o '[0-9]*$') MiB |"
}
echo
echo "| what | promised | measured |"
echo "| --- | --- | --- |"
if [[ $wanted == *" wc "* ]]; then
  for mode in "" --paper; do
    timed "WooCommerce, SI, k = 10, l = 6 ${mode:-by default}" "60 s on 2 cores" "$isolde" audit "$traces/acidrain/woocommerce.log" \
      --schema "$traces/acidrain/schema/woocommerce_db_info.csv" --level si -k 10 -l 6 --json ${mode:+"$mode"}
  done
fi
if [[ $# == 0 || $wanted == *" fa "* ]]; then
  for level in rc si; do
    timed "FrontAccounting, $level" "300 s, 4096 MiB" "$isolde" audit "$traces/frontaccounting/frontaccounting_mariadb_general.log" \
      --schema "$traces/frontaccounting/frontaccounting_db_info.csv" --level "$level" --json
  done
fi
if [[ $wanted == *" tpcc "* ]]; then
  for _ in $(seq 48); do cat "$traces/tpcc/tpcc_mariadb_general.log"; done >"$scratch/million.log"
  timed "TPC-C, $(grep -c 'Query\|Execute' "$scratch/million.log") statements" "60 s of CPU to read, 1024 MiB" "$isolde" audit "$scratch/million.log" \
    --schema "$traces/tpcc/tpcc_db_info.csv" --level si --json
fi

while IFS='|' read -r name trace schema rc si table3 table5; do
  [[ -n $name && $wanted == *" $name "* ]] || continue
  for level in rc si; do
    for mode in paper default; do run "$name" $level $mode "$trace" "$schema" "${RUN_SECONDS:-60}" --threads 2; done
  done
done <<<"$applications"

for level in rc si; do
  echo
  echo "Table 1 at $level: paper / ours with --paper"
  echo
  echo "| application | classes with replicas | edges of G_T | operations | edges of G_op | dangerous paths | by default: edges of G_op | dangerous paths |"
  echo "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
  while IFS='|' read -r name trace schema rc si table3 table5; do
    [[ -n $name && $wanted == *" $name "* ]] || continue
    read -ra paper <<<"${!level}"
    ours=$scratch/$name.$level.paper own=$scratch/$name.$level.default
    printf '| %s | %s / %s | %s / %s | %s / %s | %s / %s | %s / %s | %s | %s |\n' "$name" \
      "${paper[0]}" "$(member graph transactions "$ours")" "${paper[1]}" "$(member graph transaction_edges "$ours")" \
      "${paper[2]}" "$(member graph operations "$ours")" "${paper[3]}" "$(member graph operation_edges "$ours")" \
      "${paper[4]}" "$(member graph dangerous_paths "$ours")" \
      "$(member graph operation_edges "$own")" "$(member graph dangerous_paths "$own")"
  done <<<"$applications"
done

echo
echo "Tables 2 and 4: target columns, and the shares that timing, correlation and (SI) non-vulnerable edges remove; > is a"
echo "search that was not complete: the clock or the number of cycles that are kept ended it"
echo
echo "| application | level | targets: paper / ours with --paper / by default | timing | correlation | non-vulnerable | cycles left, by default | kinds of anomaly | s | MiB |"
echo "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
while IFS='|' read -r name trace schema rc si table3 table5; do
  [[ -n $name && $wanted == *" $name "* ]] || continue
  for level in rc si; do
    read -ra paper <<<"${!level}"
    ours=$scratch/$name.$level.paper own=$scratch/$name.$level.default
    found=$(member searches found "$ours")
    rw=$(member graph rw_edges "$ours")
    printf '| %s | %s | %s / %s / %s | %s / %s | %s / %s | %s / %s | %s | %s | %s | %s |\n' "$name" "$level" \
      "${paper[5]}" "$(targets "$ours")" "$(targets "$own")" \
      "${paper[6]} %" "$(share "$(member searches not_in_time "$ours")" "$found")" \
      "${paper[7]} %" "$(share "$(member searches not_correlated "$ours")" "$found")" \
      "${paper[8]:--} %" "$([[ $level == si ]] && share $((rw - $(member graph vulnerable_rw_edges "$ours"))) "$rw" || echo -)" \
      "$(member searches valid "$own")" "$(grep -o '"meaning": ' "$own" | wc -l)" \
      "$(was_cut "$own" && echo "> ")$(seconds "$own")" "$(peak "$own")"
  done
done <<<"$applications"

echo
echo "Table 5: cycles whose correlated dependencies were all tried: paper / ours with --paper / by default"
echo
echo "| application | RC | SI |"
echo "| --- | ---: | ---: |"
while IFS='|' read -r name trace schema rc si table3 table5; do
  [[ -n $name && $wanted == *" $name "* ]] || continue
  read -ra paper <<<"$table5"
  cells=()
  for level in rc si; do
    cell=${paper[${#cells[@]}]}
    for mode in paper default; do
      file=$scratch/$name.$level.$mode
      found=$(member searches found "$file") limit=$(member searches correlation_limit "$file")
      cell+=" / $(awk -v f="$found" -v l="$limit" 'BEGIN { if (f == 0) print "-"; else printf "%.1f", 100 * (f - l) / f }')"
    done
    cells+=("$cell")
  done
  echo "| $name | ${cells[0]} | ${cells[1]} |"
done <<<"$applications"

echo
echo "Table 3: least and most target columns over k = ${GRID_K:-1 5} and l = ${GRID_L:-1 5}: paper / ours with --paper / by default"
echo
echo "| application | RC: least | most | SI: least | most | searches that were not complete |"
echo "| --- | ---: | ---: | ---: | ---: | ---: |"
while IFS='|' read -r name trace schema rc si table3 table5; do
  [[ -n $name && $wanted == *" $name "* ]] || continue
  read -ra paper <<<"$table3"
  row="| $name |" cut=0 at=0
  for level in rc si; do
    least=${paper[at]} most=${paper[at + 1]} at=$((at + 2))
    for mode in paper default; do
      low="" high=0 cut_k=0 cut_l=0  # of the first pair that was not finished
      for one_k in ${GRID_K:-1 5}; do
        for one_l in ${GRID_L:-1 5}; do
          if ((cut_k > 0 && one_k >= cut_k && one_l >= cut_l)); then
            cut=$((cut + 1))
            continue
          fi
          k=$one_k l=$one_l run grid "$level" "$mode" "$trace" "$schema" "${GRID_SECONDS:-5}" --threads 2
          if was_cut "$scratch/grid.$level.$mode"; then
            cut=$((cut + 1)) cut_k=$one_k cut_l=$one_l
            continue
          fi
          n=$(targets "$scratch/grid.$level.$mode")
          [[ -z $low || $n -lt $low ]] && low=$n
          [[ $n -gt $high ]] && high=$n
        done
      done
      least+=" / ${low:--}" most+=" / $([[ -n $low ]] && echo "$high" || echo -)"
    done
    row+=" $least | $most |"
  done
  echo "$row $cut |"
done <<<"$applications"

echo
echo "Time of the search with one thread and with two (k = $k, l = $l, by default), and peak memory"
echo
echo "| application | level | 1 thread, s | 2 threads, s | MiB |"
echo "| --- | --- | ---: | ---: | ---: |"
while IFS='|' read -r name trace schema rc si table3 table5; do
  [[ -n $name && $wanted == *" $name "* ]] || continue
  for level in rc si; do
    run one "$level" default "$trace" "$schema" "${RUN_SECONDS:-60}" --threads 1
    own=$scratch/$name.$level.default
    echo "| $name | $level | $(seconds "$scratch/one.$level.default") | $(seconds "$own") | $(peak "$own") |"
  done
done <<<"$applications"

echo
echo "bench/audit.sh took $SECONDS s"
