// What one statement that was carried out read and wrote.
#include <algorithm>

#include "base/ascii.h"
#include "proxy/values/value_capture.h"

namespace isolde::proxy::values {
namespace {

constexpr std::uint64_t kFoundRows = 2;  // a capability: matched rows are counted, not changed ones
constexpr std::size_t kMostRowsOfStatement = 100'000;

Act read_act(const Statement& statement) {
  return statement.lock == Lock::kUpdate  ? Act::kReadForUpdate
         : statement.lock == Lock::kShare ? Act::kReadForShare
                                          : Act::kRead;
}

// "Rows matched: 1  Changed: 0  Warnings: 0" says it whatever the client wants counted.
std::uint64_t changed_rows(const mysql::Answer& answer, std::string_view packet) {
  constexpr std::string_view kChanged = "Changed: ";
  const std::size_t at = packet.find(kChanged);
  if (at == std::string_view::npos) return answer.changed;
  const std::string_view digits = packet.substr(at + kChanged.size());
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < digits.size() && digits[i] >= '0' && digits[i] <= '9'; ++i)
    count = count * 10 + static_cast<std::uint64_t>(digits[i] - '0');
  return count;
}

}  // namespace

// Each row of a plain result is one row of each of its tables: those whose whole key is among the columns, or in the
// WHERE clause of a statement that reads one table by it.
void ValueCapture::row(const Task& task, const Statement& statement, std::string_view packet) {
  const bool good = task.command == mysql::Command::kQuery ? text_row(packet, result_.columns.size(), fields_)
                                                           : binary_row(packet, result_.columns, fields_);
  if (!good || result_.ops.size() > kMostRowsOfStatement) return;
  std::vector<std::string_view> done;
  for (std::size_t i = 0; i < result_.columns.size(); ++i) {
    const ColumnSeen& first = result_.columns[i];
    if (first.table.empty() || std::find(done.begin(), done.end(), first.alias) != done.end()) continue;
    done.push_back(first.alias);
    const FollowedTable* const table = catalogue_.table(first.schema, first.table, schema_);
    if (table == nullptr || !table->why_not.empty()) continue;
    std::string key;
    std::size_t parts = 0;
    for (const std::string& column : table->key) {
      for (std::size_t c = 0; c < result_.columns.size(); ++c) {
        if (result_.columns[c].alias != first.alias || result_.columns[c].column != column) continue;
        const Value value = field_value(fields_[c], ColumnKind::kInteger, true);
        if (value.kind != Value::Kind::kInteger) break;
        key += (parts++ == 0 ? "" : "/") + std::to_string(value.number);
        break;
      }
    }
    // The outer side of a join that had no row has a key of NULLs.
    if (parts != table->key.size())
      key = statement.by_where && table == table_of(statement) ? key_of(task, statement, *table, false) : std::string();
    if (key.empty()) continue;
    for (std::size_t c = 0; c < result_.columns.size(); ++c) {
      const ColumnSeen& column = result_.columns[c];
      const FollowedColumn* const followed = column.alias == first.alias ? table->column(column.column) : nullptr;
      if (followed == nullptr) continue;
      result_.ops.push_back(
          {read_act(statement), table, key, followed, field_value(fields_[c], followed->kind, utf8_)});
    }
  }
}

// `WHERE key = value` and nothing else found no row: there is none.
void ValueCapture::absence(const Task& task, const Statement& statement, std::vector<ValueOp>& to) {
  const FollowedTable* const table = table_of(statement);
  if (!statement.by_where || statement.more_conditions || statement.may_skip || table == nullptr ||
      !table->why_not.empty())
    return;
  const std::string key = key_of(task, statement, *table, true);
  if (key.empty()) return;
  for (const ColumnSeen& column : result_.columns) {
    const FollowedColumn* const followed = column.table == table->name ? table->column(column.column) : nullptr;
    if (followed != nullptr) to.push_back({read_act(statement), table, key, followed, {Value::Kind::kAbsent}});
  }
}

void ValueCapture::update(const Task& task, const Statement& statement, const FollowedTable& table,
                          std::uint64_t changed, std::vector<ValueOp>& to) {
  if (changed == 0) return;
  const std::string key = key_of(task, statement, table, false);
  for (const Named& set : statement.sets) {
    if (table.is_key(lower_case(set.column))) return trace_.touched(table, nullptr, "an UPDATE of a primary key");
  }
  for (const Named& set : statement.sets) {
    const FollowedColumn* const column = table.column(lower_case(set.column));
    if (column == nullptr) continue;
    if (key.empty()) {
      trace_.touched(table, column, "a write whose rows are not named by their key");
      continue;
    }
    ValueOp op{Act::kWrite, &table, key, column, value_of(task, set.value, column->kind)};
    if (set.adds || set.subtracts) {
      op.act = Act::kAdd;
      const bool usable = column->kind == ColumnKind::kInteger && op.value.kind == Value::Kind::kInteger &&
                          op.value.number != INT64_MIN;
      if (!usable) op.value = {};
      if (usable && set.subtracts) op.value.number = -op.value.number;
    }
    // Set twice in one statement: the order counts.
    if (std::count_if(statement.sets.begin(), statement.sets.end(),
                      [&](const Named& other) { return same_ignoring_case(other.column, set.column); }) > 1)
      op = {Act::kWrite, &table, key, column, {}};
    to.push_back(std::move(op));
  }
}

