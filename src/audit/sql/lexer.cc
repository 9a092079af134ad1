#include "audit/sql/scan.h"
#include "audit/sql/shape.h"
#include "base/ascii.h"

namespace isolde::audit {

bool is_word(const Token& token, std::string_view word) {
  return token.kind == TokenKind::kWord && same_ignoring_case(token.text, word);
}
bool is_symbol(const Token& token, std::string_view symbol) {
  return token.kind == TokenKind::kSymbol && token.text == symbol;
}
bool is_name(const Token& token) { return token.kind == TokenKind::kWord || token.kind == TokenKind::kQuotedName; }

const std::vector<Token>& Lexer::tokens(std::string_view sql) {
  tokens_.clear();
  store_.clear();
  Scanner scanner(sql, dialect_);
  Scanned scanned;
  std::string scratch;
  std::uint32_t literals = 0;
  while (scanner.next(scanned)) {
    std::string_view text = scanner.value(scanned, scratch);
    if (!scanned.plain && (scanned.kind == TokenKind::kString || scanned.kind == TokenKind::kQuotedName)) {
      text = store_.emplace_back(text);
    }
    if (scanned.kind == TokenKind::kWord && text == "\\N") text = "NULL";
    const bool literal = scanned.kind == TokenKind::kNumber || scanned.kind == TokenKind::kString;
    tokens_.push_back({scanned.kind, text, scanned.begin, literal ? literals++ : kNone32});
  }
  return tokens_;
}

}  // namespace isolde::audit
