#include "hunt/finding/file_trust.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/ascii.h"
#include "db/product.h"
#include "hunt/case/dialects.h"

namespace isolde::hunt {
namespace {

bool is_plain_word(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && name.size() <= 63 && letter(name.front()) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

// The line of the file that has the statement's first line; 0: none has, because it is written with escapes.
std::uint64_t line_with(std::string_view text, std::string_view sql) {
  const std::size_t at = text.find(sql.substr(0, sql.find('\n')));
  if (at == std::string_view::npos || sql.empty()) return 0;
  return 1 + static_cast<std::uint64_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

// Comments are refused, because servers read them differently, except for the hints that hunts write.
std::string without_hints(std::string sql, std::string_view dialect) {
  const db::HuntRules* const known = hunt_dialect(dialect);
  if (known == nullptr) return sql;
  for (const std::string_view hint : known->hints) {
    const std::string comment = fmt::format("select /*+ {} */ ", hint);
    if (sql.starts_with(comment)) return "select " + sql.substr(comment.size());
  }
  return sql;
}

class TrustCheck {
 public:
  TrustCheck(std::string_view dialect, std::string_view text, const std::string& file)
      : dialect_(dialect), text_(text), file_(file) {}

  void own_table(std::string_view table) {
    name(table);
    own_.insert(lower_case(table));
  }

  void statement(std::string_view sql) { statement(sql, sql); }
  // `shown`: what stands in the file for it.
  void statement(std::string_view sql, std::string_view shown) {
    if (error_) return;
    const std::string why = db::why_refused(without_hints(std::string(sql), dialect_), dialect_, own_);
    if (why.empty()) return;
    error_ = Error{fmt::format("is not run: {}: {} (a finding has only statements on rows and tables of its own; "
                               "--trust-file runs whatever the file says)",
                               shown.substr(0, 200), why),
                   file_, line_with(text_, shown)};
  }
  void name(std::string_view name) {
    if (error_ || is_plain_word(name)) return;
    error_ = Error{fmt::format("is not run: \"{}\" is not a plain name (--trust-file runs whatever the file says)",
                               name.substr(0, 80)),
                   file_, line_with(text_, name)};
  }
  void names(const std::vector<std::string>& all) {
    for (const std::string& one : all) name(one);
  }
  [[nodiscard]] std::optional<Error> result() && { return std::move(error_); }

 private:
  std::string_view dialect_, text_;
  const std::string& file_;
  db::OwnTables own_;
  std::optional<Error> error_;
};

}  // namespace

std::optional<Error> why_not_trusted(const Finding& finding, std::string_view dialect, std::string_view text,
                                     const std::string& file) {
  TrustCheck check(dialect, text, file);
  const Schema& schema = finding.test.schema;
  for (const Table& table : schema.tables) check.own_table(table.name);
  for (const View& view : schema.views) check.own_table(view.name);
  for (const Table& table : schema.tables) {
    check.names(table.columns);
    check.names(table.inserted);
    for (const ForeignKey& key : table.foreign_keys) {
      check.name(key.column);
      check.name(key.parent);
    }
    if (table.trigger) check.names({table.trigger->column, table.trigger->from});
    check.statement(table.create);
    for (const std::vector<std::string>& row : table.rows) {
      const std::string values = fmt::format("{}", fmt::join(row, ", "));
      check.statement(
          fmt::format("insert into {} ({}) values ({})", table.name, fmt::join(table.inserted, ", "), values), values);
    }
  }
  for (const std::string& sql : schema.more) check.statement(sql);
  for (const View& view : schema.views) {
    check.names(view.columns);
    check.names(view.reads);
    check.statement(view.create);
  }
  for (const std::string& sql : schema.drops) check.statement(sql);
  for (const Transaction& transaction : finding.test.transactions) {
    for (const Statement& statement : transaction.statements) {
      check.names(statement.reads);
      check.names(statement.writes);
      check.statement(statement.sql);
      if (!statement.before.empty()) check.statement(statement.before);
      if (!statement.undone.empty()) check.statement(statement.undone);
    }
  }
  return std::move(check).result();
}

}  // namespace isolde::hunt
