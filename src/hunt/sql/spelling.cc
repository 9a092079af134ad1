#include "hunt/sql/spelling.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "hunt/dialects.h"

namespace isolde::hunt::sql {
namespace {

constexpr Type kAny = Type::kNone;

// Divisors have been made NULL where they are zero; see hunt/sql/print_expression.cc.
constexpr Spelling kBinary[] = {
    {"*", Type::kDecimal, {"<0> * <1>", "<0> * <1>", "<0> * <1> / 100"}},
    {"/", Type::kDecimal, {"round(<0> / <1>, 2)", "round(<0> / <1>, 2)", "(<0> * 100 / <1>)"}},
    {"/", Type::kInteger, {"<0> / <1>", "<0> div <1>", "<0> / <1>"}},
    {"||", kAny, {"<0> || <1>", "concat({0}, {1})", "<0> || <1>"}},
    {"matches", kAny, {"<0> ~ <1>", "<0> regexp <1>", "<0> glob <1>"}},
    {"is distinct from", kAny, {"<0> is distinct from <1>", "not (<0> <=> <1>)", "<0> is not <1>"}},
    {"is not distinct from", kAny, {"<0> is not distinct from <1>", "<0> <=> <1>", "<0> is <1>"}},
};

constexpr Spelling kCalls[] = {
    {"abs", kAny, {"abs({0})", "abs({0})", "abs({0})"}},
    {"length", kAny, {"length({0})", "char_length({0})", "length({0})"}, true},
    {"lower", kAny, {"lower({0})", "lower({0})", "lower({0})"}},
    {"upper", kAny, {"upper({0})", "upper({0})", "upper({0})"}},
    {"trim", kAny, {"trim({0})", "trim({0})", "trim({0})"}},
    {"substr", kAny, {"substr({0}, {1}, {2})", "substr({0}, {1}, {2})", "substr({0}, {1}, {2})"}},
    {"replace", kAny, {"replace({0}, {1}, {2})", "replace({0}, {1}, {2})", "replace({0}, {1}, {2})"}},
    {"instr", kAny, {"strpos({0}, {1})", "instr({0}, {1})", "instr({0}, {1})"}, true},
    {"round", kAny, {"round(round({0}), 2)", "round(round({0}), 2)", "(<0> / 100 * 100)"}},
    {"add_days", kAny, {"<0> + <1>", "<0> + interval <1> day", "date({0}, <1> || ' days')"}},
    {"add_hours",
     kAny,
     {"cast(cast({0} as timestamp) + <1> * interval '1 hour' as date)", "cast({0} + interval <1> hour as date)",
      "date({0}, <1> || ' hours')"}},
    {"seconds",
     kAny,
     {"cast(extract(epoch from cast({0} as timestamp)) as bigint)", "timestampdiff(second, '2000-01-01', {0})",
      "cast(strftime('%s', {0}) as integer)"}},
    {"half",
     kAny,
     {"cast(floor(cast({0} as double precision) / 2) as bigint)", "cast(floor(cast({0} as double) / 2) as signed)",
      "cast(cast({0} as real) / 2 as integer)"}},
    {"json_text",
     kAny,
     {"(json_build_object('k', cast({0} as text)) ->> 'k')",
      "(json_unquote(json_extract(json_object('k', {0}), '$.k')) collate utf8mb4_nopad_bin)",
      "json_extract(json_object('k', {0}), '$.k')"}},
    {"float_in", kAny, {"cast({0} as double precision)", "cast({0} as double)", "cast({0} as real)"}},
    {"float_out", kAny, {"cast({0} as bigint)", "cast({0} as signed)", "cast({0} as integer)"}},
    {"json_in", kAny, {"jsonb_build_object('v', cast({0} as text))", "json_object('v', {0})", "json_object('v', {0})"}},
    {"json_out",
     kAny,
     {"({0} ->> 'v')", "(json_unquote(json_extract({0}, '$.v')) collate utf8mb4_nopad_bin)",
      "json_extract({0}, '$.v')"}},
    {"moment_in",
     kAny,
     {"cast({0} as timestamp) + interval '810 minutes'", "cast({0} as datetime) + interval 810 minute",
      "datetime({0}, '+810 minutes')"}},
    {"moment_out", kAny, {"cast({0} as date)", "cast({0} as date)", "date({0})"}},
    {"days_between",
     kAny,
     {"<0> - <1>", "datediff({0}, {1})", "cast(julianday({0}) - julianday({1}) as integer)"},
     true},
    {"year",
     kAny,
     {"cast(extract(year from {0}) as integer)", "year({0})", "cast(strftime('%Y', {0}) as integer)"},
     true},
    {"month",
     kAny,
     {"cast(extract(month from {0}) as integer)", "month({0})", "cast(strftime('%m', {0}) as integer)"},
     true},
    {"day", kAny, {"cast(extract(day from {0}) as integer)", "day({0})", "cast(strftime('%d', {0}) as integer)"}, true},
};

struct CastSpelling {
  Type from, to;
  Spelling spelling;
};
constexpr std::string_view kToText = "cast({0} as text)", kToChar = "cast({0} as char)";
constexpr CastSpelling kCasts[] = {
    {Type::kInteger,
     Type::kDecimal,
     {"", kAny, {"cast({0} as numeric(20, 2))", "cast({0} as decimal(20, 2))", "<0> * 100"}}},
    {Type::kInteger, Type::kText, {"", kAny, {kToText, kToChar, kToText}}},
    {Type::kInteger, Type::kBoolean, {"", kAny, {"<0> <> 0", "<0> <> 0", "<0> <> 0"}}},
    {Type::kDecimal, Type::kInteger, {"", kAny, {"cast({0} as bigint)", "cast({0} as signed)", "<0> / 100"}}},
    {Type::kDecimal, Type::kText, {"", kAny, {kToText, kToChar, kToText}}},
    {Type::kBoolean,
     Type::kInteger,
     {"", kAny, {"cast({0} as integer)", "cast({0} as signed)", "cast({0} as integer)"}, true}},
    {Type::kBoolean, Type::kText, {"", kAny, {kToText, kToChar, kToText}}},
    {Type::kDate, Type::kText, {"", kAny, {kToText, kToChar, kToText}}},
};

const Spelling* look_up(std::span<const Spelling> table, std::string_view name, Type operand) {
  const auto row = std::find_if(table.begin(), table.end(), [&](const Spelling& spelling) {
    return spelling.name == name && (spelling.type == kAny || spelling.type == operand);
  });
  return row == table.end() ? nullptr : &*row;
}

struct ColumnType {
  Type type;
  std::string_view by_dialect[3];
};
constexpr ColumnType kColumnTypes[] = {
    {Type::kInteger, {"bigint", "bigint", "integer"}},
    {Type::kDecimal, {"numeric(14, 2)", "decimal(14, 2)", "integer"}},
    {Type::kText, {"text collate \"C\"", "varchar(100)", "text"}},
    {Type::kBoolean, {"boolean", "boolean", "integer"}},
    {Type::kDate, {"date", "date", "text"}},
};

}  // namespace

DialectId dialect_id(std::string_view name) {
  switch (family_of(name)) {
    case Family::kMysql:
      return DialectId::kMariadb;
    case Family::kSqlite:
      return DialectId::kSqlite;
    case Family::kPostgres:
      break;
  }
  return DialectId::kPostgres;
}

std::string in_brackets(const Written& operand) {
  return operand.whole ? operand.text : fmt::format("({})", operand.text);
}

Written fill(std::string_view spelling, std::span<const Written> operands) {
  Written written;
  int depth = 0;
  for (std::size_t i = 0; i < spelling.size(); ++i) {
    const char c = spelling[i];
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == ' ' && depth == 0) written.whole = false;
    const bool place = i + 2 < spelling.size() && spelling[i + 1] >= '0' && spelling[i + 1] <= '9' &&
                       ((c == '{' && spelling[i + 2] == '}') || (c == '<' && spelling[i + 2] == '>'));
    if (!place) {
      written.text += c;
      continue;
    }
    const auto number = static_cast<std::size_t>(spelling[i + 1] - '0');
    if (number < operands.size()) written.text += c == '{' ? operands[number].text : in_brackets(operands[number]);
    i += 2;
  }
  return written;
}

const Spelling* binary_spelling(std::string_view name, Type operand) { return look_up(kBinary, name, operand); }
const Spelling* call_spelling(std::string_view name, Type operand) { return look_up(kCalls, name, operand); }

const Spelling* cast_spelling(Type from, Type to) {
  for (const CastSpelling& row : kCasts)
    if (row.from == from && row.to == to) return &row.spelling;
  return nullptr;
}

std::string_view column_type(Type type, std::string_view dialect) {
  for (const ColumnType& row : kColumnTypes)
    if (row.type == type) return row.by_dialect[static_cast<std::size_t>(dialect_id(dialect))];
  return "";
}

std::string table_options(std::string_view dialect) {
  if (dialect_id(dialect) != DialectId::kMariadb) return {};
  return translated(" engine=InnoDB default charset=utf8mb4 collate=utf8mb4_nopad_bin", "mariadb", dialect);
}

}  // namespace isolde::hunt::sql
