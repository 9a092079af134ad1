// Numbers, strings and quoted names: where they begin and end.
#include "audit/sql/scan.h"
#include "audit/sql/scan_chars.h"

namespace isolde::audit {

using chars::in_word;
using chars::is;
using chars::kDigit;
using chars::kHex;
using chars::kSpace;
using chars::kWordStart;
using chars::same_upper_word;
using chars::short_size;

// At a digit: 0x1F and 0b101 too.
void Scanner::scan_digits_and_radix(Scanned& token) {
  const std::size_t begin = pos_;
  const char radix = at(pos_ + 1);
  if (sql_[pos_] == '0' && (radix == 'x' || radix == 'X' || radix == 'b' || radix == 'B')) {
    const bool hex = radix == 'x' || radix == 'X';
    std::size_t i = pos_ + 2;
    while (i < sql_.size() && (hex ? is(sql_[i], kHex) : sql_[i] == '0' || sql_[i] == '1')) ++i;
    if (i > pos_ + 2 && !in_word(at(i))) {
      pos_ = i;
      return;
    }
  }
  while (is(at(pos_), kDigit)) ++pos_;
  bool only_digits = true;
  if (at(pos_) == '.') {
    only_digits = false;
    ++pos_;
    while (is(at(pos_), kDigit)) ++pos_;
  }
  const char e = at(pos_);
  if (e == 'e' || e == 'E') {
    const bool sign = at(pos_ + 1) == '+' || at(pos_ + 1) == '-';
    if (is(at(pos_ + (sign ? 2 : 1)), kDigit)) {
      if (sign) only_digits = false;
      pos_ += sign ? 2 : 1;
      while (is(at(pos_), kDigit)) ++pos_;
    }
  }
  if (only_digits && pos_ > begin && in_word(at(pos_))) {
    token.kind = TokenKind::kWord;
    scan_word();
  }
}

void Scanner::scan_number_or_word(Scanned& token) {
  token.kind = TokenKind::kNumber;
  const bool after_dot = any_ && last_.kind == TokenKind::kSymbol && last_.end == pos_ && sql_[last_.begin] == '.' &&
                         last_.end - last_.begin == 1;
  if (after_dot) {
    token.kind = TokenKind::kWord;
    scan_word();
    return;
  }
  scan_digits_and_radix(token);
}

// From the opening quote to behind the closing one.
void Scanner::scan_quoted(Scanned& token, std::size_t quote_at, Escapes escapes) {
  const char quote = sql_[quote_at];
  const bool backslash = escapes == Escapes::kBackslash;
  token.escapes = escapes;
  std::size_t i = quote_at + 1;
  token.inner_begin = short_size(i);
  for (; i < sql_.size(); ++i) {
    const char c = sql_[i];
    if (c == quote) {
      if (at(i + 1) != quote || i + 1 >= sql_.size()) break;
      token.plain = false;
      ++i;
    } else if (c == '\\' && backslash) {
      token.plain = false;
      ++i;
    }
  }
  i = i < sql_.size() ? i : sql_.size();
  token.inner_end = short_size(i);
  pos_ = i < sql_.size() ? i + 1 : i;
}

void Scanner::scan_string(Scanned& token, std::size_t quote_at, Escapes escapes) {
  token.kind = TokenKind::kString;
  scan_quoted(token, quote_at, escapes);
  if (escapes == Escapes::kUnicode) token.plain = false;
  if (dialect_ == SqlDialect::kSqlite) return;
  // 'a' 'b' is 'ab'; PostgreSQL wants a new line between them.
  const Scanned first = token;
  bool several = false;
  for (;;) {
    std::size_t i = pos_;
    bool new_line = false;
    while (i < sql_.size() && is(sql_[i], kSpace)) new_line |= sql_[i++] == '\n';
    const bool mysql = dialect_ == SqlDialect::kMysql;
    const bool continues = mysql ? at(i) == '\'' || at(i) == '"' : new_line && at(i) == '\'';
    if (!continues) break;
    several = true;
    scan_quoted(token, i, escapes);
  }
  if (several) {
    token.inner_begin = first.inner_begin;
    token.plain = false;
  }
}

void Scanner::scan_bracketed(Scanned& token) {
  token.kind = TokenKind::kQuotedName;
  const std::size_t end = sql_.find(']', pos_);
  token.inner_begin = short_size(pos_ + 1);
  token.inner_end = short_size(end == std::string_view::npos ? sql_.size() : end);
  pos_ = end == std::string_view::npos ? sql_.size() : end + 1;
}

// U&'d!0061t' UESCAPE '!'
void Scanner::scan_unicode_escape_clause(Scanned& token) {
  std::size_t i = pos_;
  while (is(at(i), kSpace)) ++i;
  if (!same_upper_word(sql_.substr(i, 7), "UESCAPE")) return;
  i += 7;
  while (is(at(i), kSpace)) ++i;
  if (at(i) != '\'' || at(i + 2) != '\'') return;
  token.escape_char = at(i + 1);
  pos_ = i + 3;
}

// E'…', N'…', X'…', B'…', U&'…', U&"…"
bool Scanner::scan_prefixed_string(Scanned& token) {
  const char c = static_cast<char>(sql_[pos_] | 0x20);
  const char after = at(pos_ + 1);
  if (after == '&' && c == 'u' && dialect_ == SqlDialect::kPostgres) {
    const char quote = at(pos_ + 2);
    if (quote != '\'' && quote != '"') return false;
    if (quote == '\'') {
      scan_string(token, pos_ + 2, Escapes::kUnicode);
    } else {
      token.kind = TokenKind::kQuotedName;
      scan_quoted(token, pos_ + 2, Escapes::kUnicode);
      token.plain = false;
    }
    scan_unicode_escape_clause(token);
    return true;
  }
  if (after != '\'') return false;
  if (c == 'x' || (c == 'b' && dialect_ != SqlDialect::kSqlite)) {
    scan_quoted(token, pos_ + 1, Escapes::kDoubledQuote);
    token.kind = TokenKind::kNumber;
    return true;
  }
  if (c == 'e' && dialect_ == SqlDialect::kPostgres) {
    scan_string(token, pos_ + 1, Escapes::kBackslash);
    return true;
  }
  if (c == 'n' && dialect_ != SqlDialect::kSqlite) {
    scan_string(token, pos_ + 1, dialect_ == SqlDialect::kMysql ? Escapes::kBackslash : Escapes::kDoubledQuote);
    return true;
  }
  return false;
}

// $1, $tag$…$tag$, SQLite's $name.
bool Scanner::scan_dollar(Scanned& token) {
  std::size_t i = pos_ + 1;
  if (is(at(i), kDigit)) {
    while (is(at(i), kDigit)) ++i;
    token.kind = TokenKind::kParameter;
    pos_ = i;
    return true;
  }
  while (i < sql_.size() && is(sql_[i], kWordStart | kDigit)) ++i;
  if (dialect_ == SqlDialect::kPostgres) {
    if (at(i) != '$') return false;
    const std::string_view tag = sql_.substr(pos_, i + 1 - pos_);
    const std::size_t end = sql_.find(tag, i + 1);
    token.kind = TokenKind::kString;
    token.inner_begin = short_size(i + 1);
    token.inner_end = short_size(end == std::string_view::npos ? sql_.size() : end);
    pos_ = end == std::string_view::npos ? sql_.size() : end + tag.size();
    return true;
  }
  if (i == pos_ + 1) return false;
  token.kind = TokenKind::kParameter;
  pos_ = i;
  return true;
}

bool is_number(std::string_view text, SqlDialect dialect) {
  if (text.empty() || !(is(text[0], kDigit) || text[0] == '.' || text.back() == '\'')) return false;
  Scanner scanner(text, dialect);
  Scanned token;
  return scanner.next(token) && token.kind == TokenKind::kNumber && token.begin == 0 && token.end == text.size();
}

}  // namespace isolde::audit
