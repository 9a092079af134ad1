#include "audit/sql/scan.h"

#include <cstring>
#include <limits>

#include "audit/sql/scan_chars.h"

namespace isolde::audit {

using chars::in_word;
using chars::is;
using chars::kDigit;
using chars::kOperator;
using chars::kSpace;
using chars::kWordStart;
using chars::same_upper_word;
using chars::short_size;

namespace {

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
    if (same_upper_word(before, word)) return true;
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

}  // namespace isolde::audit
