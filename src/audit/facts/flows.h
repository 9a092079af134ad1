// audit/facts/flows.h: values that are another value plus or minus a constant: numbers taken from a counter.
//
//   SELECT d_next_o_id FROM district WHERE d_id = 2;              -- 31, which the trace does not show
//   UPDATE district SET d_next_o_id = 32 WHERE d_id = 2;
//   INSERT INTO orders (o_d_id, o_id, …) VALUES (2, 31, …);
//
// Whenever the class runs, the order's number is the counter's new value minus one: a *flow*. And the counter's new
// value is its old one plus one (written_values.h), so the order has the number that was read. Both hold every time.
//
// What follows, if everybody who changes the counter does it in this way (a *numbering*), and nobody deletes rows of
// orders or changes their key: two that read the same number insert the same key, and the second is turned away. So of
// those that commit, each has read what the one before it wrote. (Else take the first that has not. The number that it
// read had been followed by another one already, whose writer had read that same number, being in order.) The counter
// is then as good as locked from its read to the commit: who changes it, and who reads it to change it, comes after
// that. It is no lost update but an error that somebody gets (1062, 23505). That the transaction gives up then is what
// a trace cannot show (PostgreSQL leaves it no choice, MySQL does): what rests on it is set aside.
//
// A queue whose rows are numbered in this way (queues.h) grows at its end at every level: who has found a row has found
// it committed, and what is committed later has a larger number.
//
// In, out: TraceLog, classes, WrittenColumns -> TransactionClass::flows and numberings, Choice::queue_numbered, facts.
// Always:  the two are whole numbers in every transaction of the class, with one difference in all of them. By chance
//          that is less likely than a millionth, given how often each of the two has which value; at least 20 pairs if
//          the number is part of a unique key, else 60 (the rule of three: equal_evidence.h).
// Limits:  both are literals: SET x = x + 1 is not followed. Nothing within loops.
// Cost:    a pass over the transactions of each class that has such statements, and its pairs of columns.
#pragma once

#include <vector>

#include "audit/facts/written_values.h"

namespace isolde::audit {

// Requires: forms.groups are those of classes.classes, in that order.
void find_flows(const TraceLog& log, const Forms& forms, const std::vector<WrittenColumn>& written, Classes& classes);

}  // namespace isolde::audit
