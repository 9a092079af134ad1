#include "audit/schema/csv.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <utility>

#include "audit/schema/types.h"
#include "base/ascii.h"

namespace isolde::audit {
namespace {

constexpr std::string_view kExpected = "expected table,column,type,default,key";

enum CsvField : std::size_t { kTable, kColumn, kType, kDefault, kKey, kExtra, kNullable, kFields };
constexpr std::size_t kAbsent = SIZE_MAX;
using Places = std::array<std::size_t, kFields>;
constexpr Places kUsual = {0, 1, 2, 3, 4, kAbsent, kAbsent};

struct HeaderName {
  std::string_view name;
  CsvField field;
};
constexpr HeaderName kHeaderNames[] = {
    {"table", kTable},      {"table_name", kTable},
    {"column", kColumn},    {"column_name", kColumn},
    {"field", kColumn},     {"type", kType},
    {"column_type", kType}, {"data_type", kType},
    {"default", kDefault},  {"column_default", kDefault},
    {"key", kKey},          {"column_key", kKey},
    {"extra", kExtra},      {"is_nullable", kNullable},
    {"null", kNullable},    {"nullable", kNullable},
};

std::string_view trimmed_field(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

// The fields of the record that begins at `at`, which is moved to the next. `columns`: where each begins in its line.
std::vector<std::string> fields_of(std::string_view text, std::size_t& at, std::uint64_t& line,
                                   std::vector<std::uint64_t>& columns) {
  std::vector<std::string> out(1);
  std::size_t line_start = at;
  columns.assign(1, 1);
  bool quoted = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\n') {
      ++line;
      if (!quoted) break;
      line_start = at + 1;
    }
    if (quoted) {
      if (c != '"') {
        out.back() += c;
      } else if (at + 1 < text.size() && text[at + 1] == '"') {
        out.back() += text[++at];
      } else {
        quoted = false;
      }
    } else if (c == '"' && trimmed_field(out.back()).empty()) {
      quoted = true;
      out.back().clear();
    } else if (c == '\\' && at + 1 < text.size() && text[at + 1] != '\n') {
      const char next = text[++at];
      if (next != ',' && next != '"') out.back() += c;  // \N and \\N are told apart from N by what stays
      out.back() += next;
    } else if (c == ',') {
      out.emplace_back();
      columns.push_back(at + 2 - line_start);
    } else {
      out.back() += c;
    }
  }
  if (at < text.size()) ++at;
  for (std::string& field : out) field = std::string(trimmed_field(field));
  return out;
}

std::optional<Places> header(const std::vector<std::string>& fields) {
  Places places;
  places.fill(kAbsent);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::string name = lower_case(fields[i]);
    for (const HeaderName& known : kHeaderNames) {
      if (known.name == name && places[known.field] == kAbsent) places[known.field] = i;
    }
  }
  if (places[kTable] == kAbsent || places[kColumn] == kAbsent) return std::nullopt;
  return places;
}

bool is_null_field(std::string_view field) { return field == "\\N" || field == "\\\\N" || lower_case(field) == "null"; }

void add(Schema& schema, const Places& places, const std::vector<std::string>& fields) {
  const auto field = [&](CsvField which) -> std::string_view {
    return places[which] < fields.size() ? std::string_view(fields[places[which]]) : std::string_view();
  };
  const TableId table = schema.add_table(field(kTable));
  if (schema.find_column(table, field(kColumn))) return;  // said twice
  const ColumnId id = schema.add_column(table, field(kColumn));
  Column& column = schema.column(id);
  column.type = field(kType);
  // An empty field is how most programs export NULL; '' is written with its quotes.
  if (const std::string_view value = field(kDefault); !value.empty() && !is_null_field(value))
    column.default_value = value;
  column.generated_id = lower_case(field(kExtra)).find("auto_increment") != std::string::npos ||
                        (column.default_value && lower_case(*column.default_value).starts_with("nextval("));
  if (lower_case(field(kNullable)) == "no") column.nullable = false;
  const std::string key = lower_case(field(kKey));
  if (key == "pri") {
    column.nullable = false;
    schema.table(table).primary_key.push_back(id);
  } else if (key == "uni") {
    schema.table(table).unique_keys.push_back({id});
  }
}

// The lines do not say auto_increment; a single integer key without a default has no other way to be left out.
void number_keys(Schema& schema) {
  for (std::uint32_t t = 0; t < schema.tables(); ++t) {
    const Table& table = schema.table(TableId(t));
    if (table.primary_key.size() != 1) continue;
    Column& key = schema.column(table.primary_key[0]);
    if (!key.default_value && type_of(key.type).kind == TypeKind::kInteger) key.generated_id = true;
  }
}

}  // namespace

Result<Schema> read_csv_schema(std::string_view text, const std::string& file) {
  Schema schema;
  Places places = kUsual;
  std::vector<std::uint64_t> columns;
  std::uint64_t line = 1;
  bool first = true;
  for (std::size_t at = text.starts_with("\xEF\xBB\xBF") ? 3 : 0; at < text.size();) {
    const std::uint64_t here = line;
    const std::vector<std::string> fields = fields_of(text, at, line, columns);
    if (fields.size() == 1 && fields[0].empty()) continue;
    if (std::exchange(first, false)) {
      if (const auto found = header(fields)) {
        places = *found;
        continue;
      }
    }
    for (const CsvField needed : {kTable, kColumn}) {
      if (places[needed] < fields.size() && !fields[places[needed]].empty()) continue;
      const std::uint64_t column = places[needed] < columns.size() ? columns[places[needed]] : columns.back();
      return Error{fmt::format("{}: the name of the {} is missing", kExpected, needed == kTable ? "table" : "column"),
                   file, here, column};
    }
    if (places == kUsual && (fields.size() < 3 || fields.size() > 5))
      return Error{fmt::format("{}, not {} fields", kExpected, fields.size()), file, here, 1};
    if (const std::string_view key = places[kKey] < fields.size() ? std::string_view(fields[places[kKey]]) : "";
        places == kUsual && !key.empty() && key != "PRI" && key != "UNI" && key != "MUL" && !is_null_field(key))
      return Error{fmt::format("expected PRI, UNI, MUL or nothing as the key, not \"{}\"", key), file, here,
                   columns[kKey]};
    add(schema, places, fields);
  }
  number_keys(schema);
  if (schema.tables() == 0) return Error{fmt::format("{}, or CREATE TABLE statements", kExpected), file, 1, 1};
  return schema;
}

}  // namespace isolde::audit
