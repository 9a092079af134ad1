// audit/facts/lookups.h: rows that a SELECT finds by something else than their key, and whose key names rows of other
// tables afterwards.
//
//   SELECT * FROM accounts WHERE name = 'Ann';         -- returns custid
//   UPDATE savings SET … WHERE custid = 73;            -- 73 was nowhere before
//
// A schema without foreign keys does not say that savings.custid is a customer's. The trace does, if whoever names
// savings by 73 has asked for the same name each time. Then two transactions that meet in the savings of customer 73
// have asked for the same name, and a story that shows them with two names is about no database that there can be.
//
// In, out: TraceLog, what each shape does -> Classes::references, and the columns that are asked for so.
// Always:  a value of the later column never came after two different values of what was asked for, and that would be
//          chance with a probability of less than a millionth. Both columns are of one value: nobody updates them.
//          Used to choose the values of a story (story/row_columns.h), never to rule one out.
// Cost:    a pass over the trace: for each SELECT of this kind, the literals of the rest of its transaction.
#pragma once

#include "audit/classes/classes.h"

namespace isolde::audit {

void find_lookups(const TraceLog& log, Classes& classes);

}  // namespace isolde::audit
