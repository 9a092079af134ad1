#!/usr/bin/env bash
# bench/solver.sh [--no-guess] [--prove] [TABLE…]: what checking by values alone costs (./dev bench calls it after
# bench/orders.sh). TABLE is one or more of:
#
#   study    King Cobra's study (Emme, section 8.4, figure 13): 10,000 transactions of 20 clients, three workloads, with and
#            without session order and 90 % of the version order. The paper does not say how many operations and keys; as in
#            Cobra's own BlindW: 8 operations per transaction, 10,000 uniformly drawn keys. All 20 clients run at once.
#            Lines are in commit order, which is a hint, or shuffled, so that they give no hint.
#   sweep    the same workloads without session order, with 0 to 100 % of the version order (figure 14), shuffled
#   valid    50 sessions, 15 operations, 1,000 keys with a zipf distribution, no evidence, lines in commit order and
#            shuffled; valid at the level that is checked
#   planted  the same with one lost update, long fork or write skew, spread over half of the history
#   weak     MOST transactions of that kind at strong-session-monotonic-atomic-view (AWDIT's read committed), read-atomic and causal
#   logs     Cobra's recorded logs, and the violations that Cobra, PolySI and IsoVista report (../shared/histories)
#
# Load and check are CPU seconds, MiB is the peak of resident memory, "at most" the project's promise for that row; txns is
# how many transactions the (first) explanation names. The last columns, as in "search" of the report: pairs of writers that
# were unordered at first, and how many of them pruning, hints and the search ordered. A check that takes longer than TIMEOUT
# seconds (300) is undecided, and its row says so. MOST (1000000): the largest history. --no-guess: use no hints; --prove:
# re-check every verdict (not counted in check).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
isolde=${ISOLDE:-build/isolde}
timeout=${TIMEOUT:-300}
most=${MOST:-1000000}
options=()
tables=()
for arg in "$@"; do
  case $arg in
    --no-guess | --prove) options+=("$arg") ;;
    study | sweep | valid | planted | weak | logs) tables+=("$arg") ;;
    *) echo "usage: bench/solver.sh [--no-guess] [--prove] [study|sweep|valid|planted|weak|logs]…" >&2; exit 2 ;;
  esac
