#include "audit/sql/scan.h"

#include <array>
#include <cstring>
#include <limits>

namespace isolde::audit {
namespace {

enum : std::uint8_t { kSpace = 1, kDigit = 2, kWordStart = 4, kHex = 8, kOperator = 16 };

constexpr std::array<std::uint8_t, 256> kClasses = [] {
  std::array<std::uint8_t, 256> classes{};
  for (const char c : {' ', '\t', '\n', '\r', '\f', '\v'}) classes[static_cast<std::uint8_t>(c)] |= kSpace;
  for (int c = '0'; c <= '9'; ++c) classes[static_cast<std::size_t>(c)] |= kDigit | kHex;
  for (int c = 'a'; c <= 'z'; ++c) classes[static_cast<std::size_t>(c)] |= kWordStart;
  for (int c = 'A'; c <= 'Z'; ++c) classes[static_cast<std::size_t>(c)] |= kWordStart;
  for (int c = 'a'; c <= 'f'; ++c) classes[static_cast<std::size_t>(c)] |= kHex;
  for (int c = 'A'; c <= 'F'; ++c) classes[static_cast<std::size_t>(c)] |= kHex;
  for (std::size_t c = 128; c < 256; ++c) classes[c] |= kWordStart;
  classes['_'] |= kWordStart;
  for (const char c : std::string_view("+-*/<>=~!@#%^&|`?")) classes[static_cast<std::uint8_t>(c)] |= kOperator;
  return classes;
}();

bool is(char c, int classes) { return (kClasses[static_cast<std::uint8_t>(c)] & classes) != 0; }
bool in_word(char c) { return is(c, kWordStart | kDigit) || c == '$'; }

bool same_word(std::string_view text, std::string_view upper) {
  if (text.size() != upper.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((text[i] >= 'a' && text[i] <= 'z' ? text[i] - 32 : text[i]) != upper[i]) return false;
  }
  return true;
}

// How many of the characters after c belong to its symbol: <=> ->> := :: || && <> != <= >= << >> -> == => ..
std::size_t more_of_symbol(char c, char second, char third) {
  switch (c) {
    case '<':
      return second == '=' ? (third == '>' ? 2 : 1) : second == '>' || second == '<' ? 1 : 0;
    case '>':
      return second == '=' || second == '>' ? 1 : 0;
    case '-':
      return second == '>' ? (third == '>' ? 2 : 1) : 0;
    case ':':
      return second == '=' || second == ':' ? 1 : 0;
    case '=':
      return second == '=' || second == '>' ? 1 : 0;
    case '!':
      return second == '=' ? 1 : 0;
    case '|':
    case '&':
    case '.':
      return second == c ? 1 : 0;
    default:
      return 0;
  }
}

std::uint32_t short_size(std::size_t n) { return static_cast<std::uint32_t>(n); }

}  // namespace

Scanner::Scanner(std::string_view sql, SqlDialect dialect)
    : sql_(sql.substr(0, std::numeric_limits<std::uint32_t>::max() - 1)), dialect_(dialect) {}

void Scanner::skip_block_comment() {
  const bool mysql = dialect_ == SqlDialect::kMysql;
  if (mysql && (at(pos_ + 2) == '!' || (at(pos_ + 2) == 'M' && at(pos_ + 3) == '!'))) {
    pos_ += at(pos_ + 2) == '!' ? 3 : 4;
    while (is(at(pos_), kDigit)) ++pos_;
    ++executable_;
    return;
  }
  std::size_t depth = 0;
  while (pos_ < sql_.size()) {
    if (sql_[pos_] == '/' && at(pos_ + 1) == '*' && (depth == 0 || dialect_ == SqlDialect::kPostgres)) {
      ++depth;
      pos_ += 2;
    } else if (sql_[pos_] == '*' && at(pos_ + 1) == '/') {
      pos_ += 2;
      if (--depth == 0) return;
    } else {
      ++pos_;
    }
  }
}

void Scanner::skip_blank() {
  while (pos_ < sql_.size()) {
    const char c = sql_[pos_];
    if (is(c, kSpace)) {
      ++pos_;
    } else if (c == '/' && at(pos_ + 1) == '*') {
      skip_block_comment();
    } else if (c == '*' && executable_ > 0 && at(pos_ + 1) == '/') {
      pos_ += 2;
      --executable_;
    } else if ((c == '#' && dialect_ == SqlDialect::kMysql) ||
               (c == '-' && at(pos_ + 1) == '-' &&
                // MySQL reads a--1 as a minus (minus 1): its comment needs a blank after the dashes.
                (dialect_ != SqlDialect::kMysql || pos_ + 2 >= sql_.size() ||
                 static_cast<std::uint8_t>(sql_[pos_ + 2]) <= ' '))) {
      const void* end = std::memchr(sql_.data() + pos_, '\n', sql_.size() - pos_);
      pos_ = end ? static_cast<std::size_t>(static_cast<const char*>(end) - sql_.data()) + 1 : sql_.size();
    } else {
      return;
    }
  }
}

void Scanner::scan_word() {
  while (pos_ < sql_.size() && in_word(sql_[pos_])) ++pos_;
}

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
  if (!same_word(sql_.substr(i, 7), "UESCAPE")) return;
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

// PostgreSQL's jsonb has operators of question marks; a parameter is never followed by another operand.
bool Scanner::question_mark_is_an_operator() const {
  if (dialect_ != SqlDialect::kPostgres) return false;
  std::size_t i = pos_ + 1;
  if (at(i) == '|' || at(i) == '&') return true;
  while (is(at(i), kSpace)) ++i;
  const char c = at(i);
  if (is(c, kWordStart)) return at(i + 1) == '\'' || (at(i + 1) == '&' && at(i + 2) == '\'');
  return c == '\'' || c == '$' || c == '?' || is(c, kDigit) || (c == '.' && is(at(i + 1), kDigit));
}

// ?, ?1, :name, @var, @@session.var, @'var'
bool Scanner::scan_parameter(Scanned& token) {
  const char c = sql_[pos_];
  std::size_t i = pos_ + 1;
  if (c == '?') {
    if (question_mark_is_an_operator()) return false;
    while (is(at(i), kDigit)) ++i;
  } else if (c == ':') {
    if (!is(at(i), kWordStart) || brackets_ > 0) return false;
    while (i < sql_.size() && in_word(sql_[i])) ++i;
  } else {
    if (dialect_ == SqlDialect::kPostgres) return false;
    if (at(i) == '@') ++i;
    if (const char quote = at(i); dialect_ == SqlDialect::kMysql && (quote == '\'' || quote == '`' || quote == '"')) {
      const std::size_t end = sql_.find(quote, i + 1);
      i = end == std::string_view::npos ? sql_.size() : end + 1;
    } else {
      while (i < sql_.size() && (in_word(sql_[i]) || sql_[i] == '.')) ++i;
    }
    if (i == pos_ + 1) return false;
  }
  token.kind = TokenKind::kParameter;
  pos_ = i;
  return true;
}

// PostgreSQL's operators are runs of operator characters; they end before a comment, and in + or - only if a character
// that no SQL operator has is in them.
std::size_t Scanner::operator_length() const {
  std::size_t i = pos_;
  bool unusual = false;
  while (i < sql_.size() && is(sql_[i], kOperator)) {
    if (i > pos_ && ((sql_[i] == '-' && at(i + 1) == '-') || (sql_[i] == '/' && at(i + 1) == '*'))) break;
    unusual |= std::string_view("~!@#%^&|`?").find(sql_[i]) != std::string_view::npos;
    ++i;
  }
  while (!unusual && i > pos_ + 1 && (sql_[i - 1] == '+' || sql_[i - 1] == '-')) --i;
  return i - pos_;
}

void Scanner::scan_symbol() {
  const char c = sql_[pos_];
  if (c == '[') ++brackets_;
  if (c == ']' && brackets_ > 0) --brackets_;
  if (dialect_ == SqlDialect::kPostgres && is(c, kOperator)) {
    pos_ += operator_length();
    return;
  }
  pos_ += 1 + more_of_symbol(c, at(pos_ + 1), at(pos_ + 2));
}

bool Scanner::only_a_name_fits(std::size_t quote_at) const {
  std::size_t close = quote_at + 1;
  while (close < sql_.size() && sql_[close] != '"') ++close;
  if (at(close + 1) == '.') return true;
  if (!any_) return false;
  const std::string_view before = sql_.substr(last_.begin, last_.end - last_.begin);
  if (last_.kind == TokenKind::kSymbol) return before == "." && last_.end == quote_at;
  if (last_.kind != TokenKind::kWord) return false;
  for (const std::string_view word : {"FROM", "JOIN", "INTO", "UPDATE", "TABLE"}) {
    if (same_word(before, word)) return true;
  }
  return false;
}

bool Scanner::next(Scanned& token) {
  skip_blank();
  if (pos_ >= sql_.size()) return false;
  token = Scanned{};
  token.begin = short_size(pos_);
  const char c = sql_[pos_];
  const bool mysql = dialect_ == SqlDialect::kMysql;
  if (is(c, kWordStart) || (mysql && c == '$')) {
    if (!scan_prefixed_string(token)) {
      token.kind = TokenKind::kWord;
      scan_word();
    }
  } else if (is(c, kDigit)) {
    scan_number_or_word(token);
  } else if (c == '\'') {
    scan_string(token, pos_, mysql ? Escapes::kBackslash : Escapes::kDoubledQuote);
  } else if (c == '"' && mysql && !only_a_name_fits(pos_)) {
    scan_string(token, pos_, Escapes::kBackslash);
  } else if (c == '"' || (c == '`' && dialect_ != SqlDialect::kPostgres)) {
    token.kind = TokenKind::kQuotedName;
    scan_quoted(token, pos_, Escapes::kDoubledQuote);
  } else if (c == '[' && dialect_ == SqlDialect::kSqlite) {
    scan_bracketed(token);
  } else if (c == '.' && is(at(pos_ + 1), kDigit) &&
             !(any_ && last_.end == pos_ && (last_.kind == TokenKind::kWord || last_.kind == TokenKind::kQuotedName))) {
    token.kind = TokenKind::kNumber;
    scan_digits_and_radix(token);
  } else if (c == '\\' && mysql && at(pos_ + 1) == 'N' && !in_word(at(pos_ + 2))) {
    token.kind = TokenKind::kWord;  // \N is NULL
    pos_ += 2;
  } else if (!((c == '$' && scan_dollar(token)) || ((c == '?' || c == ':' || c == '@') && scan_parameter(token)))) {
    token.kind = TokenKind::kSymbol;
    scan_symbol();
  }
  token.end = short_size(pos_);
  last_ = token;
  any_ = true;
  return true;
}

bool is_number(std::string_view text, SqlDialect dialect) {
  if (text.empty() || !(is(text[0], kDigit) || text[0] == '.' || text.back() == '\'')) return false;
  Scanner scanner(text, dialect);
  Scanned token;
  return scanner.next(token) && token.kind == TokenKind::kNumber && token.begin == 0 && token.end == text.size();
}

}  // namespace isolde::audit
