// db/errors.h: what a server's error codes mean for the transaction, one table a driver; an unlisted code stops the
// run.
#pragma once

#include <cstdint>
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

// What becomes of a failure that the table does not list.
enum class Unlisted : std::uint8_t {
  kStops,      // an Error that names the code, the text and the statement
  kRollsBack,  // a Reply: the transaction can only be rolled back, which is safe whatever the error means
};

// A Reply with the fate that the table gives the failure.
[[nodiscard]] Result<Reply> reply_to_failure(std::span<const ErrorRow> table, Failure failure, std::string_view sql,
                                             Unlisted unlisted = Unlisted::kStops);

}  // namespace isolde::db
