// format/cobra_polygraph.h: Cobra's dump of a polygraph, read as a history that is serializable exactly if the
// polygraph has an acyclic choice.
//
// In, out: `n:195` (nodes), `e:a,b` (a precedes b), `c:a,b|c,d` (a precedes b, or c precedes d) -> History.
// Always:  node i is transaction i in a session of its own; each line has a fresh key:
//          e:a,b        a writes 1, b reads it;
//          c:a,b|b,a    both write it, none reads it: any order of the two, as the constraint says;
//          c:a,b|b,d    d writes 1, a reads it, b writes 2: b comes after the reader a or before the writer d. That
//          also
//                       says that d precedes a, so the line is read only where the edges say so already.
// Cost:    linear, but for constraints whose d,a follows only from several edges: one search of the edges for each d.
#pragma once

#include "format/format.h"

namespace isolde {

extern const FormatInfo kCobraPolygraphFormat;

}  // namespace isolde
