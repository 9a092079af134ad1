// audit/facts/queues.h: SELECTs that take the smallest row of a group: work that waits in a queue.
//
//   SELECT no_o_id FROM new_order WHERE no_d_id = 1 AND no_w_id = 2 ORDER BY no_o_id LIMIT 1;
//   DELETE FROM new_order WHERE no_d_id = 1 AND no_w_id = 2 AND no_o_id = 22;
//
// At snapshot isolation two things follow, if the trace shows that it is a queue.
//   1. Two transactions that run at the same time, ask the same and write the row that they take are never both
//      committed: on one snapshot they take the same row, and the first updater wins. Why different snapshots do not
//      matter: let T1's be the older one, and let them take different rows. Some T3 changed the answer in between. If
//      it took T1's row away, T1 and T3 are concurrent and both wrote it. Else T1 missed what T3 put in front, T2 saw
//      it, and T1 -rw-> T3 -wr-> T2 is searched by itself. So their rw is not vulnerable; it stays a dependency. Shown:
//      the row that was taken was the smallest of all rows of its group that the trace knows to be there, every time,
//      and by chance that would have been less likely than a millionth.
//   2. INSERTs do not change which row is taken: no rw to them. Shown, besides: the numbers that are inserted rise
//      within the group; those who insert never run at the same time for one group, since all of them update one same
//      row of the group (the counter); and the SELECT never came back empty. The last is an assumption: the first row
//      of an empty queue does matter, and if one transaction looks at several queues, one of which is empty, it is not
//      serializable (docs/audit.md). So what this takes away is set aside.
// Neither holds at read committed or at MySQL's repeatable read by itself; the second does if those who insert take
// their numbers from a counter, one after the other (flows.h).
//
// In, out: TraceLog, classes with choices -> Choice::same_moment, Choice::queue, facts.
// Always:  the SELECT picks one row, its other literals never vary, and nobody updates the columns of the group or the
//          number.
// Cost:    one pass over the trace for each such SELECT.
#pragma once

#include "audit/facts/occurrences.h"

namespace isolde::audit {

void find_queues(const TraceLog& log, const Forms& forms, Classes& classes);

}  // namespace isolde::audit
