// history/predicate_statement.h: libpg_query's tree of one SELECT, as JSON.
//
// In, out: "SELECT 1 WHERE <text>" or "SELECT <text>" -> the fields of the SelectStmt.
// Always:  the text is one expression (nothing stands after it), valid UTF-8, and not so long or deep that libpg_query
//          could run out of stack.
#pragma once

#include <simdjson.h>

#include <string>
#include <string_view>

#include "base/result.h"

namespace isolde {

// The tree lives in `parser`. The first `prefix` bytes of the statement are ours; an error's column counts without
// them.
[[nodiscard]] Result<simdjson::dom::object> parse_statement(const std::string& statement, std::size_t prefix,
                                                            simdjson::dom::parser& parser);

// A field that is text, else "".
[[nodiscard]] std::string_view text_field(simdjson::dom::object fields, std::string_view name);

}  // namespace isolde
