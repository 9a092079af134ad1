#!/usr/bin/env bash
# Installs a build to a scratch prefix, builds examples/check_history against it with find_package(isolde), and runs it.
# usage: run.sh SOURCE-FOLDER BUILD-FOLDER
set -euo pipefail
source=$1
build=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cmake --install "$build" --prefix "$scratch/prefix" >/dev/null
"$scratch/prefix/bin/isolde" --version
for header in history check verdict isolde; do test -f "$scratch/prefix/include/isolde/$header.h"; done

cmake -G Ninja -S "$source/examples/check_history" -B "$scratch/build" -DCMAKE_PREFIX_PATH="$scratch/prefix" -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build "$scratch/build" >/dev/null
"$scratch/build/check_history" | tee "$scratch/out"
grep -q '"verdict": "violated"' "$scratch/out"
grep -q GSIb "$scratch/out"
