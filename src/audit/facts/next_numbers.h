// audit/facts/next_numbers.h: numbers that are one more than the largest so far, under a unique key.
//
//   SELECT COALESCE(MAX(number), 0) + 1 FROM invoice WHERE company = 2;
//   INSERT INTO invoice (company, number, total) VALUES (2, 41, 90);          -- UNIQUE (company, number)
//
// Two that read the same maximum insert the same key, and the second is turned away. More: let T1 miss the INSERT of
// T2, and T2 commit first. When T1 read, the numbers up to its maximum m were there, and T2's was not, so T2's is m + 1
// or more. If it is m + 1, it is T1's own. If it is more, T2 has read m + 1 from a third that had committed. Either way
// m + 1 is taken when T1 inserts it. So whoever inserts comes after the commit of who has read: the read is as good as
// locked.
//
// In, out: TraceLog, classes -> TransactionClass::next_numbers, an assumption for each such key: who is turned away
//          gives up. (MySQL lets a transaction go on after a failed INSERT.)
// Always:  every INSERT of the trace into the table is of this kind; the number was one more than the largest of its
//          group every time that one was known, and that at least once; nobody deletes rows, or changes the key. Once
//          is enough, because the statements say so already: they ask for the largest number right before.
// Cost:    one pass over the trace for each such key.
#pragma once

#include "audit/classes/classes.h"

namespace isolde::audit {

void find_next_numbers(const TraceLog& log, Classes& classes);

}  // namespace isolde::audit
