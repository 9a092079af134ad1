#include "audit/sql/postgres_words.h"

#include <unordered_set>

namespace isolde::audit {
namespace {

using WordSet = std::unordered_set<std::string_view>;

}  // namespace

bool is_name_elsewhere(std::string_view word) {
  static const WordSet kWords = {
      "ANALYSE",       "ANY",
      "ARRAY",         "ASYMMETRIC",
      "AUTHORIZATION", "COLLATION",
      "CONCURRENTLY",  "CURRENT_CATALOG",
      "CURRENT_ROLE",  "CURRENT_SCHEMA",
      "DEFERRABLE",    "DO",
      "END",           "FREEZE",
      "FULL",          "ILIKE",
      "INITIALLY",     "ISNULL",
      "NOTNULL",       "OFFSET",
      "ONLY",          "OVERLAPS",
      "PLACING",       "SESSION_USER",
      "SIMILAR",       "SOME",
      "SYMMETRIC",     "TABLESAMPLE",
      "USER",          "VARIADIC",
      "VERBOSE",
  };
  return kWords.contains(word);
}

bool is_type_not_function(std::string_view word) {
  static const WordSet kWords = {
      "BIGINT",    "BIT",  "BOOLEAN", "CHAR",     "CHARACTER", "DEC",       "DECIMAL", "FLOAT",
      "INOUT",     "INT",  "INTEGER", "NATIONAL", "NCHAR",     "NONE",      "NUMERIC", "OUT",
      "PRECISION", "REAL", "SETOF",   "SMALLINT", "TIME",      "TIMESTAMP", "VARCHAR",
  };
  return kWords.contains(word);
}

bool needs_as(std::string_view word) {
  static const WordSet kWords = {
      "CHAR",      "CHARACTER", "DAY", "FILTER",  "HOUR",   "MINUTE",  "MONTH", "OVER",
      "PRECISION", "SECOND",    "TO",  "VARYING", "WITHIN", "WITHOUT", "YEAR",
  };
  return kWords.contains(word);
}

bool comes_before_operand(std::string_view word) {
  static const WordSet kWords = {
      "AGAINST",   "ALL",           "AND",     "AS",     "ASC",      "BETWEEN",   "BINARY",      "BOTH",
      "BY",        "CASE",          "COLLATE", "CROSS",  "DESC",     "DISTINCT",  "DISTINCTROW", "DIV",
      "ELSE",      "ESCAPE",        "EXCEPT",  "EXISTS", "FOR",      "FROM",      "FULL",        "GLOB",
      "GROUP",     "HAVING",        "ILIKE",   "IN",     "INNER",    "INTERSECT", "INTERVAL",    "INTO",
      "IS",        "JOIN",          "LEADING", "LEFT",   "LIKE",     "LIMIT",     "MATCH",       "MOD",
      "NATURAL",   "NOT",           "OFFSET",  "ON",     "OR",       "ORDER",     "OUTER",       "PLACING",
      "REGEXP",    "RETURNING",     "RIGHT",   "RLIKE",  "SELECT",   "SEPARATOR", "SET",         "SIMILAR",
      "SOUNDS",    "STRAIGHT_JOIN", "THEN",    "TO",     "TRAILING", "UNION",     "UPDATE",      "USING",
      "VALUES",    "VALUE",         "WHEN",    "WHERE",  "XOR",      "ZONE",      "DATE",        "TIME",
      "TIMESTAMP",
  };
  return kWords.contains(word);
}

bool is_time_unit(std::string_view word) {
  static const WordSet kWords = {
      "MICROSECOND",
      "SECOND",
      "MINUTE",
      "HOUR",
      "DAY",
      "WEEK",
      "MONTH",
      "QUARTER",
      "YEAR",
      "SECOND_MICROSECOND",
      "MINUTE_MICROSECOND",
      "MINUTE_SECOND",
      "HOUR_MICROSECOND",
      "HOUR_SECOND",
      "HOUR_MINUTE",
      "DAY_MICROSECOND",
      "DAY_SECOND",
      "DAY_MINUTE",
      "DAY_HOUR",
      "YEAR_MONTH",
  };
  return kWords.contains(word);
}

bool ends_tables(std::string_view word) {
  static const WordSet kWords = {
      "WHERE", "GROUP", "HAVING", "ORDER",     "LIMIT", "UNION",     "EXCEPT", "INTERSECT", "MINUS",  "FOR",
      "LOCK",  "SET",   "WINDOW", "PROCEDURE", "INTO",  "RETURNING", "FETCH",  "OFFSET",    "VALUES", "SELECT",
  };
  return kWords.contains(word);
}

}  // namespace isolde::audit
