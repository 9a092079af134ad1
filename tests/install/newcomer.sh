#!/usr/bin/env bash
# Somebody who has README.md and nothing else: the commands of its `console` blocks, in order, in one shell, and the
# files that it asks to save. Prints how long each command took, and when there was a verdict on a history of one's own.
#
#   newcomer.sh README source|package     in a checkout, or in a folder with the .deb
#
# `./dev …` and `export …` are of the way from source, `apt …` of the package: the other's are passed over. A command
# fails if its exit status is not the one that the block shows, or is another than 0 and 1 where it shows none.
set -uo pipefail
readme=$(realpath "$1") way=$2
plan=$(mktemp -d)
trap 'rm -rf "$plan"' EXIT

# plan/NNN.run: one command; plan/NNN.NAME: a file to save; plan/NNN.status: what `echo $?` showed after it.
awk -v plan="$plan" '
  function next_name(kind) { return sprintf("%s/%03d.%s", plan, ++count, kind) }
  /^```/ {
    if (inside != "") { inside = ""; file = ""; text = ""; next }
    inside = substr($0, 4) == "" ? "none" : substr($0, 4)
    if (inside == "json" && match(text, /[Ss]ave [^`]*`[A-Za-z_.]+`/)) {
      name = substr(text, RSTART, RLENGTH); sub(/^.*`/, "", name)
      # Of several names in the paragraph, the last one that is asked to be saved.
      gsub(/`/, "", name); split(substr(text, RSTART, RLENGTH), parts, "`"); file = next_name("save=" parts[2])
    }
    text = ""; next
  }
  inside == "json" && file != "" { print > file; next }
  inside == "console" && /^\$ echo \$\?$/ { status = 1; next }
  inside == "console" && status { status = 0; print > sprintf("%s/%03d.status", plan, count); next }
  inside == "console" && /^\$ / { print substr($0, 3) > next_name("run"); next }
  inside == "" { text = text " " $0 }
' "$readme"

case $way in
  source) other='^apt ' ;;
  package) other='^(\./dev|export) ' ;;
  *) echo "newcomer.sh README source|package" >&2 && exit 2 ;;
esac

start=$EPOCHREALTIME saved='' first=''
since() { awk -v from="$1" -v to="$EPOCHREALTIME" 'BEGIN { printf "%.1f", to - from }'; }
for step in "$plan"/*; do
  case $step in
    *.save=*)
      name=${step##*.save=}
      cp "$step" "$name"
      saved+=" $name"
      printf '  %7s    save %s\n' '' "$name"
      ;;
    *.run)
      command=$(<"$step")
      [[ ! $command =~ $other ]] || continue
      begun=$EPOCHREALTIME
      eval "$command" >"$plan/out.txt" 2>&1
      status=$?
      printf '  %7s s  %s\n' "$(since "$begun")" "$command"
      expected=${step%.run}.status
      if [[ -f $expected ]] && [[ $status != "$(<"$expected")" ]] || [[ ! -f $expected && $status -gt 1 ]]; then
        cat "$plan/out.txt"
        echo "exit status $status"
        exit 1
      fi
      if [[ -z $first && $command =~ ^isolde\ check\ ([A-Za-z_.]+) && " $saved " == *" ${BASH_REMATCH[1]} "* ]]; then
        first=$(since "$start")
        sed 's/^/             | /' "$plan/out.txt"
        printf '  %7s s  from nothing to a verdict on a history of one'"'"'s own\n' "$first"
      fi
      ;;
  esac
done
[[ -n $first ]] || { echo "README.md leads to no verdict on a history of one's own" && exit 1; }
printf '  %7s s  all that README.md shows\n' "$(since "$start")"
