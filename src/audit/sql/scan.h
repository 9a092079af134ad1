// audit/sql/scan.h: one pass over SQL text, token after token, without a copy. The ground of Lexer and ShapeTable.
//
// In, out: text -> where each token stands, and on demand the value of a string or quoted name.
// Always:  never fails; each byte belongs to one token, to a comment or to white space. An unclosed quote or comment
//          ends with the text.
// Cost:    linear; value() copies only where an escape has to be undone.
// MySQL:   "…" is a string, except where only a name can stand (next to a dot; after FROM, JOIN, INTO, UPDATE, TABLE).
//          Words may begin with a digit (0_debtors).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "audit/sql/shape.h"

namespace isolde::audit {

enum class Escapes : std::uint8_t { kDoubledQuote, kBackslash, kUnicode };

struct Scanned {
  TokenKind kind = TokenKind::kSymbol;
  std::uint32_t begin = 0, end = 0;              // with quotes, prefix and neighbours ('a' 'b' is one string)
  std::uint32_t inner_begin = 0, inner_end = 0;  // strings and quoted names: between the quotes
  bool plain = true;                             // what is between the quotes is the value
  Escapes escapes = Escapes::kDoubledQuote;      // if not plain
  char escape_char = '\\';                       // kUnicode
};

class Scanner {
 public:
  Scanner(std::string_view sql, SqlDialect dialect);

  // false: the end of the text.
  bool next(Scanned& token);

  // A string's or a quoted name's value, else the text itself. In the statement or in `scratch`.
  [[nodiscard]] std::string_view value(const Scanned& token, std::string& scratch) const;

 private:
  [[nodiscard]] char at(std::size_t i) const { return i < sql_.size() ? sql_[i] : '\0'; }
  void skip_blank();
  void skip_block_comment();
  void scan_word();
  void scan_number_or_word(Scanned& token);
  void scan_digits_and_radix(Scanned& token);
  void scan_quoted(Scanned& token, std::size_t quote_at, Escapes escapes);
  void scan_string(Scanned& token, std::size_t quote_at, Escapes escapes);
  void scan_bracketed(Scanned& token);
  void scan_unicode_escape_clause(Scanned& token);
  bool scan_prefixed_string(Scanned& token);
  bool scan_dollar(Scanned& token);
  bool scan_parameter(Scanned& token);
  void scan_symbol();
  [[nodiscard]] std::size_t operator_length() const;
  [[nodiscard]] bool only_a_name_fits(std::size_t quote_at) const;
  [[nodiscard]] bool question_mark_is_an_operator() const;

  std::string_view sql_;
  SqlDialect dialect_;
  std::size_t pos_ = 0;
  std::size_t executable_ = 0;  // open /*! comments
  std::uint32_t brackets_ = 0;
  Scanned last_{};
  bool any_ = false;
};

// The value as a literal of the dialect, with quotes.
void append_quoted(std::string& out, std::string_view value, SqlDialect dialect);
// Is this, as a whole, a number of the dialect?
[[nodiscard]] bool is_number(std::string_view text, SqlDialect dialect);

}  // namespace isolde::audit
