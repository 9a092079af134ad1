#include "tests/support/small_classes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"

namespace isolde::audit::testing {
namespace {

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(at);
    if (const std::string_view part = trimmed(text.substr(0, end)); !part.empty()) parts.push_back(part);
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

class Builder {
 public:
  Classes build(std::string_view text) {
    for (const std::string_view line : split(text, '\n')) {
      if (line.starts_with("table ")) {
        add_table(line.substr(6));
      } else {
        add_class(line);
      }
    }
    return std::move(out_);
  }
  // Of each class.
  std::vector<std::vector<std::string>> take_variables() { return std::move(names_); }

 private:
  void add_table(std::string_view text) {
    const std::size_t open = text.find('(');
    if (open == std::string_view::npos || !text.ends_with(')')) return fail("no table", text);
    const TableId table = out_.schema.add_table(trimmed(text.substr(0, open)));
    for (std::string_view name : split(text.substr(open + 1, text.size() - open - 2), ',')) {
      const bool key = name.ends_with('*');
      if (key) name.remove_suffix(1);
      const ColumnId column = out_.schema.add_column(table, name);
      if (key) out_.schema.table(table).primary_key.push_back(column);
    }
  }

  void add_class(std::string_view line) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return fail("no colon", line);
    std::string_view name = trimmed(line.substr(0, colon));
    TransactionClass one;
    one.transactions = 1;
    if (const std::size_t open = name.find('['); open != std::string_view::npos) {
      one.transactions = std::stoull(std::string(name.substr(open + 1)));
      name = trimmed(name.substr(0, open));
    }
    one.name = name;
    variables_.clear();
    for (const std::string_view text : split(line.substr(colon + 1), ';')) add_statement(text, one);
    one.variables = static_cast<std::uint32_t>(variables_.size());
    one.example_values.assign(one.variables, kNoLiteral);
    one.autocommit = one.statements.size() == 1;
    one.reads_only = std::ranges::all_of(
        one.operations, [](const Operation& operation) { return operation.access.action == Action::kRead; });
    out_.classes.push_back(std::move(one));
    std::vector<std::string>& names = names_.emplace_back(variables_.size());
    for (const auto& [name_of_variable, number] : variables_) names[number] = name_of_variable;
  }

  void add_statement(std::string_view text, TransactionClass& one) {
    const std::size_t at = text.find('@');
    Statement statement;
    class_rows_.clear();
    if (at != std::string_view::npos) {
      std::string_view keys = text.substr(at + 1);
      const bool single = !keys.starts_with('~');
      if (!single) keys.remove_prefix(1);
      add_keys(keys, single, statement);
    }
    for (const std::string_view access : split(text.substr(0, at), ' ')) add_access(access, statement);

    const auto has = [&](auto&& test) { return std::ranges::any_of(statement.accesses, test); };
    statement.kind = StatementKind::kSelect;
    if (has([](const Access& access) { return access.action == Action::kWrite; }))
      statement.kind = StatementKind::kUpdate;
    if (has([](const Access& access) { return access.inserts; })) statement.kind = StatementKind::kInsert;
    if (has([](const Access& access) { return access.deletes; })) statement.kind = StatementKind::kDelete;

    for (Access access : statement.accesses) {
      access.row_set = static_cast<std::uint16_t>(one.rows.size() + access.row_set);
      one.operations.push_back({access, static_cast<std::uint32_t>(one.statements.size())});
    }
    one.rows.insert(one.rows.end(), class_rows_.begin(), class_rows_.end());
    one.statements.push_back(ShapeId(out_.statements.size()));
    out_.statements.push_back(std::move(statement));
  }

  void add_keys(std::string_view keys, bool single, Statement& statement) {
    std::uint32_t literal = 0;
    for (const std::string_view key : split(keys, ' ')) {
      const std::size_t equals = key.find('=');
      if (equals == std::string_view::npos) return fail("no key", key);
      const std::optional<ColumnId> column = column_of(key.substr(0, equals));
      if (!column) return;
      const std::uint16_t place = rows_of(out_.schema.column(*column).table, statement);
      const std::string variable(key.substr(equals + 1));
      const auto number = static_cast<std::uint32_t>(variables_.size());
      statement.row_sets[place].single = single;
      statement.row_sets[place].keys.push_back({*column, literal++});
      class_rows_[place].single = single;
      class_rows_[place].keys.push_back({*column, variables_.try_emplace(variable, number).first->second});
    }
    for (RowSet& rows : statement.row_sets) std::ranges::sort(rows.keys, {}, &RowKey::column);
    for (ClassRows& rows : class_rows_) {
      std::ranges::sort(rows.keys, {}, &ClassRowKey::column);
      std::vector<ColumnId>& primary = out_.schema.table(rows.table).primary_key;
      if (!rows.single || !primary.empty()) continue;
      for (const ClassRowKey& key : rows.keys) primary.push_back(key.column);
    }
  }

