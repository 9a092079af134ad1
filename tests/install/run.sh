#!/usr/bin/env bash
# Installs a build to a scratch prefix, builds examples/check_history against it with find_package(isolde), and runs it;
# then examples/c, a program in C, against libisolde.so, which must show the functions of its header and nothing else.
# usage: run.sh SOURCE-FOLDER BUILD-FOLDER
set -euo pipefail
source=$1
build=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cmake --install "$build" --prefix "$scratch/prefix" >/dev/null
"$scratch/prefix/bin/isolde" --version
for header in history check verdict isolde c; do test -f "$scratch/prefix/include/isolde/$header.h"; done

cmake -G Ninja -S "$source/examples/check_history" -B "$scratch/build" -DCMAKE_PREFIX_PATH="$scratch/prefix" -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build "$scratch/build" >/dev/null
"$scratch/build/check_history" | tee "$scratch/out"
grep -q '"verdict": "violated"' "$scratch/out"
grep -q GSIb "$scratch/out"

library=$(find "$scratch/prefix" -name libisolde.so)
${CC:-cc} -std=c99 -Wall -Wextra -Werror -I "$scratch/prefix/include" "$source/examples/c/main.c" -o "$scratch/check_c" \
  -L "$(dirname "$library")" -lisolde -Wl,-rpath,"$(dirname "$library")"
status=0
"$scratch/check_c" snapshot-isolation "$source/CMakeLists.txt" >"$scratch/out" 2>&1 || status=$?
[[ $status == 2 ]] && grep -q CMakeLists.txt "$scratch/out"
printf '%s\n' '{"session":1,"ops":[["r","x",null],["w","x",1]]}' '{"session":2,"ops":[["r","x",null],["w","x",2]]}' >"$scratch/h.jsonl"
status=0
"$scratch/check_c" snapshot-isolation "$scratch/h.jsonl" | tee "$scratch/out" || status=$?
[[ $status == 1 ]] && grep -q lost-update "$scratch/out"
diff <(nm -D --defined-only "$library" | awk '$2 != "A" { sub("@.*", "", $3); print $3 }' | sort) \
  <(grep -oE '\bisolde_[a-z_]+\(' "$source/include/isolde/c.h" | tr -d '(' | sort -u)
