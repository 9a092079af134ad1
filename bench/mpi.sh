#!/bin/sh
# bench/mpi.sh [MILLIONS…]: isolde-mpi on histories of so many million transactions (default 1 and 10), with 1, 2 and 4
# ranks on this machine: what each rank used, sent and how often all met. The answers must be those of `isolde check`,
# where that fits (KEEP=1 keeps the files; ALONE=0 leaves `isolde check` out; MEMORY=MiB: in passes; LEVEL; KIND and
# PLANT as segments_gen has them, e.g. KIND=lists PLANT=lost-update=5 LEVEL=serializable).
#
# Build first: cmake --preset release -DISOLDE_BENCH=ON && ninja -C build isolde isolde-mpi segments_gen
set -eu
cd "$(dirname "$0")/.."
build=$PWD/build
work=${WORK:-/tmp/isolde-mpi-bench}
memory=${MEMORY:+--memory $MEMORY}
level=${LEVEL:-snapshot-isolation}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
mkdir -p "$work"
trap 'test -n "${KEEP:-}" || rm -rf "$work"' EXIT

answer() { sed 's/, "stats".*//' "$1"; }

echo "| transactions | ranks | verdict | elapsed | CPU per rank | peak per rank | sent per rank | rounds |"
echo "| ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: |"
for millions in "${@:-1 10}"; do
  for m in $millions; do
    parts=$work/$m
    test -d "$parts" || "$build/segments_gen" "$parts" $((m < 4 ? 4 : m)) $((m * 1000000 / (m < 4 ? 4 : m))) 8 \
      "${KIND:-timestamps}" ${PLANT:+"$PLANT"} >&2
    if [ "${ALONE:-1}" = 1 ]; then
      /usr/bin/time -f "%e %U %M" -o "$work/time" "$build/isolde" check "$parts" --level "$level" --quiet \
        --json > "$work/one.json" || true
      tail -1 "$work/time" | awk -v m="$m" '{ printf "| %d M | `isolde check` | | %.1f s | %.1f s | %d MiB | | |\n", m, $1, $2, $3 / 1024 }'
    fi
    for ranks in ${RANKS:-1 2 4}; do
      # shellcheck disable=SC2086
      /usr/bin/time -f "%e" -o "$work/time" mpirun --oversubscribe --quiet -n "$ranks" "$build/isolde-mpi" check \
        "$parts" --level $level $memory --json > "$work/many.json" 2> "$work/costs" || true
      if [ "${ALONE:-1}" = 1 ] && [ "$(answer "$work/one.json")" != "$(answer "$work/many.json")" ]; then
        echo "the answer of $ranks ranks differs from that of isolde check" >&2
        exit 1
      fi
      verdict=$(grep -o '"verdict": "[a-z]*"' "$work/many.json" | cut -d'"' -f4)
      if [ "$ranks" = 1 ]; then
        sed 's/.*"check": \([0-9.]*\)}}*, "peak_mib": \([0-9.]*\).*/\1 \2/' "$work/many.json" |
          awk -v m="$m" -v v="$verdict" -v e="$(tail -1 "$work/time")" '{ printf "| %d M | 1 | %s | %.1f s | %.1f s | %.0f MiB | – | – |\n", m, v, e, $1, $2 }'
        continue
      fi
      awk -v m="$m" -v n="$ranks" -v v="$verdict" -v e="$(tail -1 "$work/time")" '
        / s CPU, / { sub(/.*rank /, ""); gsub(/[:,]/, "");
          cpu = $2 > cpu ? $2 : cpu; mib = $6 > mib ? $6 : mib; sent = $8 > sent ? $8 : sent; rounds = $11 }
        END { printf "| %d M | %d | %s | %.1f s | %.1f s | %d MiB | %d MiB | %d |\n", m, n, v, e, cpu, mib, sent, rounds }' "$work/costs"
    done
    test -n "${KEEP:-}" || rm -rf "$parts"
  done
done
