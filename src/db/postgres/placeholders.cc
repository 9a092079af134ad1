#include "db/postgres/placeholders.h"

namespace isolde::db {
namespace {

bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// Where the quoted text that begins at `from` with `quote` ends.
std::size_t quoted_end(std::string_view sql, std::size_t from, char quote, bool backslashes) {
  for (std::size_t i = from + 1; i < sql.size(); ++i) {
    if (backslashes && sql[i] == '\\') {
      ++i;
    } else if (sql[i] == quote) {
      if (i + 1 == sql.size() || sql[i + 1] != quote) return i + 1;
      ++i;  // doubled: one quote of the text
    }
  }
  return sql.size();
}

std::size_t comment_end(std::string_view sql, std::size_t from) {
  std::size_t depth = 0;
  for (std::size_t i = from; i + 1 < sql.size(); ++i) {
    if (sql[i] == '/' && sql[i + 1] == '*') {
      ++depth;
      ++i;
    } else if (sql[i] == '*' && sql[i + 1] == '/') {
      ++i;
      if (--depth == 0) return i + 1;
    }
  }
  return sql.size();
}

// `from` is a dollar sign; it opens a quote if a name without digits in front and another dollar sign follow.
std::size_t dollar_end(std::string_view sql, std::size_t from) {
  if (from > 0 && is_name_char(sql[from - 1])) return from + 1;
  std::size_t i = from + 1;
  if (i < sql.size() && sql[i] >= '0' && sql[i] <= '9') return i;
  while (i < sql.size() && is_name_char(sql[i])) ++i;
  if (i == sql.size() || sql[i] != '$') return from + 1;
  const std::string_view tag = sql.substr(from, i + 1 - from);
  const std::size_t close = sql.find(tag, i + 1);
  return close == std::string_view::npos ? sql.size() : close + tag.size();
}

// Where what begins at `from` ends if it is to be copied as it is.
std::size_t verbatim_end(std::string_view sql, std::size_t from) {
  const char next = from + 1 < sql.size() ? sql[from + 1] : '\0';
  switch (sql[from]) {
    case '\'': {
      const bool marked =
          from > 0 && (sql[from - 1] == 'E' || sql[from - 1] == 'e') && (from == 1 || !is_name_char(sql[from - 2]));
      return quoted_end(sql, from, '\'', marked);
    }
    case '"':
      return quoted_end(sql, from, '"', false);
    case '$':
      return dollar_end(sql, from);
    case '-': {
      if (next != '-') return from + 1;
      const std::size_t line = sql.find('\n', from);
      return line == std::string_view::npos ? sql.size() : line;
    }
    case '/':
      return next == '*' ? comment_end(sql, from) : from + 1;
    default:
      return from + 1;
  }
}

}  // namespace

NumberedSql number_placeholders(std::string_view sql) {
  NumberedSql out;
  out.sql.reserve(sql.size() + 8);
  for (std::size_t i = 0; i < sql.size();) {
    if (sql[i] == '?') {
      out.sql += '$' + std::to_string(++out.parameters);
      ++i;
      continue;
    }
    const std::size_t end = verbatim_end(sql, i);
    out.sql += sql.substr(i, end - i);
    i = end;
  }
  return out;
}

}  // namespace isolde::db
