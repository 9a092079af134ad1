// Functions and casts with a grammar of their own. Where it is cheap the result also runs on PostgreSQL.
#include <fmt/format.h>

#include <unordered_map>

#include "audit/sql/postgres_words.h"
#include "audit/sql/rewrite.h"

namespace isolde::audit {
namespace {

std::string_view type_for_cast(std::string_view word) {
  static const std::unordered_map<std::string_view, std::string_view> kTypes = {
      {"SIGNED", "bigint"},      {"UNSIGNED", "bigint"},     {"INTEGER", "bigint"},  {"INT", "bigint"},
      {"DECIMAL", "numeric"},    {"DEC", "numeric"},         {"NUMERIC", "numeric"}, {"DATE", "date"},
      {"DATETIME", "timestamp"}, {"TIMESTAMP", "timestamp"}, {"TIME", "time"},       {"BINARY", "bytea"},
      {"BLOB", "bytea"},         {"JSON", "json"},           {"DOUBLE", "float8"},   {"FLOAT", "float8"},
      {"REAL", "float8"},        {"YEAR", "integer"},
  };
  const auto at = kTypes.find(word);
  return at == kTypes.end() ? "text" : at->second;
}

// [begin, end) is a type: its kind is all that matters.
void replace_type(Draft& draft, std::size_t begin, std::size_t end) {
  if (begin >= end || begin >= draft.size()) return;
  draft.drop(begin + 1, end);
  draft.replace(begin, type_for_cast(draft[begin].word));
}

void rewrite_cast(Draft& draft, std::size_t i) {
  const std::size_t open = draft.next(i);
  if (!draft.is_symbol(open, "(")) return;
  const std::size_t close = draft.close(open);
  const std::size_t as = draft.find(draft.next(open), close, "AS");
  if (as < close) replace_type(draft, draft.next(as), close);
}

// CONVERT(x USING utf8), CONVERT(x, CHAR)
void rewrite_convert(Draft& draft, std::size_t i) {
  const std::size_t open = draft.next(i);
  if (!draft.is_symbol(open, "(")) return;
  const std::size_t close = draft.close(open);
  if (const std::size_t with = draft.find(draft.next(open), close, "USING"); with < close) {
    draft.drop(with, close);
    draft.drop(i);
    draft[open].tight = false;
    return;
  }
  const std::size_t comma = draft.find_symbol(draft.next(open), close, ",");
  if (comma >= close) return;
  draft.replace(i, "CAST");
  draft.replace(comma, "AS");
  replace_type(draft, draft.next(comma), close);
}

constexpr int kLongestInterval = 100;  // pieces, so that a text of nothing but INTERVAL stays linear

// INTERVAL 3 DAY becomes (3 * INTERVAL '1 DAY'); INTERVAL (a + 1) MINUTE, INTERVAL '1 day'
void rewrite_interval(Draft& draft, std::size_t i) {
  const std::size_t begin = draft.next(i);
  if (begin >= draft.size() || draft.is_symbol(begin, ",") || draft.is_symbol(begin, ")") ||
      draft.is_symbol(begin, ".") || draft.is_symbol(draft.prev(i), ".")) {
    return;
  }
  std::size_t unit = begin;
  for (int steps = 0; unit < draft.size() && !is_time_unit(draft[unit].word); ++steps) {
    if (steps > kLongestInterval || draft.is_symbol(unit, ",") || draft.is_symbol(unit, ")") ||
        draft.is_symbol(unit, ";") || draft.is_any(unit, "AND", "OR", "FROM", "WHERE")) {
      unit = draft.size();
      break;
    }
    unit = draft.over(unit);
  }
  if (unit >= draft.size()) {
    if (!draft.is_symbol(begin, "(") && !draft.is_literal(begin)) return;
    draft.replace(i, "\"interval\"");
    if (draft.is_symbol(begin, "(")) return;
    unit = draft.next(begin);
    draft[i].after = "(";
    draft[draft.prev(unit)].after = ")";
    return;
  }
  const std::string_view name = draft[unit].word;
  const bool known = name.find('_') == std::string_view::npos && name != "QUARTER";
  draft.drop(unit);
  draft.replace(i, known ? "(" : "\"interval\"(");
  draft[draft.prev(unit)].after = known ? draft.keep(fmt::format("* INTERVAL '1 {}')", name)) : ")";
}

// f(UNIT, a, b): the unit is no column.
void drop_unit(Draft& draft, std::size_t i) {
  const std::size_t open = draft.next(i);
  const std::size_t unit = draft.next(open);
  const std::size_t comma = draft.next(unit);
  if (draft.is_symbol(open, "(") && draft.is_symbol(comma, ",")) draft.drop(unit, comma + 1);
}

void rewrite_group_concat(Draft& draft, std::size_t i) {
  const std::size_t open = draft.next(i);
  if (!draft.is_symbol(open, "(")) return;
  const std::size_t close = draft.close(open);
  for (std::size_t at = draft.next(open); at < close; at = draft.over(at)) {
    if (!draft.is_any(at, "SEPARATOR", "LIMIT")) continue;
    draft.drop(at, close);
    return;
  }
}

// JSON_TABLE(a, '$[*]' COLUMNS (…)) AS t: the document is what is read.
void rewrite_json_table(Draft& draft, std::size_t i) {
  const std::size_t open = draft.next(i);
  if (!draft.is_symbol(open, "(")) return;
  const std::size_t close = draft.close(open);
  const std::size_t columns = draft.find(draft.next(open), close, "COLUMNS");
  if (columns < close) draft.drop(columns, close);
}

// MATCH (a, b) AGAINST ('x' IN BOOLEAN MODE) becomes MATCH(a, b, 'x')
void rewrite_match(Draft& draft, std::size_t i) {
  const std::size_t open = draft.next(i);
  if (draft.dialect == SqlDialect::kSqlite) {
    if (draft.ends_operand(draft.prev(i))) draft.replace(i, "@@");
    return;
  }
  if (!draft.is_symbol(open, "(") || draft.close(open) >= draft.size()) return;
  const std::size_t columns_end = draft.close(open);
  const std::size_t against = draft.next(columns_end);
  const std::size_t argument = draft.next(against);
  if (!draft.is(against, "AGAINST") || !draft.is_symbol(argument, "(")) return;
  const std::size_t close = draft.close(argument);
  if (close >= draft.size()) return;
  draft.replace(columns_end, ",");
  draft.drop(against, argument + 1);
  draft[open].pair = static_cast<std::uint32_t>(close);
  draft[close].pair = static_cast<std::uint32_t>(open);
  draft[columns_end].pair = draft[argument].pair = kNone32;
  for (std::size_t at = draft.next(argument); at < close; at = draft.over(at)) {
    if (draft.is_any(at, "IN", "WITH")) {
      draft.drop(at, close);
      break;
    }
  }
}

void drop_empty_call(Draft& draft, std::size_t i) {
  const std::size_t open = draft.next(i);
  if (!draft.is_symbol(open, "(")) return;
  const std::size_t inside = draft.next(open);
  if (draft.is_symbol(inside, ")")) {
    draft.drop(open, inside + 1);
  } else if (draft.is_literal(inside)) {
    draft[inside].constant = true;
  }
}

// Without parentheses it would be a column.
void add_empty_call(Draft& draft, std::size_t i) {
  if (!draft.is_symbol(draft.next(i), "(")) draft[i].after = "()";
}

void rewrite_substr(Draft& draft, std::size_t i) {
  const std::size_t open = draft.next(i);
  if (draft.is_symbol(open, "(")) draft.replace(i, "SUBSTRING");
}

// IF(a, b, c) becomes CASE WHEN a THEN b ELSE c END
void rewrite_if(Draft& draft, std::size_t i) {
  const std::size_t open = draft.next(i);
  if (!draft.is_symbol(open, "(") || draft.close(open) >= draft.size()) return;
  const std::size_t close = draft.close(open);
  const std::size_t first = draft.find_symbol(draft.next(open), close, ",");
  if (first >= close) return;
  const std::size_t second = draft.find_symbol(draft.next(first), close, ",");
  if (second >= close || draft.find_symbol(draft.next(second), close, ",") < close) return;
  draft.drop(i);
  draft.replace(open, "CASE WHEN");
  draft[draft.next(open)].tight = false;
  draft.replace(first, "THEN");
  draft.replace(second, "ELSE");
  draft.replace(close, "END");
}

// DATE_ADD(a, INTERVAL 1 DAY) becomes (a + INTERVAL 1 DAY)
void rewrite_date_sum(Draft& draft, std::size_t i, std::string_view sign) {
  const std::size_t open = draft.next(i);
  if (!draft.is_symbol(open, "(")) return;
  const std::size_t close = draft.close(open);
  const std::size_t comma = draft.find_symbol(draft.next(open), close, ",");
  if (comma >= close) return;
  draft.drop(i);
  draft[open].tight = false;
  draft.replace(comma, sign);
}

void rename_call(Draft& draft, std::size_t i, std::string_view name) {
  if (draft.is_symbol(draft.next(i), "(")) draft.replace(i, name);
}

const std::unordered_map<std::string_view, RewriteRule>& function_rules() {
  static const std::unordered_map<std::string_view, RewriteRule> kRules = {
      {"CAST", rewrite_cast},
      {"CONVERT", rewrite_convert},
      {"INTERVAL", rewrite_interval},
      {"TIMESTAMPDIFF", drop_unit},
      {"TIMESTAMPADD", drop_unit},
      {"GET_FORMAT", drop_unit},
      {"GROUP_CONCAT", rewrite_group_concat},
      {"JSON_TABLE", rewrite_json_table},
      {"MATCH", rewrite_match},
      {"NEXT",
       [](Draft& draft, std::size_t i) {
         const std::size_t value = draft.next(i), with = draft.next(value);
         if (!draft.is(value, "VALUE") || !draft.is(with, "FOR")) return;
         draft.drop(value, draft.next(with) + 1);
         draft.replace(i, "nextval()");
       }},
      {"CURRENT_TIMESTAMP", drop_empty_call},
      {"CURRENT_DATE", drop_empty_call},
      {"CURRENT_TIME", drop_empty_call},
      {"CURRENT_USER", drop_empty_call},
      {"LOCALTIME", drop_empty_call},
      {"LOCALTIMESTAMP", drop_empty_call},
      {"CHAR",
       [](Draft& draft, std::size_t i) {
         const std::size_t open = draft.next(i);
         if (!draft.is_symbol(open, "(")) return;
         const std::size_t close = draft.close(open);
         const std::size_t with = draft.find(draft.next(open), close, "USING");
         if (with < close) draft.drop(with, close);
       }},
      {"DEFAULT",
       [](Draft& draft, std::size_t i) {
         if (draft.is_symbol(draft.next(i), "(")) draft.replace(i, "\"default\"");
       }},
      {"IF", rewrite_if},
      {"DATE_ADD", [](Draft& draft, std::size_t i) { rewrite_date_sum(draft, i, "+"); }},
      {"ADDDATE", [](Draft& draft, std::size_t i) { rewrite_date_sum(draft, i, "+"); }},
      {"DATE_SUB", [](Draft& draft, std::size_t i) { rewrite_date_sum(draft, i, "-"); }},
      {"SUBDATE", [](Draft& draft, std::size_t i) { rewrite_date_sum(draft, i, "-"); }},
      {"IFNULL", [](Draft& draft, std::size_t i) { rename_call(draft, i, "COALESCE"); }},
      {"RAND", [](Draft& draft, std::size_t i) { rename_call(draft, i, "random"); }},
      {"LCASE", [](Draft& draft, std::size_t i) { rename_call(draft, i, "lower"); }},
      {"UCASE", [](Draft& draft, std::size_t i) { rename_call(draft, i, "upper"); }},
      {"LAST_INSERT_ID",
       [](Draft& draft, std::size_t i) {
         const std::size_t open = draft.next(i);
         if (draft.is_symbol(open, "(") && draft.next(open) == draft.close(open)) draft.replace(i, "lastval");
       }},
      {"CURDATE",
       [](Draft& draft, std::size_t i) {
         drop_empty_call(draft, i);
         if (!draft.is_symbol(draft.next(i), "(")) draft.replace(i, "CURRENT_DATE");
       }},
      {"CURTIME",
       [](Draft& draft, std::size_t i) {
         drop_empty_call(draft, i);
         if (!draft.is_symbol(draft.next(i), "(")) draft.replace(i, "CURRENT_TIME");
       }},
      {"UTC_TIMESTAMP", add_empty_call},
      {"UTC_DATE", add_empty_call},
      {"UTC_TIME", add_empty_call},
      {"SUBSTR", rewrite_substr},
      {"MID", rewrite_substr},
  };
  return kRules;
}

}  // namespace

bool rewrite_function(Draft& draft, std::size_t i) {
  const auto rule = function_rules().find(draft[i].word);
  if (rule == function_rules().end()) return false;
  rule->second(draft, i);
  return true;
}

}  // namespace isolde::audit
