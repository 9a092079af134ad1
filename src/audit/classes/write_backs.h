// audit/classes/write_backs.h: columns that are only ever written back as they were, as ORMs do that save whole rows.
//
// In, out: TraceLog, what each shape does -> by column: how many UPDATEs of which it is known what was there before
// wrote
//          the same value again; 0 if one did not.
// Always:  what is known of a row are the literals that INSERTs and UPDATEs of committed transactions gave it, in the
// order
//          in which these ended, by its primary key. A write whose value is not a literal makes it unknown again; one
//          of rows that are not told by their key makes the column unknown in all rows.
// Cost:    linear in the literals of the trace.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "audit/sql/statement.h"
#include "audit/trace/log.h"

namespace isolde::audit {

[[nodiscard]] std::vector<std::uint32_t> columns_written_back(const TraceLog& log, const Schema& schema,
                                                              std::span<const Statement> statements);

}  // namespace isolde::audit
