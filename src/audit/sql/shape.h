// audit/sql/shape.h: a statement's shape: its text without literals, so that each is parsed once however often it came.
//
// In, out: SQL text -> tokens; ShapeTable gives a ShapeId and the literals, in the order that they are written.
// Always:  statements that differ only in literals, white space and comments have the same shape; a number and a string
//          in the same place make two, so that each can be written again as it was. '5' and 5 are the same LiteralId,
//          since the columns compared with them decide what they are; 5 and 5.0 are two, since texts are compared.
//          TRUE, FALSE and NULL are words. The same tokens give the same shape, whatever else was interned before.
//          Never fails: what is no SQL is a shape too, and the parser says so.
// Cost:    one pass over the text, no allocation for a shape that is known (literals that are new are kept once).
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "audit/schema/ids.h"
#include "base/hash.h"

namespace isolde::audit {

enum class TokenKind : std::uint8_t {
  kWord,        // keyword or name
  kQuotedName,  // `a`, "a" where the dialect has it: text without the quotes, doubled quotes undone
  kNumber,      // as written: 5, 1.5e3, 0x1F, x'1F', b'101'. A sign is a symbol.
  kString,      // its value: quotes taken off, escapes of the dialect undone
  kParameter,   // ?, $1, :name, @var, @@session.var
  kSymbol,      // operators and punctuation; := <=> || :: are one each
};

struct Token {
  TokenKind kind;
  std::string_view text;            // in the statement or in the lexer's own store
  std::uint32_t offset;             // in the statement
  std::uint32_t literal = kNone32;  // kNumber, kString: its place among the literals
};
// Is the token this word? Case does not count.
[[nodiscard]] bool is_word(const Token& token, std::string_view word);
[[nodiscard]] bool is_symbol(const Token& token, std::string_view symbol);
[[nodiscard]] bool is_name(const Token& token);  // kWord or kQuotedName

// Words of a statement. Comments are left out, but the text in MySQL's /*! … */ counts.
class Lexer {
 public:
  explicit Lexer(SqlDialect dialect) : dialect_(dialect) {}
  // Valid until the next call. An unclosed quote or comment ends with the text.
  [[nodiscard]] const std::vector<Token>& tokens(std::string_view sql);
  [[nodiscard]] SqlDialect dialect() const { return dialect_; }

 private:
  SqlDialect dialect_;
  std::vector<Token> tokens_;
  std::deque<std::string> store_;
};

class ShapeTable {
 public:
  explicit ShapeTable(SqlDialect dialect = SqlDialect::kPostgres);

  // Appends the literals' ids to `literals`: as many as literal_count().
  ShapeId intern(std::string_view sql, std::vector<LiteralId>& literals);

  [[nodiscard]] std::size_t size() const { return examples_.size(); }
  [[nodiscard]] SqlDialect dialect() const { return dialect_; }
  // The first statement of this shape, as it was written.
  [[nodiscard]] std::string_view example(ShapeId shape) const { return examples_[raw(shape)]; }
  [[nodiscard]] std::uint32_t literal_count(ShapeId shape) const { return literal_counts_[raw(shape)]; }
  [[nodiscard]] std::size_t literals() const { return literals_.size(); }
  // Its value: quotes taken off, escapes undone. Valid until the next intern().
  [[nodiscard]] std::string_view literal(LiteralId id) const {
    const Piece& piece = literals_[raw(id)];
    return std::string_view(chunks_[piece.chunk]).substr(piece.offset, piece.size);
  }
  // The id of a value, which is added if no statement had it.
  LiteralId intern_literal(std::string_view value);
  // The literals as SQL writes them are put in the places of the shape's: as numbers where the shape has a number and
  // the value is one, else in quotes. kNoLiteral leaves what the example has.
  [[nodiscard]] std::string text(ShapeId shape, const LiteralId* literals) const;

 private:
  struct Piece {
    std::uint32_t chunk, offset, size;
  };
  [[nodiscard]] std::size_t write_template(std::string_view sql, std::vector<LiteralId>& literals);

  SqlDialect dialect_;
  std::deque<std::string> examples_, templates_;
  std::vector<std::uint32_t> literal_counts_;
  std::vector<std::string> chunks_;  // texts of literals, one behind the other
  std::vector<Piece> literals_;
  IdIndex by_template_, by_literal_;
  std::string scratch_, value_;
};

}  // namespace isolde::audit
