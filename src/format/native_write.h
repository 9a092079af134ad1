// format/native_write.h: History -> native JSON Lines in canonical form; loses nothing. See format/native.h.
#pragma once

#include "format/format.h"

namespace isolde {

[[nodiscard]] Result<WriteResult> write_native(const History& history, Output& output);

// One transaction as its line, without the newline: also what reports and tests show.
void append_native_line(const History& history, TxnId txn, std::string& out);

}  // namespace isolde
