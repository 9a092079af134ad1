#include "tests/support/statement_text.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "audit/sql/meaning.h"
#include "base/text.h"

namespace isolde::audit::testing {
namespace {

void add_column(Schema& schema, TableId table, std::string_view text) {
  const std::size_t end = text.find_first_of("*!? >");
  const std::string_view name = text.substr(0, end);
  const ColumnId column = schema.add_column(table, name);
  schema.column(column).type = "int";
  const std::string_view marks = end == std::string_view::npos ? std::string_view{} : text.substr(end);
  if (marks.find('*') != std::string_view::npos) schema.table(table).primary_key.push_back(column);
  if (marks.find('!') != std::string_view::npos) schema.table(table).unique_keys.push_back({column});
  if (marks.find('?') != std::string_view::npos) schema.column(column).default_value = "0";
  if (const std::size_t arrow = marks.find('>'); arrow != std::string_view::npos) {
    const std::string_view parent = trimmed(marks.substr(arrow + 1));
    const std::size_t dot = parent.find('.');
    const TableId of = schema.add_table(parent.substr(0, dot));
    const ColumnId key = schema.add_column(of, parent.substr(dot + 1));
    schema.table(table).foreign_keys.push_back({.columns = {column}, .parent = of, .parent_columns = {key}});
  }
}

std::string letters(const Access& access) {
  std::string out = access.action == Action::kRead ? "r" : "w";
  const bool implied = access.of_written_row || access.foreign_key;
  if (!implied && access.lock == Lock::kExclusive) out += 'x';
  if (!implied && access.lock == Lock::kShare) out += 's';
  if (access.in_where && !access.foreign_key) out += 'w';
  if (access.counts_only) out += 'c';
  if (!implied && access.of_write) out += 'o';
  if (access.of_written_row) out += 'u';
  if (access.foreign_key) out += 'f';
  if (access.increments) out += '+';
  if (access.inserts) out += 'i';
  if (access.deletes) out += 'd';
  return out;
}

}  // namespace

Schema small_schema(std::string_view text) {
  Schema schema;
  while (!(text = trimmed(text)).empty()) {
    const std::size_t open = text.find('('), close = text.find(')');
    const TableId table = schema.add_table(trimmed(text.substr(0, open)));
    std::string_view columns = text.substr(open + 1, close - open - 1);
    while (!columns.empty()) {
      const std::size_t comma = columns.find(',');
      add_column(schema, table, trimmed(columns.substr(0, comma)));
      columns = comma == std::string_view::npos ? std::string_view{} : columns.substr(comma + 1);
    }
    text.remove_prefix(close + 1);
  }
  return schema;
}

std::string text_of(const Statement& statement, const Schema& schema) {
  if (statement.kind == StatementKind::kNotUnderstood) return "not understood: " + statement.why_not;
  std::map<TableId, int> so_far;
  std::vector<std::string> names;
  for (const RowSet& rows : statement.row_sets) {
    const int number = ++so_far[rows.table];
    const std::string& table = schema.table(rows.table).name;
    names.push_back(number == 1 ? table : fmt::format("{}#{}", table, number));
  }
  std::string out;
  for (const Access& access : statement.accesses) {
    if (!out.empty()) out += ' ';
    out += fmt::format("{}({}.{})", letters(access), names[access.row_set], schema.column(access.column).name);
  }
  std::map<std::string, std::string> parts;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const RowSet& rows = statement.row_sets[i];
    if (rows.keys.empty() && !rows.single) continue;
    std::string keys;
    for (const RowKey& key : rows.keys) {
      if (!keys.empty()) keys += ' ';
      keys += fmt::format("{}=${}", schema.column(key.column).name, key.literal + 1);
    }
    parts[names[i]] = fmt::format(" {}[{}]{}", names[i], keys, rows.single ? "!" : "");
  }
  if (!parts.empty()) out += " @";
  for (const auto& [name, part] : parts) out += part;
  return out;
}

std::string fault_of(const Statement& statement, const Schema& schema) {
  if (statement.kind == StatementKind::kNotUnderstood) {
    if (statement.why_not.empty()) return "no reason why not";
    return statement.accesses.empty() && statement.row_sets.empty() ? "" : "accesses of what is not understood";
  }
  if (!statement.why_not.empty()) return "a reason although it is understood";
  if (statement.kind == StatementKind::kNoData && !statement.accesses.empty()) return "no data, but accesses";
  std::set<std::string> seen;
  bool writes = false;
  for (const Access& access : statement.accesses) writes = writes || access.action == Action::kWrite;
  for (const Access& access : statement.accesses) {
    const bool reads = access.action == Action::kRead;
    if (access.row_set >= statement.row_sets.size()) return "no such row set";
    if (raw(access.column) >= schema.columns()) return "no such column";
    if (schema.column(access.column).table != statement.row_sets[access.row_set].table) return "rows of another table";
    if (access.of_write != (reads && writes)) return "of_write";
    if (access.of_written_row && (access.lock != Lock::kExclusive || !access.of_write)) return "of_written_row";
    if (!reads && (access.in_where || access.counts_only || access.foreign_key || access.lock != Lock::kNone)) {
      return "a write that looks like a read";
    }
    if (reads && (access.inserts || access.deletes || access.increments)) return "a read that looks like a write";
    const std::string same = fmt::format("{} {} {}", letters(access), raw(access.column), access.row_set);
    if (!seen.insert(same).second) return "the same access twice: " + same;
  }
  for (const RowSet& rows : statement.row_sets) {
    for (std::size_t i = 0; i < rows.keys.size(); ++i) {
      if (schema.column(rows.keys[i].column).table != rows.table) return "a key of another table";
      if (i > 0 && rows.keys[i - 1].column >= rows.keys[i].column) return "keys out of order";
    }
  }
  return "";
}

std::string meaning_of(std::string_view sql, const Schema& schema) {
  const std::vector<std::string_view> literals(64, "0");
  const PostgresText text{.sql = std::string(sql)};
  Schema own = schema;
  for (const Learning learning : {Learning::kSure, Learning::kLikely}) {
    Names learner(own, learning);
    (void)understand_postgres(text, literals, learner);
  }
  give_columns(own);
  Names names(static_cast<const Schema&>(own));
  return text_of(understand_postgres(text, literals, names), own);
}

}  // namespace isolde::audit::testing
