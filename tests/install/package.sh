#!/usr/bin/env bash
# Makes the .deb of a build, unpacks it in a scratch root, and tries what is in it: the program, man pages, completions,
# examples. (`./dev package --try` installs it in a chroot with the distribution's own packages.)
# usage: package.sh SOURCE-FOLDER BUILD-FOLDER
set -euo pipefail
source=$1
build=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

command -v dpkg-deb >/dev/null || { echo "no dpkg-deb on this machine: nothing is tried"; exit 0; }
shlibdeps=ON
command -v dpkg-shlibdeps >/dev/null || shlibdeps=OFF
cpack --config "$build/CPackConfig.cmake" -G DEB -B "$scratch/packages" \
  -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip -D CPACK_DEBIAN_PACKAGE_SHLIBDEPS=$shlibdeps >"$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }
deb=$(find "$scratch/packages" -maxdepth 1 -name 'isolde_*.deb')
dpkg-deb --field "$deb" Package Version Depends Description
[[ $shlibdeps == OFF ]] || dpkg-deb --field "$deb" Depends | grep -q libpq5
root=$scratch/root
dpkg-deb -x "$deb" "$root"

"$root/usr/bin/isolde" --version | tee "$scratch/version"
grep -q "^isolde $(dpkg-deb --field "$deb" Version)" "$scratch/version"
for verb in '' -check -record -watch -probe -hunt -audit -gen -convert -explain -report; do
  gzip -dc "$root/usr/share/man/man1/isolde$verb.1.gz" | grep -q '^\.SH NAME'
done
bash -c 'source "$1"; complete -p isolde' _ "$root/usr/share/bash-completion/completions/isolde" >/dev/null
test -s "$root/usr/share/zsh/vendor-completions/_isolde"
test -s "$root/usr/share/fish/vendor_completions.d/isolde.fish"
grep -q 'postgres:serializable' "$root/usr/share/isolde/profiles.txt"
test -f "$root/usr/share/isolde/examples/ci/github-actions.yml"
test -f "$root/usr/include/isolde/c.h"
test -f "$root/usr/share/doc/isolde/copyright"
"$root/usr/bin/isolde" gen --out "$scratch/h.jsonl" --transactions 100 --quiet
"$root/usr/bin/isolde" check "$scratch/h.jsonl" --prove --quiet
