#include "audit/confirm/play_locks.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>

#include "base/ascii.h"

namespace isolde::audit {
namespace {

// The name of the lock function that is called; empty: none is.
std::string lock_function(const std::vector<Token>& tokens) {
  constexpr std::string_view kOfMysql[] = {"get_lock", "release_lock", "release_all_locks"};
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (!is_name(tokens[i]) || !is_symbol(tokens[i + 1], "(")) continue;
    std::string name = lower_case(tokens[i].text);
    if (name.starts_with("pg_advisory_") || name.starts_with("pg_try_advisory_") ||
        std::ranges::find(kOfMysql, name) != std::end(kOfMysql))
      return name;
  }
  return {};
}

Error not_followed(std::string_view what, std::string_view why) {
  return Error{fmt::format("{} {}: without that lock the run would show what the application prevents", what, why)};
}

}  // namespace

Result<void> find_locks(const Classes& classes, const TransactionClass& of, Line& line) {
  const Statement& statement = classes.statements[raw(of.statements[line.statement])];
  const std::string function = lock_function(*line.tokens);
  for (const Operation& operation : of.operations) {
    if (operation.statement != line.statement) continue;
    const TableId table = classes.schema.column(operation.access.column).table;
    const Table& lock = classes.schema.table(table);
    // Whoever writes a table takes its lock in share mode: the server does that by itself.
    if (!lock.is_lock || operation.access.lock == Lock::kShare) continue;
    if (operation.access.lock == Lock::kNone)
      return not_followed(function + "()", "is a lock that is given back before the transaction ends");
    line.locks.push_back(lock.lock_of == kNoTable ? table : lock.lock_of);
    if (lock.lock_of != kNoTable) continue;
    const bool others =
        std::ranges::any_of(statement.tables, [&](TableId other) { return !classes.schema.table(other).is_lock; });
    if (others) return not_followed(function + "()", "is called in a query of a table");
    for (const RowSet& rows : statement.row_sets) {
      if (rows.table != table || !line.lock_key.empty()) continue;
      for (const RowKey& key : rows.keys) line.lock_key.push_back(key.literal);
    }
  }
  std::ranges::sort(line.locks);
  line.locks.erase(std::ranges::unique(line.locks).begin(), line.locks.end());
  if (!function.empty() && line.lock_key.empty())
    return not_followed(function + "()", "is a lock that is not followed");
  return {};
}

Result<void> check_other_statements(const Classes& classes, const TraceLog& log, const TransactionClass& of,
                                    Member& member) {
  if (of.example >= log.transactions.size()) return {};
  for (const TraceStatement& one : log.of(log.transactions[of.example])) {
    const StatementKind kind = classes.statements[raw(one.shape)].kind;
    if (kind == StatementKind::kNotUnderstood) member.unknown.emplace_back(log.shapes.example(one.shape));
    if (kind != StatementKind::kNoData) continue;
    Lexer lexer(log.shapes.dialect());
    const std::vector<Token>& tokens = lexer.tokens(log.shapes.example(one.shape));
    if (!tokens.empty() && is_word(tokens[0], "lock"))
      return not_followed(log.shapes.example(one.shape), "is not followed");
    if (const std::string function = lock_function(tokens); !function.empty())
      return not_followed(function + "()", "is a lock that is not followed");
  }
  return {};
}

}  // namespace isolde::audit
