# one_definition.awk: two types of one name in one namespace, in two files: undefined behaviour wherever both are linked,
# which no compiler tells (their destructors, say, become one).
#
#   find src tests include -name '*.h' -o -name '*.cc' | xargs awk -f tests/one_definition.awk     prints them; status 1
#
# And a name of an anonymous namespace that two sources of a layer (or of the tests' support) have: they are compiled
# together (cmake/Unity.cmake), where the second is an error, or, worse, an overload that takes the first one's calls.
#
# It relies on the layout that clang-format gives: what stands at the beginning of a line is of the namespace itself.
FNR == 1 { depth = 0; anonymous = 0; place = "" }
/^(inline )?namespace [A-Za-z0-9_:]+ *\{/ {
  name = $0
  sub(/^(inline )?namespace /, "", name)
  sub(/ *\{.*/, "", name)
  names[++depth] = name
  place = place "::" name
  next
}
/^namespace \{/ { names[++depth] = ""; ++anonymous; next }
/^\}  \/\/ namespace/ {
  if (names[depth] == "") --anonymous
  else place = substr(place, 1, length(place) - length(names[depth]) - 2)
  if (depth > 0) --depth
  next
}
anonymous == 0 && /^(struct|class|union|enum|enum class|enum struct) [A-Za-z_]/ && !/;[ ]*$/ {
  type = $0
  sub(/^(enum class|enum struct|struct|class|union|enum) /, "", type)
  sub(/[^A-Za-z0-9_].*/, "", type)
  # A specialisation ("struct hash<X>") and a member ("struct Crew::Inside") are types of their own.
  if (index($0, type "<") > 0 || index($0, type "::") > 0) next
  type = place "::" type
  if (type in first && first[type] != FILENAME) {
    printf "%s: %s and %s\n", type, first[type], FILENAME
    failed = 1
  } else first[type] = FILENAME
}
# Sources of a layer share a batch; test files have a namespace of their own, named like the file.
anonymous > 0 && FILENAME ~ /\.cc$/ && FILENAME !~ /_test\.cc$/ && /^[A-Za-z_\[]/ && !/^(using|namespace|static_assert|template|public|private)/ {
  line = $0
  sub(/^\[\[[a-z_]+\]\] /, "", line)
  if (line ~ /^(struct|class|enum class|enum|union) /) sub(/^(struct|class|enum class|enum|union) (alignas\([^)]*\) )?/, "", line)
  else if (match(line, /^[^(=]*[A-Za-z0-9_]+(\[[^\]]*\])* =/)) {
    line = substr(line, 1, RLENGTH - 2)
    sub(/(\[[^\]]*\])*$/, "", line)
    sub(/.*[^A-Za-z0-9_]/, "", line)
  } else if (match(line, /[A-Za-z0-9_]+\(/)) line = substr(line, RSTART, RLENGTH)
  else if (match(line, /[A-Za-z0-9_]+(\[[^\]]*\])*( =|\{|;)/)) line = substr(line, RSTART, RLENGTH)
  else next
  sub(/[^A-Za-z0-9_].*/, "", line)
  split(FILENAME, part, "/")
  layer = part[1] "/" (part[1] == "src" ? part[2] : "")
  if (part[2] == "fuzz" || line == "") next
  line = layer " " line
  if (line in owner && owner[line] != FILENAME) {
    printf "%s, in anonymous namespaces of %s and %s: give each a name that explains it\n", line, owner[line], FILENAME
    failed = 1
  } else owner[line] = FILENAME
}
END { exit failed }
