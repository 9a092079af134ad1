#!/usr/bin/env bash
# The programs of docs/history-*.md, run as they are shown there, on a PostgreSQL server that is started for them, while
# an administrator ends sessions all the time. Each history has to satisfy strict-serializable, which is what the servers
# were asked for: so none of the programs says more than its clients knew.
#
#   programs_of_docs.sh ISOLDE SOURCE       one line a program; what is not installed here is passed over with a line
#
# Go gets its driver with `go get`, Java from Debian's libpostgresql-jdbc-java or the jar that PGJDBC names.
set -euo pipefail
isolde=$(realpath "$1") docs=$(realpath "$2")/docs
folder=$(mktemp -d) server='' killer=''
finish() {
  touch "$folder/stop"
  [[ -z $server ]] || as_server "$bin/pg_ctl" -D "$folder/data" -m immediate -w stop >/dev/null 2>&1 || true
  rm -rf "$folder"
}
trap finish EXIT

block() { # block PAGE KIND: its first block of that kind
  awk -v kind="$2" '/^```/ { if (inside) exit; inside = $0 == "```" kind; next } inside { print }' "$docs/$1"
}
as_server() { if [[ $EUID -eq 0 ]]; then (cd / && setpriv --reuid postgres --regid postgres --init-groups "$@"); else "$@"; fi; }

bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -1)
start_postgres() {
  [[ -n $bin ]] || { echo "skipped: no PostgreSQL"; return 1; }
  [[ $EUID -ne 0 ]] || chown postgres "$folder" && chmod 755 "$folder"
  as_server "$bin/initdb" -D "$folder/data" -A trust -U isolde --no-sync >"$folder/initdb.log"
  # A port that nobody listens on: the server says so itself if somebody does.
  local tries
  for tries in 1 2 3 4 5; do
    port=$((20000 + RANDOM % 30000))
    if as_server "$bin/pg_ctl" -D "$folder/data" -w -l "$folder/server.log" \
      -o "-c listen_addresses=127.0.0.1 -p $port -k $folder -c fsync=off" start >/dev/null 2>&1; then
      server=started
      break
    fi
  done
  [[ -n $server ]] || { cat "$folder/server.log"; return 1; }
  block history-go.md sql | "$bin/psql" -q -h 127.0.0.1 -p "$port" -U isolde postgres
}

# with_kills COMMAND…: runs it, and once history.jsonl is there, an administrator ends one session after another.
with_kills() {
  rm -f history.jsonl "$folder/stop"
  (
    while [[ ! -s history.jsonl && ! -e $folder/stop ]]; do sleep 0.02; done
    while [[ ! -e $folder/stop ]]; do
      echo "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'postgres' AND pid <> pg_backend_pid() ORDER BY random() LIMIT 1;"
      sleep 0.05
    done | "$bin/psql" -q -h 127.0.0.1 -p "$port" -U isolde postgres >/dev/null 2>&1
  ) &
  killer=$!
  local status=0
  "$@" || status=$?
  touch "$folder/stop"
  wait "$killer" || true
  return $status
}

failed=0 done=0
judge() { # judge NAME: of history.jsonl in the working folder
  local answer
  if answer=$("$isolde" check history.jsonl --level strict-serializable --no-config); then
    printf '%s: %s transactions, %s of unknown outcome; %s\n' "$1" "$(grep -c '"session"' history.jsonl)" \
      "$(grep -c '"unknown"' history.jsonl || true)" "$(head -1 <<<"$answer")"
    done=$((done + 1))
  else
    printf '%s: FAILED\n%s\n' "$1" "$answer"
    failed=1
  fi
}

mkdir -p "$folder"/{python,go,java}
if command -v python3 >/dev/null; then
  cd "$folder/python"
  block history-python.md python >record_history.py
  python3 record_history.py
  judge "Python, SQLite"
else
  echo "Python: passed over: not installed"
fi

with_server=no
if command -v go >/dev/null; then
  cd "$folder/go"
  block history-go.md go >main.go
  if (timeout 10 go mod init record && timeout 120 go get github.com/jackc/pgx/v5/stdlib@v5.6.0 && go build -o record .) >go.log 2>&1; then
    [[ -n $server ]] || start_postgres
    with_server=yes
    with_kills ./record "postgres://isolde@127.0.0.1:$port/postgres?sslmode=disable"
    judge "Go, PostgreSQL"
  elif grep -q 'main.go:' go.log; then
    cat go.log
    failed=1
  else
    echo "Go: passed over: its driver cannot be fetched here"
  fi
else
  echo "Go: passed over: not installed"
fi

jar=${PGJDBC:-/usr/share/java/postgresql.jar}
if command -v java >/dev/null && [[ -f $jar ]]; then
  cd "$folder/java"
  block history-java.md java >RecordHistory.java
  [[ $with_server == yes ]] || start_postgres
  with_kills java -cp "$jar" RecordHistory.java "jdbc:postgresql://127.0.0.1:$port/postgres?user=isolde"
  judge "Java, PostgreSQL"
else
  echo "Java: passed over: needs java and $jar"
fi

if command -v clojure >/dev/null; then
  cd "$folder"
  if PATH="$(dirname "$isolde"):$PATH" clojure "$docs/../examples/jepsen/isolde.clj" >clojure.log 2>&1 &&
    head -1 clojure.log | grep -qx 'true false true'; then
    echo "Clojure (Jepsen's checker): $(head -1 clojure.log)"
    done=$((done + 1))
  else
    echo "Clojure: FAILED"
    cat clojure.log
    failed=1
  fi
else
  echo "Clojure: passed over: not installed"
fi
[[ $failed == 0 && $done -gt 0 ]]
