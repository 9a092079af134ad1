#!/bin/sh
# Records what the clinic sends: a scratch PostgreSQL with its statements logged, the tables, then the requests.
#
#   record.sh OUT [REQUESTS]     writes OUT.log (the trace) and OUT.ddl (the tables)
#
# PG_BIN: where initdb and postgres are (Debian: /usr/lib/postgresql/15/bin). Not as root: PostgreSQL refuses that.
set -eu
out=$1 requests=${2:-400}
here=$(cd "$(dirname "$0")" && pwd)
bin=${PG_BIN:-/usr/lib/postgresql/15/bin}
data=$(mktemp -d)
trap '"$bin/pg_ctl" -D "$data/db" -m immediate stop >/dev/null 2>&1 || true; rm -rf "$data"' EXIT
"$bin/initdb" -D "$data/db" -U clinic --auth=peer --no-sync >/dev/null
printf 'clinic %s clinic\n' "$(id -un)" >>"$data/db/pg_ident.conf"
printf 'local all all peer map=clinic\n' >"$data/db/pg_hba.conf"
"$bin/pg_ctl" -D "$data/db" -w -l "$data/log" -o "-c listen_addresses='' -c unix_socket_directories='$data' -c fsync=off \
  -c lc_messages=C -c log_line_prefix='%m [%c] '" start >/dev/null
url="postgresql+psycopg2://clinic@/postgres?host=$data"
/usr/bin/python3 "$here/clinic.py" setup "$url"
"$bin/pg_dump" -h "$data" -U clinic --schema-only postgres | grep -v -E '^(--|SET|SELECT pg_catalog|$)' >"$out.ddl"
"$bin/psql" -q -h "$data" -U clinic postgres -c "ALTER SYSTEM SET log_statement = 'all'" -c "SELECT pg_reload_conf()" >/dev/null
: >"$data/log"
/usr/bin/python3 "$here/clinic.py" run "$url" "$requests"
cp "$data/log" "$out.log"
