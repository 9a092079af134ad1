# words.awk: looks for words that people should not read (tests/words.tsv) in documents, help, messages and pages.
#
# usage: awk -v words=tests/words.tsv -f tests/words.awk FILE…
# Of Markdown everything outside blocks of code, and what is between backticks left out; of C++ and TypeScript the texts
# between quotes, and of TypeScript templates too. Prints FILE:LINE: what to write instead; exits with 1 if it found any.
BEGIN {
  while ((getline line < words) > 0) {
    if (line ~ /^#/ || split(line, part, "\t") < 2) continue
    pattern[++count] = part[1]
    advice[count] = part[2]
    any = any (count > 1 ? "|" : "") "(" part[1] ")"
  }
  if (count == 0) { print "no words in " words; exit 1 }
}

FNR == 1 { fenced = 0 }

function check(text, k, low) {
  low = " " tolower(text) " "
  if (low !~ any) return
  for (k = 1; k <= count; ++k) {
    if (match(low, pattern[k])) {
      printf "%s:%d: \"%s\": %s\n", FILENAME, FNR, substr(low, RSTART, RLENGTH), advice[k]
      found = 1
    }
  }
}

# What is between the double quotes (or `mark`) of a line, joined.
function quoted(line, mark, texts, parts, n, i) {
  gsub(/\\"/, "", line)
  n = split(line, parts, mark)
  texts = ""
  for (i = 2; i <= n; i += 2) texts = texts " | " parts[i]
  return texts
}

FILENAME ~ /\.md$/ {
  if ($0 ~ /^ *```/) { fenced = !fenced; next }
  if (fenced) next
  line = $0
  gsub(/`[^`]*`/, " x ", line)
  check(line)
  next
}
FILENAME ~ /\.ts$/ {
  if ($0 !~ /^ *\/\//) check(quoted($0, "'") " " quoted($0, "`"))
  next
}
$0 !~ /^ *\/\// && /"/ && !/^#include/ { check(quoted($0, "\"")) }

END { exit found }
