// audit/trace/sql_scan.h: where a statement ends: semicolons outside of quotes, comments and bodies of triggers.
//
// In, out: text and a place in it -> the place of the next semicolon that ends a statement, and what is open there.
// Always:  can be stopped at the end of a line and go on after it. Text that is no SQL has an end too: the text's.
// Cost:    one pass, a table look-up a character, nothing is copied.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "audit/schema/ids.h"

namespace isolde::audit {

class SqlScanner {
 public:
  explicit SqlScanner(SqlDialect dialect) : dialect_(dialect) {}

  // A new statement begins.
  void start();
  // Goes on at `at`: the place of the semicolon that ends the statement, or text.size() if there is none.
  // Requires: what lies before `at` is the text of the calls since start().
  [[nodiscard]] std::size_t find_end(std::string_view text, std::size_t at);

  // Whether a quote or a comment has begun and not ended.
  [[nodiscard]] bool is_open() const { return mode_ != Mode::kPlain && mode_ != Mode::kLineComment; }
  // Whether a letter follows right after a closing quote, as no SQL has it: the quote was rather an opening one.
  [[nodiscard]] bool is_odd() const { return odd_; }

 private:
  enum class Mode : std::uint8_t { kPlain, kString, kEscapedString, kName, kLineComment, kBlockComment, kDollar };
  // How far a statement is known to be one that holds others.
  enum class Words : std::uint8_t { kFirst, kAfterCreate, kBody, kIgnored };

  [[nodiscard]] std::size_t plain(std::string_view text, std::size_t at);
  [[nodiscard]] std::size_t quoted(std::string_view text, std::size_t at);
  [[nodiscard]] std::size_t block_comment(std::string_view text, std::size_t at);
  [[nodiscard]] std::size_t open_quote(std::string_view text, std::size_t at);
  [[nodiscard]] std::size_t open_comment(std::string_view text, std::size_t at);
  [[nodiscard]] std::size_t open_dollar(std::string_view text, std::size_t at);
  void word(std::string_view word);

  SqlDialect dialect_;
  Mode mode_ = Mode::kPlain;
  Words words_ = Words::kFirst;
  char quote_ = 0;
  bool odd_ = false;
  bool after_end_ = false;
  bool at_semicolon_ = false;
  std::uint32_t word_count_ = 0;
  std::uint32_t comment_depth_ = 0;
  std::uint32_t block_depth_ = 0;  // BEGIN and CASE without their END
  std::string_view tag_;           // of a dollar quote, dollars included
};

// The statement without blanks and comments before it, and without blanks and semicolons after it.
// MySQL's /*!40101 … */ is no comment.
[[nodiscard]] std::string_view trimmed(std::string_view sql, SqlDialect dialect);
// The same, but comments of the form /* … */ stay: applications tag their statements so. Empty if there is nothing
// else.
[[nodiscard]] std::string_view tagged(std::string_view sql, SqlDialect dialect);

[[nodiscard]] constexpr bool is_word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
[[nodiscard]] constexpr bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}
// Letters A to Z only. Requires: `lower` is in lower case.
[[nodiscard]] constexpr bool same_word(std::string_view word, std::string_view lower) {
  if (word.size() != lower.size()) return false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const char c = word[i] >= 'A' && word[i] <= 'Z' ? static_cast<char>(word[i] + 32) : word[i];
    if (c != lower[i]) return false;
  }
  return true;
}
[[nodiscard]] constexpr bool is_any(std::string_view word, std::initializer_list<std::string_view> lower) {
  return std::ranges::any_of(lower, [&](std::string_view w) { return same_word(word, w); });
}
// The word that the text begins with; empty if it begins with none.
[[nodiscard]] constexpr std::string_view first_word(std::string_view text) {
  std::size_t n = 0;
  while (n < text.size() && is_word_char(text[n])) ++n;
  return text.substr(0, n);
}

}  // namespace isolde::audit
