// db/errors.h: what a server's error codes mean for the transaction, one table a driver; an unlisted code stops the
// run.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "base/result.h"
#include "db/connection.h"

namespace isolde::db {

struct ErrorRow {
  std::string_view code;  // the whole code, or a class of SQLSTATEs followed by * ("08*")
  Fate means;
  std::string_view about;  // what it is, for docs and messages
};

[[nodiscard]] const ErrorRow* find_error(std::span<const ErrorRow> table, std::string_view code);

// A Reply with the fate that the table gives the failure; an Error that names the code, the text and the statement if
// it is not listed.
[[nodiscard]] Result<Reply> reply_to_failure(std::span<const ErrorRow> table, Failure failure, std::string_view sql);

}  // namespace isolde::db
