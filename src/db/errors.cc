#include "db/errors.h"

#include <fmt/format.h>

namespace isolde::db {

const ErrorRow* find_error(std::span<const ErrorRow> table, std::string_view code) {
  for (const ErrorRow& row : table) {
    const bool is_class = row.code.ends_with('*');
    if (is_class ? code.starts_with(row.code.substr(0, row.code.size() - 1)) : row.code == code) return &row;
  }
  return nullptr;
}

Result<Reply> reply_to_failure(std::span<const ErrorRow> table, Failure failure, std::string_view sql,
                               Unlisted unlisted) {
  const ErrorRow* const row = find_error(table, failure.code);
  if (row == nullptr && unlisted == Unlisted::kStops) {
    return Error{
        fmt::format("the database answered with error {}, whose meaning for the transaction is not listed: "
                    "{} (statement: {})",
                    failure.code, failure.text, sql)};
  }
  Reply reply;
  reply.fate = row == nullptr ? Fate::kMustRollBack : row->means;
  reply.failure = std::move(failure);
  return reply;
}

}  // namespace isolde::db
