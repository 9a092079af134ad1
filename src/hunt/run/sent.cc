#include "hunt/run/sent.h"

#include <fmt/format.h>

namespace isolde::hunt {
namespace {

std::string in_mariadbs_quotes(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

}  // namespace

SentSql sent_sql(const Statement& statement, std::string_view dialect, Preparer preparer) {
  SentSql sent{.before = {}, .sql = statement.sql, .after = {}};
  const bool postgres = dialect == "postgres";
  switch (statement.sent) {
    case Sent::kPlain:
      break;
    case Sent::kPrepared:
      if (dialect == "mariadb") sent.sql = "execute immediate " + in_mariadbs_quotes(statement.sql);
      if (!postgres) break;
      sent.by_driver = preparer == Preparer::kDriver;
      if (sent.by_driver) break;
      sent = {.before = "prepare hunt_prepared as " + statement.sql,
              .sql = "execute hunt_prepared",
              .after = "deallocate hunt_prepared"};
      break;
    case Sent::kCursor:
      if (!postgres) break;
      sent = {.before = "declare hunt_cursor no scroll cursor for " + statement.sql,
              .sql = "fetch all from hunt_cursor",
              .after = "close hunt_cursor"};
      break;
  }
  return sent;
}

}  // namespace isolde::hunt