done
((${#tables[@]} > 0)) || tables=(study sweep valid planted weak logs)
[[ -x $isolde ]] || { echo "bench/solver.sh: no $isolde (./dev build)" >&2; exit 2; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The field `"name": value` of one JSON report; cpu_field: of its CPU seconds; search_field: of its search.
field() { grep -o "\"$1\": [0-9.]*" <<<"$2" | head -1 | cut -d' ' -f2; }
cpu_field() { field "$1" "$(grep -o '"cpu_seconds": {[^}]*}' <<<"$2")"; }
search_field() { field "$1" "$(grep -o '"search": {[^}]*}' <<<"$2")" || echo -; }
human() { if (($1 % 1000000 == 0)); then echo "$(($1 / 1000000)) M"; elif (($1 % 1000 == 0)); then echo "$(($1 / 1000)) K"; else echo "$1"; fi; }

generate() { # generate TRANSACTIONS OPTION…
  "$isolde" gen --quiet --out "$scratch/h.isl" --transactions "$1" --seed 1 "${@:2}"
}

header() { # header WHAT
  echo
  printf '| %-48s |load CPU|checkCPU|at most|    MiB | verdict    | txns |        pairs |    pruned |     by hints | searched |\n' "$1"
  printf '| %s | -----: | -----: | ----: | -----: | ---------- | ---: | -----------: | --------: | -----------: | -------: |\n' "$(printf -- '-%.0s' {1..48})"
}

row() { # row WHAT FILE AT_MOST OPTION…
  local report verdict explained
  # The program keeps its own time limit; the outer one is for the case that it does not.
  report=$(timeout -k 1 "$((timeout * 3))" "$isolde" check "$2" --json --max-anomalies 1 --threads 1 --timeout "$timeout" \
    "${options[@]}" "${@:4}" 2>"$scratch/error") || true
  if ! grep -q '"verdict"' <<<"$report"; then
    printf '| %-48s | %s |\n' "$1" "no answer: $(head -c 100 "$scratch/error")$(head -c 100 <<<"$report")"
    return
  fi
  verdict=$(grep -o '"verdict": "[a-z]*"' <<<"$report" | head -1 | cut -d'"' -f4)
  if grep -q '"proved": false' <<<"$report"; then verdict+='!'; fi # must never happen
  explained=$(grep -o '"anomalies": \[{"name": "[^"]*", "transactions": \[[^]]*\]' <<<"$report" | sed 's/.*\[//; s/\]//' | awk -F', ' '{ print NF }') || true
  printf '| %-48s | %6.2f | %6.2f | %5s | %6.0f | %-10s | %4s | %12s | %9s | %12s | %8s |\n' "$1" "$(cpu_field load "$report")" \
    "$(cpu_field check "$report")" "$3" "$(field peak_mib "$report")" "$verdict" "${explained:--}" "$(search_field pairs "$report")" \
    "$(search_field pruned "$report")" "$(search_field guessed "$report")" "$(search_field searched "$report")"
}

declare -A workloads=([rmw]='--reads 0.25 --rmw 0.5' [read/write]='--reads 0.5 --rmw 0' [write-heavy]='--reads 0.1 --rmw 0.1')
workload() { # workload NAME SHARE_OF_VERSIONS OPTION…
  # shellcheck disable=SC2086
  generate 10000 --sessions 20 --overlap 20 --ops 8 --keys 10000 --distribution uniform --level serializable \
    ${workloads[$1]} --evidence "versions:$2" "${@:3}"
}

study() {
  header "King Cobra's study"
  local name lines
  for name in rmw read/write write-heavy; do
    for lines in '' ', shuffled'; do
      workload "$name" 0.9 ${lines:+--shuffle}
      row "$name, neither$lines" "$scratch/h.isl" 20 --level serializable --ignore versions
      row "$name, session order$lines" "$scratch/h.isl" 20 --level serializable --use session --ignore versions
      row "$name, 90 % of the version order$lines" "$scratch/h.isl" 2 --level serializable
      row "$name, both$lines" "$scratch/h.isl" 2 --level serializable --use session
    done
  done
}

sweep() {
  header "share of the version order, no sessions"
  local name share
  for name in rmw read/write write-heavy; do
    for share in 0 10 20 30 40 50 60 70 80 90 95 100; do
      workload "$name" "$(awk -v s="$share" 'BEGIN { print s / 100 }')" --shuffle
      row "$name, $share %" "$scratch/h.isl" "" --level serializable
    done
  done
}

sizes() {
  local n
  for n in 1000 10000 100000 1000000; do
    if ((n <= most)); then echo "$n"; fi
  done
}
black_box() { # black_box TRANSACTIONS LEVEL OPTION…
  generate "$1" --sessions 50 --ops 15 --keys 1000 --distribution zipf --level "$2" --evidence none "${@:3}"
}
declare -A at_most=([1000]=0.5 [10000]=5 [100000]=60 [1000000]=30)

valid() {
  header "valid"
  local level n
  for level in snapshot-isolation serializable; do
    for n in $(sizes); do
      black_box "$n" "$level"
      row "$(human "$n"), $level" "$scratch/h.isl" "${at_most[$n]}" --level "$level"
      black_box "$n" "$level" --shuffle
      row "$(human "$n"), $level, shuffled" "$scratch/h.isl" "" --level "$level"
    done
  done
}

planted() {
  header "one anomaly planted"
  local plant level n shuffle
  for plant in lost-update long-fork write-skew; do
    for level in snapshot-isolation serializable; do
      [[ $plant/$level == write-skew/snapshot-isolation ]] && continue # not a violation there
      for n in $(sizes); do
        for shuffle in '' --shuffle; do
          # shellcheck disable=SC2086
          black_box "$n" "$level" --plant "$plant=1" --spread 0.5 $shuffle
          row "$(human "$n"), $plant, ${level/snapshot-isolation/SI}${shuffle:+, shuffled}" "$scratch/h.isl" "" --level "$level"
        done
      done
    done
  done
}

weak() {
  header "levels without an order"
  local promised
  black_box "$most" serializable
  for promised in strong-session-monotonic-atomic-view:2 read-atomic:3 causal:10; do
    row "$(human "$most"), ${promised%:*}" "$scratch/h.isl" "${promised#*:}" --level "${promised%:*}"
  done
}

logs() {
  local from=../shared/histories name
  [[ -d $from ]] || { echo "bench/solver.sh: no $from: the table of recorded histories is skipped" >&2; return 0; }
  header "recorded by others"
  tar xJf "$from/cobra/one-shot-10k.tar.xz" -C "$scratch"
  for name in "$scratch"/one-shot-10k/*/; do
    name=$(basename "$name")
    row "Cobra $name" "$scratch/one-shot-10k/$name" 5 --level serializable
    row "Cobra $name, sessions" "$scratch/one-shot-10k/$name" 5 --level strong-session-serializable
  done
  for name in cock-G2 cock-blog; do row "Cobra $name" "$from/cobra/ser-violation/$name" "" --level serializable; done
  for name in dgraph/history.bincode galera/galera.txt yugabyte/yugabyte.txt; do
    row "PolySI $name" "$from/polysi/violations/$name" "" --level strong-session-snapshot-isolation
  done
  # They begin by writing the initial value of every key, as Plume's do.
  row "IsoVista dgraph_si" "$from/isovista/dgraph_si.txt" "" --level strong-session-snapshot-isolation --format text-plume
  row "IsoVista pg_ser_bug" "$from/isovista/pg_ser_bug.txt" "" --level serializable --format text-plume
  row "IsoVista yugabyte_tcc" "$from/isovista/yugabyte_tcc.txt" "" --level causal --format text-plume
}

for table in "${tables[@]}"; do "$table"; done
