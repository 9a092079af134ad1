#include "audit/trace/recording_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "audit/trace/sql_scan.h"

namespace isolde::audit {
namespace {

// Words that PostgreSQL does not take as a name.
constexpr std::string_view kReserved[] = {
    "all",      "analyse",  "analyze", "and",       "any",        "array",      "as",        "asc",       "both",
    "case",     "cast",     "check",   "collate",   "column",     "constraint", "create",    "default",   "deferrable",
    "desc",     "distinct", "do",      "else",      "end",        "except",     "false",     "fetch",     "for",
    "foreign",  "from",     "grant",   "group",     "having",     "in",         "initially", "intersect", "into",
    "lateral",  "leading",  "limit",   "localtime", "not",        "null",       "offset",    "on",        "only",
    "or",       "order",    "placing", "primary",   "references", "returning",  "select",    "some",      "symmetric",
    "table",    "then",     "to",      "trailing",  "true",       "union",      "unique",    "user",      "using",
    "variadic", "when",     "where",   "window",    "with"};

constexpr std::string_view kPlainTable = "kv";
constexpr std::string_view kPlainColumn = "value";

std::string in_quotes(std::string_view text, char quote) {
  std::string out(1, quote);
  for (const char c : text) {
    out.push_back(c);
    if (c == quote) out.push_back(c);
  }
  out.push_back(quote);
  return out;
}

bool is_integer_text(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  if (text.empty() || text.size() > 18 || (text.size() > 1 && text.front() == '0')) return false;
  return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

using ColumnKind = RecordedTable::Type;

ColumnKind column_type_of(ValueType type) {
  switch (type) {
    case ValueType::kNull:
      return ColumnKind::kUnknown;
    case ValueType::kInteger:
      return ColumnKind::kInteger;
    case ValueType::kReal:
    case ValueType::kNumberText:
      return ColumnKind::kReal;
    case ValueType::kBoolean:
      return ColumnKind::kBoolean;
    default:
      return ColumnKind::kText;
  }
}

// A type that both fit into.
ColumnKind wider(ColumnKind a, ColumnKind b) {
  if (a == b || b == ColumnKind::kUnknown) return a;
  if (a == ColumnKind::kUnknown) return b;
  const bool numbers =
      a != ColumnKind::kBoolean && b != ColumnKind::kBoolean && a != ColumnKind::kText && b != ColumnKind::kText;
  return numbers ? ColumnKind::kReal : ColumnKind::kText;
}

std::string_view type_name(ColumnKind type) {
  switch (type) {
    case ColumnKind::kReal:
      return "double precision";
    case ColumnKind::kBoolean:
      return "boolean";
    case ColumnKind::kText:
      return "text";
    default:
      return "bigint";
  }
}

// The parts of a key that names a row: `district/1/3`. Its table is empty for any other.
struct KeyParts {
  std::string_view table;
  std::vector<std::string_view> parts;
};

KeyParts parts_of(std::string_view key) {
  KeyParts found;
  const std::size_t slash = key.find('/');
  const std::string_view table = key.substr(0, std::min(slash, key.size()));
  const bool is_name = !table.empty() && std::ranges::all_of(table, is_word_char) && (table[0] < '0' || table[0] > '9');
  if (slash == std::string_view::npos || !is_name) return {{}, {key}};
  found.table = table;
  for (std::size_t at = slash + 1; at <= key.size();) {
    const std::size_t end = std::min(key.find('/', at), key.size());
    found.parts.push_back(key.substr(at, end - at));
    at = end + 1;
  }
  return found;
}

}  // namespace

std::string sql_name(std::string_view name) {
  const bool plain = !name.empty() && (name[0] < '0' || name[0] > '9') && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
  if (plain && !std::ranges::binary_search(kReserved, name)) return std::string(name);
  return in_quotes(name, '"');
}

std::string sql_literal(const ValueTable& values, ValueId value) {
  switch (values.type(value)) {
    case ValueType::kNull:
      return "NULL";
    case ValueType::kInteger:
    case ValueType::kReal:
    case ValueType::kNumberText:
      return values.json(value);
    case ValueType::kBoolean:
      return values.boolean(value) ? "TRUE" : "FALSE";
    case ValueType::kString:
      return in_quotes(values.string(value), '\'');
    default:
      return in_quotes(values.json(value), '\'');
  }
}

RecordedTables::RecordedTables(const History& history) : history_(history) {
  table_of_.reserve(history.key_count());
  for (std::uint32_t k = 0; k < history.key_count(); ++k) {
    add_key(KeyId{k});
    add_value(KeyId{k}, history.initial(KeyId{k}));
  }
  for (std::uint32_t op = 0; op < history.op_count(); ++op) {
    const OpHead head = history.op(op);
    if (!is_predicate(head.kind())) {
      add_value(head.key(), history.op_value(op));
      continue;
    }
    const Predicate& predicate = history.predicate(head.predicate());
    for (const Item& item : history.items(predicate)) add_value(item.key, item.value);
    for (const Item& item : history.vset(predicate)) add_value(item.key, item.value);
  }
  for (RecordedTable& table : tables_) {
    if (table.columns.empty()) table.columns.push_back({std::string(kPlainColumn)});
  }
}

std::uint32_t RecordedTables::table_named(std::string_view name) {
  const auto [it, is_new] = by_name_.try_emplace(std::string(name), static_cast<std::uint32_t>(tables_.size()));
  if (is_new) {
    tables_.push_back({sql_name(name), {}, {}});
    column_of_.emplace_back();
  }
  return it->second;
}

void RecordedTables::add_key(KeyId key) {
  const std::string text = history_.key_text(key);
  const KeyParts found = parts_of(text);
  const std::uint32_t at = table_named(found.table.empty() ? kPlainTable : found.table);
  table_of_.push_back(at);
  RecordedTable& table = tables_[at];
  while (table.keys.size() < found.parts.size()) table.keys.push_back({});
  for (std::size_t i = 0; i < table.keys.size(); ++i) {
    table.keys[i].name = table.keys.size() == 1 ? "key" : fmt::format("key{}", i + 1);
    if (i >= found.parts.size()) continue;
    table.keys[i].type =
        wider(table.keys[i].type, is_integer_text(found.parts[i]) ? ColumnKind::kInteger : ColumnKind::kText);
  }
}

void RecordedTables::add_value(KeyId key, ValueId value) {
  const ValueTable& values = history_.values();
  const ValueType type = values.type(value);
  if (type == ValueType::kNull) return;
  RecordedTable& table = tables_[table_of(key)];
  auto& columns = column_of_[table_of(key)];
  const auto add = [&](std::uint32_t id, std::string_view name, ValueType of) {
    const auto [it, is_new] = columns.try_emplace(id, static_cast<std::uint32_t>(table.columns.size()));
    if (is_new) table.columns.push_back({sql_name(name)});
    table.columns[it->second].type = wider(table.columns[it->second].type, column_type_of(of));
  };
  if (type != ValueType::kRow) return add(kNone32, kPlainColumn, type);
  for (const RowField& field : values.row(value))
    add(raw(field.name), values.string(field.name), values.type(field.value));
}

std::uint32_t RecordedTables::table_of(const Predicate& predicate) const {
  if (const auto items = history_.items(predicate); !items.empty()) return table_of(items.front().key);
  if (const auto vset = history_.vset(predicate); !vset.empty()) return table_of(vset.front().key);
  return tables_.size() == 1 ? 0 : kNone32;
}

std::vector<std::string> RecordedTables::key_literals(KeyId key) const {
  const std::string text = history_.key_text(key);
  std::vector<std::string> literals;
  for (const std::string_view part : parts_of(text).parts)
    literals.push_back(is_integer_text(part) ? std::string(part) : in_quotes(part, '\''));
  return literals;
}

std::string RecordedTables::where(KeyId key) const {
  const RecordedTable& table = tables_[table_of(key)];
  std::string out;
  const std::vector<std::string> literals = key_literals(key);
  for (std::size_t i = 0; i < literals.size(); ++i)
    out += fmt::format("{}{} = {}", i == 0 ? "" : " AND ", table.keys[i].name, literals[i]);
  return out;
}

std::string RecordedTables::create_text(const RecordedTable& table) const {
  std::string out = fmt::format("CREATE TABLE {} (", table.name);
  std::string keys;
  for (const auto& column : table.keys) {
    out += fmt::format("{} {}, ", column.name, type_name(column.type));
    keys += fmt::format("{}{}", keys.empty() ? "" : ", ", column.name);
  }
  for (const auto& column : table.columns) out += fmt::format("{} {}, ", column.name, type_name(column.type));
  return out + fmt::format("PRIMARY KEY ({}))", keys);
}

}  // namespace isolde::audit
