#!/usr/bin/env bash
# bench/online.sh [--paper] [TABLE…]: measures online checking as its papers do, and prints tables (./dev bench online
# calls it).
#
#   pipeline    Leopard, figures 9 and 17: merging the traces of many clients into one order, against one heap, one sort, external merging
#   mirror      figure 10: what checking BlindW-RW+ costs by transactions, clients and length, beside how long running it took
#   large       the same on generated histories: 15 operations, 24 sessions, up to a million transactions
#   tpcc        TPC-C-shaped transactions from memory, as fast as the mirror takes them
#   throughput  figures 11 and 20: TPC-C and SmallBank, high and low contention: transactions per second of the database and of the mirror
#   overlap     figure 3: the share of dependencies between overlapping intervals (beta), YCSB A, by skew, clients and reads
#   deduced     figures 12 and 22: how many of these dependencies the mirror deduces
#   timeline    Aion: transactions per second with and without a memory limit, with one thread and with two; flips by delay
#   socket      both engines over a unix socket, as fast as the watcher takes it (bench/watch_socket.sh)
#   memory      20 million transactions through both engines: resident memory every two million, at the default limit and a small one
#
# Without TABLE: all tables. --paper: the papers' sizes (hours) instead of sizes that take some minutes.
# CPU s are the user and system time of the checker alone: *read* is the JSON reader, *order* the sequencer, *check* the
# mirror, all from memory on one core; *no SSI* is the mirror without its certifier (the profile of repeatable read). MiB is
# the peak of resident memory without the file. The database's figures are those of a server that the run starts, on the
# same machine as its clients, without fsync.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
isolde=${ISOLDE:-build/isolde}
paper=no
if [[ ${1:-} == --paper ]]; then paper=yes && shift; fi
tables=("$@")
[[ ${#tables[@]} -gt 0 ]] || tables=(pipeline mirror large tpcc throughput overlap deduced timeline socket memory)
for program in "$isolde" build/online_bench build/pipeline_bench build/mirror_bench build/send_lines build/timeline_online_bench; do
  [[ -x $program ]] || { echo "bench/online.sh: no $program (./dev bench online builds it)" >&2; exit 2; }
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

pick() { if [[ $paper == yes ]]; then echo "$2"; else echo "$1"; fi; }
json_number() { grep -o "\"$1\": [0-9.]*" "$scratch/record" | head -1 | cut -d' ' -f2; }
value() { grep -o "\b$1=[0-9.]*" "$scratch/checked" | head -1 | cut -d= -f2; } # from the checker's line

# record SERVER LEVEL WORKLOAD CLIENTS OPTION…: a run, into $scratch/h.jsonl and $scratch/record
record() {
  rm -rf "$scratch"/h.jsonl*
  "$isolde" record --spawn "$1" --level "$2" --workload "$3" --clients "$4" --no-evidence --seed 1 --json --out "$scratch/h.jsonl" "${@:5}" \
    >"$scratch/record" 2>"$scratch/errors" || { cat "$scratch/errors" >&2; return 1; }
}
check() { build/online_bench "$1" "${2:-$scratch/h.jsonl}" >"$scratch/checked"; } # check PROFILE [FILE]
found() { local n; n=$(value violations); if [[ $n == 0 ]]; then echo nothing; else echo "$n (!)"; fi; }
each() { awk -v a="$1" -v b="$2" 'BEGIN { if (b > 0) printf "%.0f", a / b; else printf "-" }'; }
percent() { awk -v a="$1" -v b="$2" -v d="${3:-3}" 'BEGIN { if (b > 0) printf "%.*f", d, 100 * a / b; else printf "-" }'; }
plus() { awk -v a="$1" -v b="$2" -v c="${3:-0}" 'BEGIN { print a + b + c }'; }

echo "$(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2 | sed 's/^ *//'), $(nproc) cores, load $(cut -d' ' -f1 /proc/loadavg), $("$isolde" --version)"

table_pipeline() {
  echo
  echo "## pipeline (figures 9, 17)"
  # shellcheck disable=SC2046 # several sizes
  build/pipeline_bench $(pick "100000 300000" "100000 300000 700000 1000000 3000000")
}

# blindw TRANSACTIONS CLIENTS OPS
blindw() {
  record postgres serializable blindw-rw+ "$2" --transactions "$1" --ops "$3"
  check postgres:repeatable-read
  local without
  without=$(value check_s)
  check postgres:serializable
  printf '| %7s | %7s | %6s | %9s | %9.1f | %6.3f | %6.3f | %6.3f | %6.3f | %8s | %5.0f | %s |\n' "$1" "$2" "$3" "$(json_number aborted)" \
    "$(json_number run)" "$(value read_s)" "$(value order_s)" "$(value check_s)" "$without" "$(each "$1" "$(value check_s)")" \
    "$(value peak_mib)" "$(found)"
}
table_mirror() {
  echo
  echo "## BlindW-RW+ on PostgreSQL, serializable (figure 10)"
  echo
  echo "| txns    | clients | length | aborted   | run, s    | read   | order  | check  | no SSI | check/s  |  MiB  | found |"
  echo "| ------: | ------: | -----: | --------: | --------: | -----: | -----: | -----: | -----: | -------: | ----: | ----- |"
  local n
  for n in $(pick "2000 4000 8000 16000" "4000 8000 16000 32000 64000 128000"); do blindw "$n" 8 8; done
  for n in $(pick "4 16 24" "4 16 24 32 64"); do blindw "$(pick 4000 16000)" "$n" 8; done
  for n in $(pick "4 12 16" "4 12 16 24 32"); do blindw "$(pick 4000 16000)" 8 "$n"; done
}

table_large() {
  echo
  echo "## generated histories, snapshot isolation"
  echo
  echo "| history                     | txns      | read   | order  | check  | check/s  | all/s    |  MiB  | engine | found |"
  echo "| --------------------------- | --------: | -----: | -----: | -----: | -------: | -------: | ----: | -----: | ----- |"
  local keys n
  for keys in "1000 zipf" "100000 uniform"; do
    for n in $(pick "100000 300000 1000000" "100000 300000 1000000 3000000"); do
      "$isolde" gen --quiet --out "$scratch/g.jsonl" --transactions "$n" --sessions 24 --ops 15 --keys "${keys% *}" --distribution "${keys#* }" \
        --reads 0.5 --level snapshot-isolation --evidence intervals,op-intervals --seed 1
      check snapshot-isolation "$scratch/g.jsonl"
      printf '| %-27s | %9s | %6.2f | %6.2f | %6.2f | %8s | %8s | %5.0f | %6.0f | %s |\n' "${keys% *} keys, ${keys#* }" "$n" "$(value read_s)" \
        "$(value order_s)" "$(value check_s)" "$(each "$n" "$(value check_s)")" \
        "$(each "$n" "$(plus "$(value read_s)" "$(value order_s)" "$(value check_s)")")" "$(value peak_mib)" "$(value engine_mib)" "$(found)"
      rm "$scratch/g.jsonl"
    done
  done
}

table_tpcc() {
  echo
  echo "## TPC-C-shaped transactions from memory"
  echo
  local profile
  for profile in ssi si rc; do
    echo "profile $profile:"
    timeout 120 build/mirror_bench --profile $profile || echo "did not finish in two minutes"
    echo "… with two threads:"
    timeout 120 build/mirror_bench --profile $profile --threads 2 || echo "did not finish in two minutes"
  done
}

table_throughput() {
  echo
  echo "## transactions per second of the database and of the mirror (figures 11, 20)"
  echo
  echo "| database   | workload  | contention | database/s | check/s | with reading and order | operations | MiB  | found |"
  echo "| ---------- | --------- | ---------- | ---------: | ------: | ---------------------: | ---------: | ---: | ----- |"
  local server workload scale all
  for server in postgres mariadb; do
    for workload in tpcc smallbank; do
      for scale in 1 24; do
        record $server serializable $workload 24 --scale $scale --time "$(pick 5 300)"
        check $server:serializable
        all=$(value transactions)
        printf '| %-10s | %-9s | %-10s | %10s | %7s | %22s | %10.1f | %4.0f | %s |\n' $server $workload "$([[ $scale == 1 ]] && echo high || echo low)" \
          "$(each "$all" "$(json_number run)")" "$(each "$all" "$(value check_s)")" \
          "$(each "$all" "$(plus "$(value read_s)" "$(value order_s)" "$(value check_s)")")" \
          "$(awk -v o="$(value operations)" -v t="$all" 'BEGIN { print (t > 0 ? o / t : 0) }')" "$(value peak_mib)" "$(found)"
      done
    done
  done
}

# overlap WHAT CLIENTS OPTION…
overlap() {
  record postgres serializable ycsb-a "$2" --keys "$(pick 100000 1000000)" --time "$(pick 4 60)" "${@:3}"
  check postgres:serializable
  printf '| %-22s | %7s | %9s | %12s | %11s | %9s | %s |\n' "$1" "$2" "$(value transactions)" "$(value dependencies)" "$(value overlapping)" \
    "$(percent "$(value overlapping)" "$(value dependencies)")" "$(found)"
}
table_overlap() {
  echo
  echo "## dependencies between overlapping intervals, YCSB A on PostgreSQL, serializable (figure 3)"
  echo
  echo "| keys drawn, reads      | clients | txns      | dependencies | overlapping | beta, %   | found |"
  echo "| ---------------------- | ------: | --------: | -----------: | ----------: | --------: | ----- |"
  local d n
  for d in uniform hotspot zipf; do overlap "$d, 50 %" 24 --distribution $d; done
  for n in $(pick "8 16" "8 16 32 64"); do overlap "zipf, 50 %" "$n" --distribution zipf; done
  for n in 0.2 0.8; do overlap "zipf, ${n#0.}0 %" 24 --distribution zipf --reads $n; done
}

table_deduced() {
  echo
  echo "## dependencies deduced despite overlapping intervals (figures 12, 22)"
  echo
  echo "| database | level | workload   | dependencies | overlapping | beta, %   | of these deduced, % | found |"
  echo "| -------- | ----- | ---------- | -----------: | ----------: | --------: | ------------------: | ----- |"
  local server workload level
  for server in postgres mariadb; do
    level=$([[ $server == postgres ]] && echo serializable || echo repeatable-read)
    for workload in tpcc smallbank blindw-w blindw-rw; do
      record $server "$level" $workload 24 --time "$(pick 5 1200)"
      check "$server:$level"
      printf '| %-8s | %-5s | %-10s | %12s | %11s | %9s | %19s | %s |\n' $server "$([[ $level == serializable ]] && echo SER || echo RR)" $workload \
        "$(value dependencies)" "$(value overlapping)" "$(percent "$(value overlapping)" "$(value dependencies)")" \
        "$(percent "$(value deduced)" "$(value overlapping)" 1)" "$(found)"
    done
  done
}

table_timeline() {
  echo
  echo "## timeline, online (Aion, section 5)"
  echo
  build/timeline_online_bench
  build/timeline_online_bench --threads 2 --throughput
}

table_socket() {
  echo
  echo "## over a unix socket"
  echo
  bench/watch_socket.sh "$(pick 1000 20000)"
}

table_memory() {
  echo
  echo "## memory over $(pick 20 100) million transactions"
  echo
  local limit
  for limit in 1024 96; do build/timeline_online_bench --threads 2 --long "$(pick 20 100)" $limit; done
  for limit in 512 128; do
    echo "mirror, limit $limit MiB:"
    build/mirror_bench --threads 2 --long "$(pick 20 100)" --limit $limit
  done
}

for table in "${tables[@]}"; do
  case $table in
    pipeline | mirror | large | tpcc | throughput | overlap | deduced | timeline | socket | memory) "table_$table" ;;
    *) echo "bench/online.sh: no table $table" >&2; exit 2 ;;
  esac
done
