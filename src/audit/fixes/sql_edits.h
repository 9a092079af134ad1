// audit/fixes/sql_edits.h: small changes to the text of a statement: FOR UPDATE, one more condition, x = x + n.
//
// In, out: a statement as it is -> as it could be; nothing where the change does not fit.
// Always:  every other character is left as it is. What the dialect would refuse is not made: PostgreSQL takes no FOR
//          UPDATE with aggregates, DISTINCT, GROUP BY or UNION; SQLite has none.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "audit/schema/ids.h"

namespace isolde::audit {

[[nodiscard]] std::optional<std::string> with_for_update(std::string_view select, SqlDialect dialect);

// UPDATE … WHERE … AND column = ?
[[nodiscard]] std::optional<std::string> with_condition(std::string_view update, std::string_view column,
                                                        SqlDialect dialect);

// SET column = 12 -> SET column = column + ?
[[nodiscard]] std::optional<std::string> with_relative_value(std::string_view update, std::string_view column,
                                                             SqlDialect dialect);

}  // namespace isolde::audit
