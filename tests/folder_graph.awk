# folder_graph.awk: which folder of src/ includes which, how often, and where they include each other in a circle.
#
#   find src -name '*.h' -o -name '*.cc' | xargs awk -v show=table -f tests/folder_graph.awk
#
# show=table: folders with their files, lines and what they include. show=cycles: the cycles alone. show=dot: a drawing
# for Graphviz. check=FILE: prints each edge of a cycle that FILE does not list, and each line of FILE that is no longer
# part of one, and ends with status 1 if there is any. Tests are left out: they may include what they like.
#
# A cycle is a strongly connected component (Tarjan's algorithm): every folder of it reaches every other one.
FNR == 1 {
  skip = FILENAME ~ /_test\.cc$|_testing\.h$|\/testing\.h$/
  folder = FILENAME
  sub(/^src\//, "", folder)
  sub(/\/?[^\/]*$/, "", folder)
  if (!skip) { ++files[folder]; seen[folder] = 1 }
}
skip { next }
{ ++lines[folder] }
/^#include "/ {
  split($0, part, "\"")
  to = part[2]
  if (!sub(/\/[^\/]*$/, "", to) || to ~ /^(tests|isolde)/ || to == folder) next
  ++count[folder, to]
}

function visit(v, w, i, n, out) {
  place[v] = low[v] = ++clock
  stack[++depth] = v
  on_stack[v] = 1
  n = split(next_of[v], out, " ")
  for (i = 1; i <= n; i++) {
    w = out[i]
    if (!(w in place)) {
      visit(w)
      if (low[w] < low[v]) low[v] = low[w]
    } else if (on_stack[w] && place[w] < low[v]) low[v] = place[w]
  }
  if (low[v] != place[v]) return
  ++components
  do {
    w = stack[depth--]
    on_stack[w] = 0
    component[w] = components
    ++members[components]
  } while (w != v)
}

# Insertion sort of names[1..n].
function sort_names(n, i, j, name) {
  for (i = 2; i <= n; i++) {
    name = names[i]
    for (j = i - 1; j > 0 && names[j] > name; j--) names[j + 1] = names[j]
    names[j + 1] = name
  }
}

END {
  for (folder in seen) names[++folders] = folder
  sort_names(folders)
  for (i = 1; i <= folders; i++) {
    for (j = 1; j <= folders; j++) {
      if ((names[i], names[j]) in count) next_of[names[i]] = next_of[names[i]] " " names[j]
    }
  }
  for (i = 1; i <= folders; i++) if (!(names[i] in place)) visit(names[i])

  for (i = 1; i <= folders; i++) {
    for (j = 1; j <= folders; j++) {
      if (!((names[i], names[j]) in count)) continue
      ++edges
      if (component[names[i]] == component[names[j]]) circular[names[i] " -> " names[j]] = count[names[i], names[j]]
    }
  }

  if (check != "") {
    while ((getline line < check) > 0) if (line !~ /^(#|$)/) listed[line] = 1
    for (edge in circular) if (!(edge in listed)) { print "a new cycle: src/" edge " closes it"; bad = 1 }
    for (edge in listed) if (!(edge in circular)) { print check ": no longer part of a cycle, delete it: " edge; bad = 1 }
    exit bad
  }
  if (show == "dot") {
    print "digraph folders {\n  rankdir=BT; node [shape=box, fontname=\"sans-serif\"]; edge [color=\"#888888\"];"
    for (i = 1; i <= folders; i++)
      printf "  \"%s\" [label=\"%s\\n%d files, %d lines\"%s];\n", names[i], names[i], files[names[i]], lines[names[i]],
        (members[component[names[i]]] > 1 ? ", color=\"#cc0000\"" : "")
    for (i = 1; i <= folders; i++)
      for (j = 1; j <= folders; j++)
        if ((names[i], names[j]) in count)
          printf "  \"%s\" -> \"%s\" [label=\"%d\"%s];\n", names[i], names[j], count[names[i], names[j]],
            ((names[i] " -> " names[j]) in circular ? ", color=\"#cc0000\"" : "")
    print "}"
    exit
  }
  if (show == "table") {
    printf "%-26s %6s %7s  %s\n", "folder", "files", "lines", "includes (how often)"
    for (i = 1; i <= folders; i++) {
      text = ""
      for (j = 1; j <= folders; j++)
        if ((names[i], names[j]) in count) text = text " " names[j] "(" count[names[i], names[j]] ")"
      printf "%-26s %6d %7d %s\n", names[i], files[names[i]], lines[names[i]], text
      all_files += files[names[i]]
      all_lines += lines[names[i]]
    }
    printf "%d folders, %d files, %d lines, %d edges\n", folders, all_files, all_lines, edges
  }
  for (c = 1; c <= components; c++) {
    if (members[c] < 2) continue
    ++cycles
    text = ""
    for (i = 1; i <= folders; i++) if (component[names[i]] == c) text = text " " names[i]
    print "cycle:" text
    for (i = 1; i <= folders; i++)
      for (j = 1; j <= folders; j++)
        if (component[names[i]] == c && (names[i] " -> " names[j]) in circular)
          printf "  %s -> %s (%d)\n", names[i], names[j], circular[names[i] " -> " names[j]]
  }
  printf "%d cycles\n", cycles
}
