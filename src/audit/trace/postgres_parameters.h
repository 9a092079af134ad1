// audit/trace/postgres_parameters.h: parameters as PostgreSQL logs them, put into the places of $1, $2 …
//
// In, out: "SELECT a FROM t WHERE b = $1" and "$1 = '5', $2 = NULL" -> "SELECT a FROM t WHERE b = '5'".
// Always:  what is in quotes or comments stays as it is; a parameter that is not given stays $n.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace isolde::audit {

// The values as SQL literals. What does not look like a list of parameters ends it.
[[nodiscard]] std::vector<std::string_view> logged_parameters(std::string_view detail);

[[nodiscard]] std::string with_parameters(std::string_view sql, const std::vector<std::string_view>& values);

// `EXECUTE name (5, 'a')` and `PREPARE name (int, text) AS SELECT …`: the SELECT with its arguments. Empty if they are
// not of this form.
[[nodiscard]] std::string executed_text(std::string_view execute, std::string_view prepare);

}  // namespace isolde::audit
