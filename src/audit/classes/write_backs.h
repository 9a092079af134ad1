// audit/classes/write_backs.h: what was in the rows that UPDATEs of the trace change: columns that are only ever
// written back as they were, as ORMs do that save whole rows, and texts that were there before.
//
// In, out: TraceLog, what each shape does -> by column: how many UPDATEs of which it is known what was there before
//          wrote the same value again, 0 if one did not; by UPDATE: which columns it left as they were, and what was in
//          columns that some SELECT asks for. Apart from that, by column: how many of these UPDATEs saved a whole row,
//          and wrote a word of the program ('shop_order') there. One such UPDATE says more of a column than one that
//          writes little else: where nearly all of a row was written back as it was, what was not changed is not what
//          the statement is for.
// Always:  what is known of a row are the literals that statements before gave it (row_states.h). A row whose id the
//          database made is known once its session names that id (made_ids.h). A value that the same statement wrote
//          before and always writes is no evidence: `state = 'sent'` twice is a fault rather than a habit.
// Cost:    linear in the literals of the trace.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "audit/classes/made_ids.h"
#include "audit/sql/statement.h"
#include "audit/trace/log.h"

namespace isolde::audit {

struct SeenUpdate {
  std::vector<ColumnId> unchanged;                     // sorted
  std::vector<std::pair<ColumnId, LiteralId>> before;  // texts without digits, of columns that some SELECT asks for
};

struct WriteBacks {
  std::vector<std::uint32_t> unchanged;                   // by column
  std::vector<std::uint32_t> whole_rows;                  // likewise: of these, words in rows that were saved whole
  std::unordered_map<std::uint32_t, SeenUpdate> updates;  // by statement of the log
};

[[nodiscard]] WriteBacks find_write_backs(const TraceLog& log, const Schema& schema,
                                          std::span<const Statement> statements, const MadeIds& made_ids);

// A text that tells something about rows to a program, such as 'paid': it has no digits.
[[nodiscard]] bool is_word(const TraceLog& log, LiteralId value);

}  // namespace isolde::audit
