// format/jepsen_write.h: a History as Jepsen operations in EDN, one map a line.
//
// In, out: History -> invocations and completions (format/jepsen_schedule.h) of :txn operations with micro-operations;
//          transfers as a bank, increments of one counter as a counter.
// Always:  what EDN cannot carry is told in Lost; reading the file back gives an equal History if Lost is empty and the
//          history has begin and end, or came from such a file.
#pragma once

#include "format/format.h"

namespace isolde {

[[nodiscard]] Result<WriteResult> write_jepsen(const History& history, Output& output);
[[nodiscard]] std::uint64_t unfit_for_jepsen(const History& history, HistoryContent content);

}  // namespace isolde
