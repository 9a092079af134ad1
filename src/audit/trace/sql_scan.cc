#include "audit/trace/sql_scan.h"

#include <algorithm>
#include <array>

namespace isolde::audit {
namespace {

// Characters at which plain text may turn into something else. Letters matter only while words are looked at.
enum : std::uint8_t { kDull, kLetter, kSharp };

constexpr std::array<std::uint8_t, 256> make_scan_kinds() {
  std::array<std::uint8_t, 256> kinds{};
  for (int c = 0; c < 256; ++c) {
    const char as_char = static_cast<char>(c);
    if ((as_char >= 'a' && as_char <= 'z') || (as_char >= 'A' && as_char <= 'Z') || c == '_' || c >= 0x80)
      kinds[static_cast<std::size_t>(c)] = kLetter;
  }
  for (const char c : {'\'', '"', '`', '[', '-', '#', '/', '$', ';'}) kinds[static_cast<unsigned char>(c)] = kSharp;
  return kinds;
}
constexpr std::array<std::uint8_t, 256> kScanKinds = make_scan_kinds();

std::uint8_t scan_kind(char c) { return kScanKinds[static_cast<unsigned char>(c)]; }

// Of the comment that the text begins with, 0 if with none.
std::size_t comment_length(std::string_view text, SqlDialect dialect) {
  const bool is_mysql = dialect == SqlDialect::kMysql;
  if (text.starts_with("--") || (is_mysql && text.front() == '#')) {
    if (is_mysql && text.front() == '-' && text.size() > 2 && static_cast<unsigned char>(text[2]) > ' ') return 0;
    return std::min(text.find('\n'), text.size() - 1) + 1;
  }
  if (!text.starts_with("/*") || (is_mysql && (text.starts_with("/*!") || text.starts_with("/*M!")))) return 0;
  std::size_t depth = 1;
  std::size_t at = 2;
  for (; at + 1 < text.size() && depth > 0; ++at) {
    if (text[at] == '*' && text[at + 1] == '/') {
      --depth;
      ++at;
    } else if (dialect == SqlDialect::kPostgres && text[at] == '/' && text[at + 1] == '*') {
      ++depth;
      ++at;
    }
  }
  return depth == 0 ? at : text.size();
}

}  // namespace

void SqlScanner::start() {
  mode_ = Mode::kPlain;
  words_ = Words::kFirst;
  odd_ = after_end_ = at_semicolon_ = false;
  word_count_ = comment_depth_ = block_depth_ = 0;
}

std::size_t SqlScanner::find_end(std::string_view text, std::size_t at) {
  at_semicolon_ = false;
  while (at < text.size()) {
    switch (mode_) {
      case Mode::kPlain:
        at = plain(text, at);
        if (at_semicolon_) return at;
        break;
      case Mode::kString:
      case Mode::kEscapedString:
      case Mode::kName:
        at = quoted(text, at);
        break;
      case Mode::kLineComment: {
        const std::size_t end = text.find('\n', at);
        if (end == std::string_view::npos) return text.size();
        mode_ = Mode::kPlain;
        at = end + 1;
        break;
      }
      case Mode::kBlockComment:
        at = block_comment(text, at);
        break;
      case Mode::kDollar: {
        const std::size_t end = text.find(tag_, at);
        if (end == std::string_view::npos) return text.size();
        mode_ = Mode::kPlain;
        at = end + tag_.size();
        break;
      }
    }
  }
  return text.size();
}

std::size_t SqlScanner::plain(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    const char c = text[at];
    const std::uint8_t kind = scan_kind(c);
    if (kind == kDull || (kind == kLetter && words_ == Words::kIgnored)) {
      ++at;
      continue;
    }
    if (kind == kLetter) {
      std::size_t end = at;
      while (end < text.size() && is_word_char(text[end])) ++end;
      word(text.substr(at, end - at));
      at = end;
      continue;
    }
    switch (c) {
      case ';':
        after_end_ = false;
        if (block_depth_ == 0) {
          at_semicolon_ = true;
          return at;
        }
        ++at;
        continue;
      case '-':
      case '#':
      case '/':
        at = open_comment(text, at);
        break;
      case '$':
        at = open_dollar(text, at);
        break;
      default:
        at = open_quote(text, at);
        break;
    }
    if (mode_ != Mode::kPlain) return at;
  }
  return at;
}

std::size_t SqlScanner::open_quote(std::string_view text, std::size_t at) {
  const char c = text[at];
  if ((c == '[' && dialect_ != SqlDialect::kSqlite) || (c == '`' && dialect_ == SqlDialect::kPostgres)) return at + 1;
  quote_ = c == '[' ? ']' : c;
  mode_ = Mode::kName;
  if (c == '\'') mode_ = Mode::kString;
  if (dialect_ == SqlDialect::kMysql && c != '`') mode_ = Mode::kEscapedString;
  if (dialect_ == SqlDialect::kPostgres && c == '\'' && at > 0 && (text[at - 1] == 'e' || text[at - 1] == 'E') &&
      (at == 1 || !is_word_char(text[at - 2])))
    mode_ = Mode::kEscapedString;
  return at + 1;
}

