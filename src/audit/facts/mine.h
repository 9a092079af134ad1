// audit/facts/mine.h: looks for the facts that a trace shows, and notes in the classes what follows from them.
//
// In, out: TraceLog, forms, classes -> Classes::facts; Choice, ClassRows::known and found_by,
// TransactionClass::narrowed,
//          Classes::lost.
// Always:  every fact was checked against every committed transaction of the trace, in all rounds of its loops. Nothing
//          is taken away here: graph/rules.h, graph/vulnerable.h and cycles/same_rows.h do, and say which fact it was.
// Cost:    a few passes over the trace.
#pragma once

#include "audit/classes/classes.h"
#include "audit/classes/forms.h"

namespace isolde::audit {

// Requires: forms.groups are those of classes.classes, in that order.
void mine_facts(const TraceLog& log, const Forms& forms, const FactSwitches& switches, Classes& classes);

}  // namespace isolde::audit
