#!/usr/bin/env bash
# bench/hunt.sh [SECONDS] [SEED]: `isolde hunt` on each server and level, SECONDS (1200) each, as a table.
#
# SERVERS (postgres mariadb sqlite): which servers. OPTIONS: passed to every hunt (try --foreign-keys, --views and
# --generated-columns in separate soaks). OUT (hunt-findings): the folder for findings. The servers are scratch servers
# that hunts start themselves. The last row needs build/servers/postgres-15.3 (./dev test fetches it), a server with a
# known bug: a finding is required there. Exit status: 1 if there was a finding elsewhere, or none there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
seconds=${1:-1200}
seed=${2:-1}
isolde=${ISOLDE:-build/isolde}
servers=${SERVERS:-postgres mariadb sqlite}
read -ra options <<<"${OPTIONS:-}"
out=${OUT:-hunt-findings}
old=build/servers/postgres-15.3/bin
[[ $seconds =~ ^[1-9][0-9]*$ && $seed =~ ^[0-9]+$ ]] || { echo "usage: bench/hunt.sh [SECONDS] [SEED]" >&2; exit 2; }
[[ -x $isolde ]] || { echo "bench/hunt.sh: no $isolde (./dev build)" >&2; exit 2; }

member() { # member NAME JSON: its value, a number or a string
  sed -n "s/.*\"$1\": \"\{0,1\}\([^\",}]*\).*/\1/p" <<<"$2" | tail -1
}

wrong=0
# hunt EXPECTED LEVEL ARGUMENT…; EXPECTED: the accepted exit statuses
hunt() {
  local expected=$1 level=$2 answer status=0 summary
  shift 2
  answer=$("$isolde" hunt "$@" --level "$level" --time "$seconds" --seed "$seed" --out "$out" --json "${options[@]}") || status=$?
  if [[ $status == 2 ]]; then wrong=1; echo "| $* | $level | failed |  |  |  |  |  |  |"; return; fi
  summary=$(grep '"event": "summary"' <<<"$answer")
  [[ $expected == *$status* ]] || wrong=1
  printf '| %s | %s | %s | %.0f | %.0f | %s | %s | %s | %s of %s causes |\n' "$(sed 's/.*"server": "\([^"]*\)".*/\1/' <<<"$summary" | sed 's/, fsync=off//; s/, synchronous_commit=off//')" \
    "$level" "$(member cases "$summary")" "$(member cases_a_minute "$summary")" "$(member oracle_rounds_a_minute "$summary")" \
    "$(member refused "$summary")" "$(member blocked "$summary")" "$(member given_up "$summary")" "$(member findings "$summary")" "$(member causes "$summary")"
}

echo "$(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2 | sed 's/^ *//'), $(nproc) cores, load $(cut -d' ' -f1 /proc/loadavg), $("$isolde" --version), $seconds s each, seed $seed"
echo
echo "| server | level | cases | cases/min | oracle rounds/min | refused | blocked | not judged | findings |"
echo "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |"
for server in $servers; do
  case $server in
    postgres) for level in "read committed" "repeatable read" serializable; do hunt 0 "$level" --spawn postgres; done ;;
    mariadb)
      for level in "read committed" serializable; do hunt 0 "$level" --spawn mariadb; done
      # 10.11 has a bug there (docs/hunt.md, "What it found").
      hunt 01 "repeatable read" --spawn mariadb --server-settings innodb_snapshot_isolation=ON
      hunt 1 "repeatable read" --spawn mariadb --server-settings innodb_snapshot_isolation=OFF
      ;;
    sqlite) for level in "wal deferred" "wal immediate" "delete deferred"; do hunt 0 "$level" sqlite:; done ;;
    *) echo "bench/hunt.sh: SERVERS are postgres, mariadb and sqlite, not $server" >&2; exit 2 ;;
  esac
done
if [[ $servers == *postgres* && -x $old/postgres ]]; then hunt 1 serializable --spawn postgres --server-path "$old"; fi
exit "$wrong"
