// audit/classes/assemble.h: a group of transactions that do the same -> one TransactionClass.
//
// In, out: FormGroup -> operations, rows and variables; the name is given later (names.h).
// Always:  operation i of statement s is access i of the example's statement, with what is true of every transaction of
//          the class: flags that allow to leave something out (counts_only, of_written_row) only if all have them, rows
//          told apart if any tells them apart, keys that all have, single if all are.
//          A loop's first and last rounds count for the variables; where a loop went round once, that is both rounds.
// Cost:    the slots of the class for each of its transactions.
#pragma once

#include <span>

#include "audit/classes/classes.h"
#include "audit/classes/forms.h"
#include "audit/classes/made_ids.h"

namespace isolde::audit {

[[nodiscard]] TransactionClass assemble(const TraceLog& log, const Schema& schema,
                                        std::span<const Statement> statements, const Forms& forms,
                                        const FormGroup& group, const MadeIds& made_ids, bool one_value_is_enough);

}  // namespace isolde::audit
