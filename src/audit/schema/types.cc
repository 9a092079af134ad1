#include "audit/schema/types.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.h"

namespace isolde::audit {
namespace {

struct TypeName {
  std::string_view name;  // the first word
  TypeKind kind;
};
constexpr TypeName kTypeNames[] = {
    {"tinyint", TypeKind::kInteger},
    {"smallint", TypeKind::kInteger},
    {"mediumint", TypeKind::kInteger},
    {"int", TypeKind::kInteger},
    {"integer", TypeKind::kInteger},
    {"bigint", TypeKind::kInteger},
    {"int1", TypeKind::kInteger},
    {"int2", TypeKind::kInteger},
    {"int3", TypeKind::kInteger},
    {"int4", TypeKind::kInteger},
    {"int8", TypeKind::kInteger},
    {"serial", TypeKind::kInteger},
    {"bigserial", TypeKind::kInteger},
    {"smallserial", TypeKind::kInteger},
    {"serial4", TypeKind::kInteger},
    {"serial8", TypeKind::kInteger},
    {"year", TypeKind::kInteger},
    {"oid", TypeKind::kInteger},
    {"decimal", TypeKind::kDecimal},
    {"numeric", TypeKind::kDecimal},
    {"dec", TypeKind::kDecimal},
    {"fixed", TypeKind::kDecimal},
    {"money", TypeKind::kDecimal},
    {"number", TypeKind::kDecimal},
    {"float", TypeKind::kFloat},
    {"double", TypeKind::kFloat},
    {"real", TypeKind::kFloat},
    {"float4", TypeKind::kFloat},
    {"float8", TypeKind::kFloat},
    {"bool", TypeKind::kBoolean},
    {"boolean", TypeKind::kBoolean},
    {"char", TypeKind::kText},
    {"character", TypeKind::kText},
    {"varchar", TypeKind::kText},
    {"bpchar", TypeKind::kText},
    {"nchar", TypeKind::kText},
    {"nvarchar", TypeKind::kText},
    {"varchar2", TypeKind::kText},
    {"text", TypeKind::kText},
    {"tinytext", TypeKind::kText},
    {"mediumtext", TypeKind::kText},
    {"longtext", TypeKind::kText},
    {"clob", TypeKind::kText},
    {"citext", TypeKind::kText},
    {"name", TypeKind::kText},
    {"enum", TypeKind::kText},
    {"set", TypeKind::kText},
    {"string", TypeKind::kText},
    {"national", TypeKind::kText},
    {"blob", TypeKind::kBytes},
    {"tinyblob", TypeKind::kBytes},
    {"mediumblob", TypeKind::kBytes},
    {"longblob", TypeKind::kBytes},
    {"bytea", TypeKind::kBytes},
    {"binary", TypeKind::kBytes},
    {"varbinary", TypeKind::kBytes},
    {"bytes", TypeKind::kBytes},
    {"date", TypeKind::kDate},
    {"time", TypeKind::kTime},
    {"timetz", TypeKind::kTime},
    {"datetime", TypeKind::kTimestamp},
    {"timestamp", TypeKind::kTimestamp},
    {"timestamptz", TypeKind::kTimestampTz},
    {"bit", TypeKind::kBits},
    {"varbit", TypeKind::kBits},
    {"uuid", TypeKind::kUuid},
    {"json", TypeKind::kJson},
    {"jsonb", TypeKind::kJson},
    {"interval", TypeKind::kOther},
    {"inet", TypeKind::kOther},
    {"cidr", TypeKind::kOther},
    {"macaddr", TypeKind::kOther},
    {"point", TypeKind::kOther},
    {"tsvector", TypeKind::kOther},
    {"xml", TypeKind::kOther},
    {"int4range", TypeKind::kOther},
    {"int8range", TypeKind::kOther},
    {"numrange", TypeKind::kOther},
    {"tsrange", TypeKind::kOther},
    {"tstzrange", TypeKind::kOther},
    {"daterange", TypeKind::kOther},
};

std::string postgres_type(const ColumnType& type, std::string_view text) {
  switch (type.kind) {
    case TypeKind::kInteger:
    case TypeKind::kBits:
      return "bigint";
    case TypeKind::kDecimal:
      return type.arguments.empty() ? "numeric" : fmt::format("numeric({})", type.arguments);
    case TypeKind::kFloat:
      return "double precision";
    case TypeKind::kBoolean:
      return "boolean";
    case TypeKind::kBytes:
      return "bytea";
    case TypeKind::kDate:
      return "date";
    case TypeKind::kTime:
      return "time";
    case TypeKind::kTimestamp:
      return "timestamp";
    case TypeKind::kTimestampTz:
      return "timestamptz";
    case TypeKind::kUuid:
      return "uuid";
    case TypeKind::kJson:
      return "jsonb";
    case TypeKind::kOther:
      return lower_case(text);
    case TypeKind::kText:
    case TypeKind::kUnknown:
      return "text";
  }
  return "text";
}

std::string mysql_type(const ColumnType& type, bool is_key) {
  switch (type.kind) {
    case TypeKind::kInteger:
      return "bigint";
    case TypeKind::kDecimal:
      return type.arguments.empty() ? "decimal(38,10)" : fmt::format("decimal({})", type.arguments);
    case TypeKind::kFloat:
      return "double";
    case TypeKind::kBoolean:
      return "tinyint(1)";
    case TypeKind::kBytes:
      return is_key ? "varbinary(191)" : "longblob";
    case TypeKind::kDate:
      return "date";
    case TypeKind::kTime:
      return "time(6)";
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampTz:
      return "datetime(6)";  // timestamp would change by itself
    case TypeKind::kBits:
      return type.arguments.empty() ? "bit(64)" : fmt::format("bit({})", type.arguments);
    case TypeKind::kText:
    case TypeKind::kUuid:
    case TypeKind::kJson:
    case TypeKind::kOther:
    case TypeKind::kUnknown:
      return is_key ? "varchar(191)" : "longtext";
  }
  return "longtext";
}

std::string sqlite_type(const ColumnType& type) {
  switch (type.kind) {
    case TypeKind::kInteger:
    case TypeKind::kBoolean:
    case TypeKind::kBits:
      return "integer";
    case TypeKind::kDecimal:
    case TypeKind::kFloat:
      return "real";
    case TypeKind::kBytes:
      return "blob";
    case TypeKind::kUnknown:
      return "";  // takes every value as it is
    default:
      return "text";
  }
}

}  // namespace

ColumnType type_of(std::string_view text) {
  const std::string all = lower_case(text);
  const std::string first = all.substr(0, std::min(all.find_first_of(" (["), all.size()));
  if (all.find("[]") != std::string::npos) return {TypeKind::kOther};
  ColumnType out;
  for (const TypeName& known : kTypeNames) {
    if (known.name == first) out.kind = known.kind;
  }
  if (all.find("with time zone") != std::string::npos && out.kind == TypeKind::kTimestamp)
    out.kind = TypeKind::kTimestampTz;
  // "national character", "character varying … for bit data" aside, arguments that matter are numbers.
  if (const std::size_t open = all.find('('); open != std::string::npos) {
    const std::size_t close = std::min(all.find(')', open), all.size());
    std::string arguments = all.substr(open + 1, close - open - 1);
    std::erase(arguments, ' ');
    const bool numbers =
        !arguments.empty() && arguments.size() <= 8 &&
        std::all_of(arguments.begin(), arguments.end(), [](char c) { return (c >= '0' && c <= '9') || c == ','; });
    if (numbers && arguments.front() != ',' && arguments.back() != ',') out.arguments = std::move(arguments);
  }
  return out;
}

std::string scratch_type(std::string_view text, const db::Dialect& dialect, bool is_key) {
  const ColumnType type = type_of(text);
  if (dialect.family == db::Family::kMysql) return mysql_type(type, is_key);
  return dialect.family == db::Family::kSqlite ? sqlite_type(type) : postgres_type(type, text);
}

}  // namespace isolde::audit