void ValueCapture::insert(const Task& task, const Statement& statement, const FollowedTable& table,
                          const mysql::Answer& answer, std::vector<ValueOp>& to) {
  const bool one = statement.rows.size() == 1;
  const bool conditional = statement.ignores || statement.upserts;
  if (conditional && one && answer.changed == 0) return;  // the row was there, and stays as it is
  // Which of the rows were made, or what became of one that was there.
  const bool unsure = conditional && !(one && answer.changed == 1 && !statement.upserts) &&
                      !(one && answer.changed == 1 && (capabilities_ & kFoundRows) == 0);
  if ((unsure || statement.doing == Doing::kReplace) && table.other_unique)
    return trace_.touched(table, nullptr, "a write that may change rows by another unique index");
  const std::vector<std::string>& columns = statement.has_columns ? statement.columns : table.all_columns;
  for (const std::vector<Term>& row : statement.rows) {
    if (row.size() != columns.size() && !row.empty())
      return trace_.touched(table, nullptr, "a write whose rows are not named by their key");
    const auto given = [&](std::string_view name) -> const Term* {
      for (std::size_t i = 0; i < row.size(); ++i) {
        if (same_ignoring_case(columns[i], name)) return &row[i];
      }
      return nullptr;
    };
    std::string key;
    for (const std::string& name : table.key) {
      const Term* const term = given(name);
      Value value = term == nullptr ? Value{} : value_of(task, *term, ColumnKind::kInteger);
      const bool counted = term == nullptr || value.kind == Value::Kind::kNull ||
                           (value.kind == Value::Kind::kInteger && value.number == 0);
      if (table.counts_up && counted) {
        const bool told = one && table.key.size() == 1 && answer.last_id != 0 && answer.last_id <= INT64_MAX;
        value = told ? integer_value(static_cast<std::int64_t>(answer.last_id)) : Value{};
      }
      if (value.kind != Value::Kind::kInteger)
        return trace_.touched(table, nullptr, "a write whose rows are not named by their key");
      key += (key.empty() ? "" : "/") + std::to_string(value.number);
    }
    for (const FollowedColumn& column : table.columns) {
      const Term* const term = given(column.name);
      Value value = term == nullptr ? column.standard : value_of(task, *term, column.kind);
      if (unsure) value = {};
      to.push_back({Act::kWrite, &table, key, &column, std::move(value)});
    }
  }
}

std::vector<ValueOp> ValueCapture::ops_of(const Task& task, const Statement& statement, const mysql::Answer& answer,
                                          std::string_view packet) {
  std::vector<ValueOp> ops;
  if (statement.doing == Doing::kRead) {
    // A view's columns may have the names of a table's, and hold something else.
    const bool by_view = catalogue_.names_a_view(statement.names);
    if (by_view) result_ = {};
    ops = std::move(result_.ops);
    if (!by_view && result_.rows == 0 && statement.plain && !blind_) absence(task, statement, ops);
    if (ops.empty()) {
      trace_.left_out("a SELECT whose rows are not named by their key");
    } else {
      trace_.judged();
    }
    return ops;
  }
  if (statement.doing == Doing::kWritesOthers || statement.doing == Doing::kSchema || blind_) return ops;
  const FollowedTable* const table = table_of(statement);
  if (table == nullptr || !table->why_not.empty()) {
    trace_.left_out("a table that is not followed");
    return ops;
  }
  // RETURNING: the answer is rows, and does not say how many were written.
  if (answer.meaning == mysql::Meaning::kRowsEnd) {
    trace_.touched(*table, nullptr, "a write that returns rows");
    return ops;
  }
  switch (statement.doing) {
    case Doing::kUpdate:
      update(task, statement, *table, changed_rows(answer, packet), ops);
      break;
    case Doing::kDelete: {
      if (answer.changed == 0) break;
      const std::string key = key_of(task, statement, *table, false);
      if (key.empty()) {
        trace_.touched(*table, nullptr, "a write whose rows are not named by their key");
        break;
      }
      for (const FollowedColumn& column : table->columns)
        ops.push_back({Act::kWrite, table, key, &column, {Value::Kind::kAbsent}});
      break;
    }
    default:
      insert(task, statement, *table, answer, ops);
  }
  // A warning may say that a value was cut or changed to what the column can hold.
  if (answer.warnings > 0) {
    for (ValueOp& op : ops) {
      if (op.value.kind != Value::Kind::kAbsent) op = {Act::kWrite, op.table, op.key, op.column, {}};
    }
  }
  trace_.judged();
  return ops;
}

}  // namespace isolde::proxy::values
