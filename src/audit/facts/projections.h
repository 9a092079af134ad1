// audit/facts/projections.h: of the rows that a SELECT finds, are only the values of the row that is taken used?
//
//   SELECT c_id, c_balance, … FROM customer WHERE c_w_id = 1 AND c_d_id = 9 AND c_last = 'BARBARPRES' ORDER BY c_first;
//   UPDATE customer SET c_balance = -1191.38 … WHERE c_w_id = 1 AND c_d_id = 9 AND c_id = 5;
//
// The SELECT reads the balances of all customers of that name, and in SQL's eyes the transaction depends on all of
// them. If everything that it writes to the customer it takes follows from that customer's own values
// (written_values.h), the balances of the others are most likely not used: the reads of columns that decide neither
// which rows are found nor their order are taken to be of the row that is taken alone.
//
// That is an assumption: an `if` leaves no trace in literals. So it is used only for transactions that write, what it
// takes away is set aside and told, and it takes at least 20 writes of each column with a known old value, in the whole
// trace, without one that is not explained.
//
// In, out: classes with choices, WrittenColumns -> TransactionClass::narrowed, facts.
#pragma once

#include <vector>

#include "audit/facts/written_values.h"

namespace isolde::audit {

void find_projections(const std::vector<WrittenColumn>& written, Classes& classes);

}  // namespace isolde::audit
