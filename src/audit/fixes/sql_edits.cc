#include "audit/fixes/sql_edits.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "audit/sql/shape.h"
#include "base/ascii.h"

namespace isolde::audit {
namespace {

bool is_named(const Token& token, std::string_view name) {
  return is_name(token) && same_ignoring_case(token.text, name);
}

std::string_view without_final_semicolon(std::string_view sql) {
  const std::size_t end = sql.find_last_not_of(" \t\r\n;");
  return end == std::string_view::npos ? std::string_view() : sql.substr(0, end + 1);
}

bool any_word(const std::vector<Token>& tokens, std::span<const std::string_view> words) {
  return std::ranges::any_of(tokens, [&](const Token& token) {
    return std::ranges::any_of(words, [&](std::string_view word) { return is_word(token, word); });
  });
}

bool has_aggregate(const std::vector<Token>& tokens) {
  static constexpr std::array<std::string_view, 9> kAggregates{"count",      "sum",       "min",      "max",    "avg",
                                                               "string_agg", "array_agg", "json_agg", "bool_or"};
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (!is_symbol(tokens[i + 1], "(")) continue;
    if (std::ranges::any_of(kAggregates, [&](std::string_view name) { return is_word(tokens[i], name); })) return true;
  }
  return false;
}

// The place in the text right behind the token before `next`, blanks left out.
std::size_t end_before(std::string_view sql, const std::vector<Token>& tokens, std::size_t next) {
  const std::size_t limit = next < tokens.size() ? tokens[next].offset : sql.size();
  return without_final_semicolon(sql.substr(0, limit)).size();
}

}  // namespace

std::optional<std::string> with_for_update(std::string_view select, SqlDialect dialect) {
  const std::string_view sql = without_final_semicolon(select);
  Lexer lexer(dialect);
  const std::vector<Token>& tokens = lexer.tokens(sql);
  if (dialect == SqlDialect::kSqlite || tokens.empty() || !is_word(tokens[0], "select")) return std::nullopt;
  static constexpr std::array<std::string_view, 3> kSets{"union", "intersect", "except"};
  static constexpr std::array<std::string_view, 4> kGroups{"distinct", "group", "having", "window"};
  if (any_word(tokens, kSets)) return std::nullopt;
  if (dialect == SqlDialect::kPostgres && (any_word(tokens, kGroups) || has_aggregate(tokens))) return std::nullopt;
  // A weaker lock at the end gives way.
  const std::size_t n = tokens.size();
  std::size_t end = n;
  if (n >= 2 && is_word(tokens[n - 2], "for")) {
    if (is_word(tokens[n - 1], "update")) return std::nullopt;
    if (is_word(tokens[n - 1], "share")) end = n - 2;
  }
  if (n >= 4 && is_word(tokens[n - 4], "lock") && is_word(tokens[n - 1], "mode")) end = n - 4;
  return fmt::format("{} FOR UPDATE", sql.substr(0, end_before(sql, tokens, end)));
}

std::optional<std::string> with_condition(std::string_view update, std::string_view column, SqlDialect dialect) {
  const std::string_view sql = without_final_semicolon(update);
  Lexer lexer(dialect);
  const std::vector<Token>& tokens = lexer.tokens(sql);
  if (tokens.empty() || !is_word(tokens[0], "update")) return std::nullopt;
  int depth = 0;
  bool in_where = false, has_or = false;
  std::size_t first = 0, end = tokens.size();
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (is_symbol(tokens[i], "(")) ++depth;
    if (is_symbol(tokens[i], ")")) --depth;
    if (depth != 0) continue;
    if (is_word(tokens[i], "where")) {
      in_where = true;
      first = i + 1;
    } else if (in_where &&
               (is_word(tokens[i], "order") || is_word(tokens[i], "limit") || is_word(tokens[i], "returning"))) {
      end = i;
      break;
    }
    has_or = has_or || (in_where && is_word(tokens[i], "or"));
  }
  if (!in_where || first >= end) return std::nullopt;
  const std::size_t stop = end_before(sql, tokens, end);
  const std::size_t start = tokens[first].offset;
  const std::string_view condition = sql.substr(start, stop - start);
  return fmt::format("{}{}{}{} AND {} = ?{}", sql.substr(0, start), has_or ? "(" : "", condition, has_or ? ")" : "",
                     column, sql.substr(stop));
}

std::optional<std::string> with_relative_value(std::string_view update, std::string_view column, SqlDialect dialect) {
  const std::string_view sql = without_final_semicolon(update);
  Lexer lexer(dialect);
  const std::vector<Token>& tokens = lexer.tokens(sql);
  if (tokens.empty() || !is_word(tokens[0], "update")) return std::nullopt;
  bool in_set = false;
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (is_word(tokens[i], "where")) return std::nullopt;
    in_set = in_set || is_word(tokens[i], "set");
    if (!in_set || !is_named(tokens[i], column) || !is_symbol(tokens[i + 1], "=")) continue;
    std::size_t value = i + 2;
    if (is_symbol(tokens[value], "-") && value + 1 < tokens.size()) ++value;
    const Token& literal = tokens[value];
    const bool number = literal.kind == TokenKind::kNumber ||
                        (literal.kind == TokenKind::kString && !literal.text.empty() &&
                         literal.text.find_first_not_of("0123456789.-") == std::string_view::npos);
    if (!number) return std::nullopt;
    // Only if the value is all that stands there.
    if (value + 1 < tokens.size() && !is_symbol(tokens[value + 1], ",") && !is_word(tokens[value + 1], "where")) {
      return std::nullopt;
    }
    return fmt::format("{}{} + ?{}", sql.substr(0, tokens[i + 2].offset), column,
                       sql.substr(end_before(sql, tokens, value + 1)));
  }
  return std::nullopt;
}

}  // namespace isolde::audit