std::size_t SqlScanner::open_comment(std::string_view text, std::size_t at) {
  const char next = at + 1 < text.size() ? text[at + 1] : '\n';
  switch (text[at]) {
    case '#':
      if (dialect_ == SqlDialect::kMysql) mode_ = Mode::kLineComment;
      return at + 1;
    case '-':
      if (next != '-') return at + 1;
      // MySQL wants a blank after the two dashes: 5--1 is an expression there.
      if (dialect_ == SqlDialect::kMysql && at + 2 < text.size() && static_cast<unsigned char>(text[at + 2]) > ' ')
        return at + 2;
      mode_ = Mode::kLineComment;
      return at + 2;
    default:
      if (next != '*') return at + 1;
      if (dialect_ == SqlDialect::kMysql && (text.substr(at + 2, 1) == "!" || text.substr(at + 2, 2) == "M!"))
        return at + 3;
      mode_ = Mode::kBlockComment;
      comment_depth_ = 1;
      return at + 2;
  }
}

std::size_t SqlScanner::open_dollar(std::string_view text, std::size_t at) {
  if (dialect_ != SqlDialect::kPostgres || (at > 0 && is_word_char(text[at - 1]))) return at + 1;
  std::size_t end = at + 1;
  while (end < text.size() && is_word_char(text[end])) ++end;
  const bool is_tag = end < text.size() && text[end] == '$' && (text[at + 1] < '0' || text[at + 1] > '9');
  if (!is_tag) return at + 1;
  tag_ = text.substr(at, end + 1 - at);
  mode_ = Mode::kDollar;
  return end + 1;
}

std::size_t SqlScanner::quoted(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    if (mode_ == Mode::kEscapedString) {
      while (at < text.size() && text[at] != quote_ && text[at] != '\\') ++at;
      if (at < text.size() && text[at] == '\\') {
        at += 2;
        continue;
      }
    } else {
      at = std::min(text.find(quote_, at), text.size());
    }
    if (at >= text.size()) return text.size();
    if (at + 1 < text.size() && text[at + 1] == quote_ && quote_ != ']') {
      at += 2;
      continue;
    }
    if (mode_ != Mode::kName && at + 1 < text.size() && is_word_char(text[at + 1])) odd_ = true;
    mode_ = Mode::kPlain;
    return at + 1;
  }
  return text.size();
}

std::size_t SqlScanner::block_comment(std::string_view text, std::size_t at) {
  while (true) {
    at = text.find_first_of("*/", at);
    if (at == std::string_view::npos || at + 1 >= text.size()) return text.size();
    if (text[at] == '*' && text[at + 1] == '/') {
      at += 2;
      if (--comment_depth_ > 0) continue;
      mode_ = Mode::kPlain;
      return at;
    }
    const bool opens = dialect_ == SqlDialect::kPostgres && text[at] == '/' && text[at + 1] == '*';
    if (opens) ++comment_depth_;
    at += opens ? 2 : 1;
  }
}

void SqlScanner::word(std::string_view w) {
  switch (words_) {
    case Words::kFirst:
      words_ = same_word(w, "create") ? Words::kAfterCreate : Words::kIgnored;
      return;
    case Words::kAfterCreate:
      if (is_any(w, {"trigger", "procedure", "function", "event", "package"})) {
        words_ = Words::kBody;
      } else if (++word_count_ > 16 || is_any(w, {"table", "view", "index", "database", "schema", "user", "as"})) {
        words_ = Words::kIgnored;
      }
      return;
    case Words::kBody: {
      const bool closing = after_end_;  // END IF, END CASE …: the word names what ends
      after_end_ = false;
      if (is_any(w, {"begin", "case"})) {
        if (!closing) ++block_depth_;
      } else if (same_word(w, "end")) {
        if (block_depth_ > 0) --block_depth_;
        after_end_ = true;
      } else if (closing && is_any(w, {"if", "loop", "while", "repeat", "for"})) {
        ++block_depth_;  // these were not counted when they began
      }
      return;
    }
    case Words::kIgnored:
      return;
  }
}

std::string_view trimmed(std::string_view sql, SqlDialect dialect) {
  while (!sql.empty()) {
    if (is_blank(sql.front()) || sql.front() == ';') {
      sql.remove_prefix(1);
    } else if (const std::size_t comment = comment_length(sql, dialect)) {
      sql.remove_prefix(comment);
    } else {
      break;
    }
  }
  while (!sql.empty() && (is_blank(sql.back()) || sql.back() == ';')) sql.remove_suffix(1);
  return sql;
}

std::string_view tagged(std::string_view sql, SqlDialect dialect) {
  const std::string_view bare = trimmed(sql, dialect);
  if (bare.empty()) return bare;
  while (sql.data() < bare.data() && !sql.starts_with("/*"))
    sql.remove_prefix(is_blank(sql.front()) || sql.front() == ';' ? 1 : comment_length(sql, dialect));
  return {sql.data(), static_cast<std::size_t>(bare.data() + bare.size() - sql.data())};
}

}  // namespace isolde::audit
