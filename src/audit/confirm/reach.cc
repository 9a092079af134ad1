#include "audit/confirm/reach.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "audit/sql/functions.h"
#include "base/ascii.h"

namespace isolde::audit {
namespace {

// Sorted. Words of SQL that stand before a parenthesis and call nothing.
constexpr std::string_view kSyntaxBeforeBracket[] = {
    "against",   "all",         "and",       "any",     "array",    "as",       "between",   "bigint",
    "binary",    "bit",         "by",        "case",    "cast",     "char",     "character", "check",
    "conflict",  "datetime",    "decimal",   "default", "distinct", "div",      "double",    "else",
    "except",    "exists",      "filter",    "float",   "for",      "from",     "group",     "having",
    "ilike",     "in",          "index",     "insert",  "int",      "integer",  "intersect", "interval",
    "is",        "join",        "key",       "lateral", "like",     "limit",    "match",     "materialized",
    "mediumint", "nchar",       "not",       "null",    "numeric",  "of",       "offset",    "on",
    "or",        "over",        "partition", "primary", "real",     "regexp",   "returning", "rlike",
    "row",       "select",      "set",       "signed",  "smallint", "some",     "then",      "time",
    "timestamp", "timestamptz", "tinyint",   "union",   "unique",   "unsigned", "using",     "value",
    "values",    "varbinary",   "varchar",   "varying", "when",     "where",    "with",      "within",
    "xor",
};
static_assert(std::is_sorted(std::begin(kSyntaxBeforeBracket), std::end(kSyntaxBeforeBracket)));

constexpr std::string_view kTargets[] = {"into", "insert", "replace", "ignore", "delayed", "low_priority"};

template <std::size_t kSize>
bool stands_in(const std::string_view (&names)[kSize], std::string_view name) {
  return std::binary_search(std::begin(names), std::end(names), name);
}

// INSERT INTO orders (id, …: the table's columns.
bool is_table_with_columns(const Play& play, const std::vector<Token>& tokens, std::size_t i) {
  if (i == 0 || !play.schema.find_table(tokens[i].text)) return false;
  return std::any_of(std::begin(kTargets), std::end(kTargets),
                     [&](std::string_view before) { return is_word(tokens[i - 1], before); }) ||
         is_symbol(tokens[i - 1], ".");
}

}  // namespace

std::string why_not_sent(const Play& play, const Line& line) {
  if (!line.lock_key.empty()) return {};  // words of our own are sent instead
  const std::vector<Token>& tokens = *line.tokens;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!is_name(tokens[i])) continue;
    const std::string name = lower_case(tokens[i].text);
    const bool quoted = tokens[i].kind == TokenKind::kQuotedName;
    const bool owned = i > 0 && is_symbol(tokens[i - 1], ".");
    const bool is_file =
        !quoted && i > 0 && is_word(tokens[i - 1], "into") && (name == "outfile" || name == "dumpfile");
    if (is_file) return "it writes a file";
    if (i + 1 >= tokens.size() || !is_symbol(tokens[i + 1], "(")) continue;
    if (is_table_with_columns(play, tokens, i)) continue;
    if (!owned && only_computes_or_tells(name)) continue;
    if (!quoted && !owned && stands_in(kSyntaxBeforeBracket, name)) continue;
    const bool common_table = i > 0 && (is_word(tokens[i - 1], "with") || is_word(tokens[i - 1], "recursive"));
    if (common_table) continue;
    return fmt::format("it calls {}(), which is not among the functions that are run from a trace", name);
  }
  return {};
}

}  // namespace isolde::audit
