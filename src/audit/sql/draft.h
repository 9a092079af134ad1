// audit/sql/draft.h: a statement's tokens while they are rewritten: each may be dropped, renamed or given neighbours.
//
// In, out: tokens of the lexer -> text for libpg_query (Printer).
// Always:  a piece's index does not change, so rules can look around; parentheses are matched once. Texts are in the
//          tokens, in constants or in the draft's own store.
// Cost:    linear; rules jump over parentheses with close().
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "audit/sql/shape.h"

namespace isolde::audit {

struct Draft {
  struct Piece {
    TokenKind kind;
    std::string_view text;
    std::string_view word;            // a kWord in upper case, else empty
    std::uint32_t literal = kNone32;  // index among the shape's literals
    std::uint32_t pair = kNone32;     // of a parenthesis: the other one
    bool dropped = false;
    bool verbatim = false;  // the text is printed as it is
    bool constant = false;  // the literal itself is printed, not $n
    bool tight = false;     // no blank between this and what came before, as written
    bool parts = false;     // a parenthesis that only groups tables
    std::string_view before = {}, after = {};
  };

  Draft(const std::vector<Token>& tokens, SqlDialect with_dialect);

  [[nodiscard]] std::size_t size() const { return pieces.size(); }
  Piece& operator[](std::size_t i) { return pieces[i]; }
  const Piece& operator[](std::size_t i) const { return pieces[i]; }

  // Pieces that are not dropped. size() and kNowhere are the ends.
  [[nodiscard]] std::size_t next(std::size_t i) const;
  [[nodiscard]] std::size_t prev(std::size_t i) const;
  [[nodiscard]] std::size_t first() const { return size() == 0 || !pieces[0].dropped ? 0 : next(0); }
  // Behind the parenthesis that opens here; elsewhere the next piece.
  [[nodiscard]] std::size_t over(std::size_t i) const;
  // What closes the parenthesis at i, or the end of the text.
  [[nodiscard]] std::size_t close(std::size_t i) const { return pieces[i].pair == kNone32 ? size() : pieces[i].pair; }

  [[nodiscard]] bool is(std::size_t i, std::string_view upper_word) const {
    return i < size() && pieces[i].word == upper_word && !pieces[i].dropped;
  }
  [[nodiscard]] bool is_symbol(std::size_t i, std::string_view symbol) const {
    return i < size() && pieces[i].kind == TokenKind::kSymbol && pieces[i].text == symbol && !pieces[i].dropped;
  }
  template <typename... Words>
  [[nodiscard]] bool is_any(std::size_t i, Words... words) const {
    return (is(i, words) || ...);
  }
  [[nodiscard]] bool is_name(std::size_t i) const {
    return i < size() && (pieces[i].kind == TokenKind::kWord || pieces[i].kind == TokenKind::kQuotedName);
  }
  [[nodiscard]] bool is_literal(std::size_t i) const { return i < size() && pieces[i].literal != kNone32; }
  // Could a value end here: a name, a literal, a parenthesis that closes?
  [[nodiscard]] bool ends_operand(std::size_t i) const;
  // At the same depth, from i on, before `end`: this word. `end` if there is none.
  [[nodiscard]] std::size_t find(std::size_t i, std::size_t end, std::string_view upper_word) const;
  [[nodiscard]] std::size_t find_symbol(std::size_t i, std::size_t end, std::string_view symbol) const;

  void drop(std::size_t i) {
    if (i < size()) pieces[i].dropped = true;
  }
  void drop(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) drop(i);
  }
  // Printed as it is from now on.
  void replace(std::size_t i, std::string_view text) {
    pieces[i].text = text;
    pieces[i].verbatim = true;
  }
  std::string_view keep(std::string text) { return store.emplace_back(std::move(text)); }

  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

  SqlDialect dialect;
  std::vector<Piece> pieces;
  std::uint32_t literals = 0;
  std::deque<std::string> store;
  std::string upper;
};

// Writes pieces in any order, with blanks between them.
class Printer {
 public:
  Printer(const Draft& draft, bool literals_as_parameters) : draft_(draft), as_parameters_(literals_as_parameters) {}

  void text(std::string_view text);
  void range(std::size_t begin, std::size_t end);
  void piece(std::size_t i);
  std::string take() { return std::move(out_); }

 private:
  void blank(std::string_view next);
  void name(std::string_view name);
  void word(std::size_t i);
  void literal(const Draft::Piece& piece);
  void parameter(const Draft::Piece& piece);

  const Draft& draft_;
  bool as_parameters_;
  bool tight_ = false;
  std::string out_;
  std::uint32_t parameters_ = 0;
  std::unordered_map<std::string_view, std::uint32_t> named_;
};

}  // namespace isolde::audit
