#include "audit/trace/postgres_parameters.h"

#include <algorithm>
#include <charconv>

#include "audit/trace/sql_scan.h"

namespace isolde::audit {
namespace {

void skip_blanks(std::string_view& text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
}

bool take_word(std::string_view& text, std::string_view lower) {
  skip_blanks(text);
  if (!same_word(first_word(text), lower)) return false;
  text.remove_prefix(lower.size());
  skip_blanks(text);
  return true;
}

// Length of the quoted text that begins here, quotes included.
std::size_t quoted_length(std::string_view text) {
  const char quote = text.front();
  for (std::size_t at = 1; at < text.size(); ++at) {
    if (text[at] != quote) continue;
    if (at + 1 < text.size() && text[at + 1] == quote) {
      ++at;
    } else {
      return at + 1;
    }
  }
  return text.size();
}

// A name, in quotes or not; taken off.
bool take_name(std::string_view& text) {
  skip_blanks(text);
  const std::size_t length = text.starts_with('"') ? quoted_length(text) : first_word(text).size();
  text.remove_prefix(length);
  skip_blanks(text);
  return length > 0;
}

// What is between the parentheses that the text begins with, cut at the commas outside of others. Taken off.
std::vector<std::string_view> take_list(std::string_view& text) {
  std::vector<std::string_view> parts;
  std::size_t depth = 0;
  std::size_t begin = 1;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\'' || c == '"') {
      at += quoted_length(text.substr(at)) - 1;
    } else if (c == '(' || c == '[') {
      ++depth;
    } else if (c == ')' || c == ']' || (c == ',' && depth == 1)) {
      if (c != ',' && --depth > 0) continue;
      parts.push_back(trimmed(text.substr(begin, at - begin), SqlDialect::kPostgres));
      begin = at + 1;
      if (c == ',') continue;
      text.remove_prefix(at + 1);
      return parts;
    }
  }
  return {};
}

}  // namespace

std::vector<std::string_view> logged_parameters(std::string_view detail) {
  std::vector<std::string_view> values;
  while (true) {
    skip_blanks(detail);
    if (!detail.starts_with('$')) return values;
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(detail.data() + 1, detail.data() + detail.size(), number);
    if (error != std::errc{} || number != values.size() + 1) return values;
    detail.remove_prefix(static_cast<std::size_t>(end - detail.data()));
    if (!detail.starts_with(" = ")) return values;
    detail.remove_prefix(3);
    const std::size_t length =
        detail.starts_with('\'') ? quoted_length(detail) : std::min(detail.find(','), detail.size());
    values.push_back(detail.substr(0, length));
    detail.remove_prefix(length);
    if (!detail.starts_with(',')) return values;
    detail.remove_prefix(1);
  }
}

std::string with_parameters(std::string_view sql, const std::vector<std::string_view>& values) {
  std::string out;
  out.reserve(sql.size() + 16 * values.size());
  std::size_t copied = 0;
  const auto put = [&](std::size_t from, std::size_t to, std::string_view value) {
    out.append(sql.substr(copied, from - copied)).append(value);
    copied = to;
  };
  for (std::size_t at = 0; at < sql.size();) {
    const char c = sql[at];
    const std::string_view rest = sql.substr(at);
    if (c == '\'' && at > 0 && (sql[at - 1] | 0x20) == 'e' && (at == 1 || !is_word_char(sql[at - 2]))) {
      for (++at; at < sql.size() && sql[at] != '\''; ++at) {
        if (sql[at] == '\\') ++at;
      }
      ++at;
    } else if (c == '\'' || c == '"') {
      at += quoted_length(rest);
    } else if (rest.starts_with("--")) {
      at += std::min(rest.find('\n'), rest.size());
    } else if (rest.starts_with("/*")) {
      const std::size_t end = rest.find("*/");
      at += end == std::string_view::npos ? rest.size() : end + 2;
    } else if (c == '$' && (at == 0 || !is_word_char(sql[at - 1]))) {
      std::size_t end = at + 1;
      while (end < sql.size() && is_word_char(sql[end])) ++end;
      const std::string_view digits = sql.substr(at + 1, end - at - 1);
      std::size_t number = 0;
      const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), number);
      if (parsed.ec == std::errc{} && parsed.ptr == digits.data() + digits.size()) {
        if (number >= 1 && number <= values.size()) put(at, end, values[number - 1]);
      } else if (end < sql.size() && sql[end] == '$') {
        const std::string_view tag = sql.substr(at, end + 1 - at);
        const std::size_t close = sql.find(tag, end + 1);
        end = close == std::string_view::npos ? sql.size() : close + tag.size();
      }
      at = end;
    } else {
      ++at;
    }
  }
  out.append(sql.substr(std::min(copied, sql.size())));
  return out;
}

std::string executed_text(std::string_view execute, std::string_view prepare) {
  std::vector<std::string_view> values;
  if (!take_word(execute, "execute") || !take_name(execute)) return {};
  if (execute.starts_with('(')) values = take_list(execute);
  if (!take_word(prepare, "prepare") || !take_name(prepare)) return {};
  if (prepare.starts_with('(')) (void)take_list(prepare);
  if (!take_word(prepare, "as")) return {};
  return with_parameters(trimmed(prepare, SqlDialect::kPostgres), values);
}

}  // namespace isolde::audit