  void add_access(std::string_view text, Statement& statement) {
    const std::size_t open = text.find('(');
    if (open == std::string_view::npos || open == 0 || !text.ends_with(')')) return fail("no access", text);
    const std::optional<ColumnId> column = column_of(text.substr(open + 1, text.size() - open - 2));
    if (!column) return;
    const bool reads = text[0] == 'r';
    if (!reads && text[0] != 'w') return fail("neither r nor w", text);
    Access access{.action = reads ? Action::kRead : Action::kWrite,
                  .column = *column,
                  .row_set = rows_of(out_.schema.column(*column).table, statement)};
    for (const char letter : text.substr(1, open - 1)) {
      if (reads && letter == 'x') {
        access.lock = Lock::kExclusive;
      } else if (reads && letter == 's') {
        access.lock = Lock::kShare;
      } else if (reads && letter == 'w') {
        access.in_where = true;
      } else if (reads && letter == 'c') {
        access.counts_only = true;
      } else if (reads && letter == 'o') {
        access.of_write = true;
      } else if (reads && letter == 'u') {
        access.of_write = access.of_written_row = true;
        access.lock = Lock::kExclusive;
      } else if (reads && letter == 'f') {
        access.foreign_key = access.of_write = true;
        access.lock = Lock::kShare;
      } else if (!reads && letter == '+') {
        access.increments = true;
      } else if (!reads && letter == 'i') {
        access.inserts = true;
      } else if (!reads && letter == 'd') {
        access.deletes = true;
      } else {
        fail("no such letter", text);
      }
    }
    statement.accesses.push_back(access);
  }

  std::uint16_t rows_of(TableId table, Statement& statement) {
    for (std::size_t i = 0; i < statement.row_sets.size(); ++i) {
      if (statement.row_sets[i].table == table) return static_cast<std::uint16_t>(i);
    }
    statement.row_sets.push_back({.table = table, .keys = {}});
    class_rows_.push_back({.table = table, .keys = {}});
    statement.tables.push_back(table);
    return static_cast<std::uint16_t>(statement.row_sets.size() - 1);
  }

  std::optional<ColumnId> column_of(std::string_view name) {
    const std::size_t dot = name.find('.');
    if (dot == std::string_view::npos) {
      fail("no column", name);
      return std::nullopt;
    }
    return out_.schema.add_column(out_.schema.add_table(name.substr(0, dot)), name.substr(dot + 1));
  }

  static void fail(std::string_view what, std::string_view text) { ADD_FAILURE() << what << ": " << text; }

  Classes out_;
  std::vector<std::vector<std::string>> names_;
  std::map<std::string, std::uint32_t> variables_;
  std::vector<ClassRows> class_rows_;
};

std::string text_of_access(const Schema& schema, const Access& access) {
  std::string out(1, access.action == Action::kRead ? 'r' : 'w');
  if (access.of_written_row) {
    out += 'u';
  } else if (access.foreign_key) {
    out += 'f';
  } else {
    if (access.lock == Lock::kExclusive && access.action == Action::kRead) out += 'x';
    if (access.lock == Lock::kShare) out += 's';
    if (access.in_where) out += 'w';
    if (access.of_write) out += 'o';
  }
  if (access.counts_only) out += 'c';
  if (access.increments) out += '+';
  if (access.inserts) out += 'i';
  if (access.deletes) out += 'd';
  return out + "(" + schema.full_name(access.column) + ")";
}

}  // namespace

Classes small_classes(std::string_view text, std::vector<std::vector<std::string>>* variables) {
  Builder builder;
  Classes classes = builder.build(text);
  if (variables != nullptr) *variables = builder.take_variables();
  return classes;
}

ClassId class_named(const Classes& classes, std::string_view name) {
  const auto place = std::ranges::find(classes.classes, name, &TransactionClass::name);
  if (place == classes.classes.end()) ADD_FAILURE() << "no class " << name;
  return ClassId(place - classes.classes.begin());
}

ColumnId column_named(const Classes& classes, std::string_view table_and_column) {
  const std::size_t dot = table_and_column.find('.');
  const std::optional<TableId> table = classes.schema.find_table(table_and_column.substr(0, dot));
  std::optional<ColumnId> column;
  if (table && dot != std::string_view::npos) {
    column = classes.schema.find_column(*table, table_and_column.substr(dot + 1));
  }
  if (!column) ADD_FAILURE() << "no column " << table_and_column;
  return column.value_or(kNoColumn);
}

std::string text_of(const Classes& classes, const TransactionClass& one) {
  std::string out;
  for (std::uint32_t statement = 0; statement < one.statements.size(); ++statement) {
    std::string accesses;
    std::vector<std::uint16_t> used;
    for (const Operation& operation : one.operations) {
      if (operation.statement != statement) continue;
      accesses += (accesses.empty() ? "" : " ") + text_of_access(classes.schema, operation.access);
      if (std::ranges::find(used, operation.access.row_set) == used.end()) used.push_back(operation.access.row_set);
    }
    std::string keys;
    for (const std::uint16_t place : used) {
      const ClassRows& rows = one.rows[place];
      for (std::size_t i = 0; i < rows.keys.size(); ++i) {
        keys += i > 0 ? " " : rows.single ? " @ " : " @~ ";
        keys += fmt::format("{}={}", classes.schema.full_name(rows.keys[i].column), rows.keys[i].variable);
      }
    }
    out += (statement == 0 ? "" : "; ") + accesses + keys;
  }
  return out;
}

}  // namespace isolde::audit::testing
