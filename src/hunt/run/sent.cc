#include "hunt/run/sent.h"

#include <iterator>

#include "hunt/case/dialects.h"

namespace isolde::hunt {
namespace {

std::string in_mysqls_quotes(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

void prepare_by_sql(const Statement& statement, std::string_view dialect, SentSql& sent) {
  const std::string text = in_mysqls_quotes(statement.sql);
  if (rules_of(dialect).prepares == db::Prepares::kExecuteImmediate) {
    sent.sql = "execute immediate " + text;
    return;
  }
  sent = {.before = {"prepare hunt_prepared from " + text},
          .sql = "execute hunt_prepared",
          .after = {"deallocate prepare hunt_prepared"}};
}

}  // namespace

SentSql sent_sql(const Statement& statement, std::string_view dialect, Preparer preparer) {
  SentSql sent{.before = {}, .sql = statement.sql, .after = {}};
  const db::Prepares prepares = rules_of(dialect).prepares;
  switch (statement.sent) {
    case Sent::kPlain:
      break;
    case Sent::kPrepared:
      if (prepares == db::Prepares::kExecuteImmediate || prepares == db::Prepares::kPrepareFrom)
        prepare_by_sql(statement, dialect, sent);
      if (prepares != db::Prepares::kByDriver) break;
      sent.by_driver = preparer == Preparer::kDriver;
      if (sent.by_driver) break;
      sent = {.before = {"prepare hunt_prepared as " + statement.sql},
              .sql = "execute hunt_prepared",
              .after = {"deallocate hunt_prepared"}};
      break;
    case Sent::kCursor:
      if (!grammar_of(dialect).has_cursors) break;
      sent = {.before = {"declare hunt_cursor no scroll cursor for " + statement.sql},
              .sql = "fetch all from hunt_cursor",
              .after = {"close hunt_cursor"}};
      break;
    case Sent::kSavepoint:
      sent.before = {"savepoint hunt_kept"};
      sent.after = {"release savepoint hunt_kept"};
      break;
  }
  if (!statement.undone.empty()) {
    const std::string undone[] = {"savepoint hunt_undone", statement.undone, "rollback to savepoint hunt_undone",
                                  "release savepoint hunt_undone"};
    sent.before.insert(sent.before.begin(), std::begin(undone), std::end(undone));
  }
  return sent;
}

}  // namespace isolde::hunt
