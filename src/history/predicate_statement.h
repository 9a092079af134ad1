// history/predicate_statement.h: the parse tree of one SELECT by libpg_query, as JSON.
//
// In, out: "SELECT 1 WHERE <text>" or "SELECT <text>" -> the fields of the SelectStmt.
// Always:  the text is one expression (nothing follows it), valid UTF-8, and not so long or deep that libpg_query could
//          run out of stack.
#pragma once

#include <simdjson.h>

#include <string>
#include <string_view>

#include "base/result.h"

namespace isolde {

// The tree is stored in `parser`. The first `prefix` bytes of the statement are ours; columns of errors do not count
// them.
[[nodiscard]] Result<simdjson::dom::object> parse_statement(const std::string& statement, std::size_t prefix,
                                                            simdjson::dom::parser& parser);

// The text of a field, or "" if it is not text.
[[nodiscard]] std::string_view text_field(simdjson::dom::object fields, std::string_view name);

}  // namespace isolde
