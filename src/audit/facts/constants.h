// audit/facts/constants.h: values that are written in the program rather than given to it.
//
//   UPDATE wp_postmeta SET meta_value = '21' WHERE post_id = 9 AND meta_key = 'total_sales';
//
// Whoever runs this statement, with whichever post, names 'total_sales'. So two transactions that do so name the same
// entry of a post, and one that names '_stock' another: what looks like a parameter tells which column of the
// application is meant. Two ways to know it:
//   - the name in a table of names and values (schema/entries.h), if it was the same in every transaction of the class
//   - any other column, if the same value in every transaction of the class is no chance: with a share s of the
//     column's values in the whole trace, n transactions draw it with a probability of s^n, at most a millionth. The
//     one customer of a trace with one customer is no constant: his share is 1.
//
// In, out: TraceLog, classes -> TransactionClass::constants, a fact for each column.
// Always:  every round of every loop counts; nobody updates the column.
// Limits:  a table of names and values whose names are made up on the way (a cache) has constants that are none. They
//          then keep rows apart that could be the same, if each was seen once.
// Cost:    a pass over the literals of the trace.
#pragma once

#include "audit/classes/classes.h"
#include "audit/classes/forms.h"

namespace isolde::audit {

// Requires: forms.groups are those of classes.classes, in that order.
void find_constants(const TraceLog& log, const Forms& forms, Classes& classes);

}  // namespace isolde::audit
