// audit/facts/choices.h: rows that a transaction takes from those that one of its SELECTs found.
//
//   SELECT c_id, … FROM customer WHERE c_w_id = 1 AND c_d_id = 9 AND c_last = 'BARBARPRES' ORDER BY c_first;
//   UPDATE customer SET … WHERE c_w_id = 1 AND c_d_id = 9 AND c_id = 5;
//
// The trace has no results, but where did the 5 come from? No statement before the SELECT had it, the SELECT returns
// that column, and what follows names a row of the same table whose other key columns are those that were asked for. So
// row 5 is one of those that the SELECT found. From that follows:
//   - the row was there: nothing that the transaction does to it afterwards misses its INSERT, and nothing that it does
//     to rows that came with it misses theirs (co_inserts.h);
//   - it has what was asked for (c_last = 'BARBARPRES'), in columns that nobody updates;
//   - where nobody changes which rows are found, the same question always has the same answer: two payments to one name
//     are to one customer.
// The second and the third are only taken if the trace shows them: the same row with the same values, the same question
// with the same answer, again and again and never otherwise, with a probability of less than a millionth by chance.
//
// A SELECT of one row by another key (a voucher by its code) has found the row that is named by its id afterwards, if
// no other statement before has to do with that table: then the two are the same row (cycles/same_rows.h).
//
// An UPDATE that saves the whole row that was found, with the values that were asked for, leaves these as they were:
// they count as columns that nobody updates (TransactionClass::kept).
//
// A row that the transaction itself inserts is never taken for a choice: who lists the seats that are taken and inserts
// another has not found that one.
//
// In, out: TraceLog, classes -> TransactionClass::choices, ClassRows::known and found_by, facts.
// Always:  no transaction of the trace names a row after such a SELECT that was not there, or whose other key columns
//          are not those that were asked for.
// Limits:  an id that a user had seen on an earlier page and that is sent after a SELECT looks like one that the SELECT
//          returned. The row was there then, too, unless it is gone since.
// Cost:    a pass over the trace for each class that has such a SELECT.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "audit/facts/co_inserts.h"

namespace isolde::audit {

// Requires: forms.groups are those of classes.classes, in that order.
void find_choices(const TraceLog& log, const Forms& forms, const FactSwitches& switches,
                  std::span<const CoInsert> co_inserts, Classes& classes);

// A SELECT … SKIP LOCKED from whose rows one is taken reads that row and no other: it may pass over any row.
// Requires: all other facts were looked for.
void narrow_to_taken(Classes& classes);

}  // namespace isolde::audit
