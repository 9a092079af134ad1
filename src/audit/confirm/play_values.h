// audit/confirm/play_values.h: which values the statements of a play carry.
//
// Always: the story's bindings hold; literals that the cycle ties together across members are equal; keys of inserted
//         rows differ between members, unless the cycle ties them; what two members write into one column differs.
#pragma once

#include "audit/confirm/play.h"

namespace isolde::audit {

void choose_values(const Anomaly& anomaly, const Classes& classes, const TraceLog& log, Play& play);

// Fills Play::data. A text that is a mix of letters and digits, or an address, is data: a session, a slug, an e-mail.
// So is one in whose place the trace has several others: a user's name. 'paid' may be part of the program, and is left
// as it is.
void find_data(const Classes& classes, const TraceLog& log, Play& play);

// Columns that some WHERE, ON or key of the play looks at.
[[nodiscard]] std::vector<bool> columns_looked_at(const Play& play);

}  // namespace isolde::audit
