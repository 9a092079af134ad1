// cli/example_table.h: a tiny history as a table, a row a transaction.
#pragma once

#include <string>
#include <string_view>

namespace isolde::cli {

// `lines`: a history in native JSON Lines. Ends with a newline; empty if it cannot be read.
[[nodiscard]] std::string example_table(std::string_view lines);

}  // namespace isolde::cli
