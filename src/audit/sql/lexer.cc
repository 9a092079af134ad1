#include "audit/sql/scan.h"
#include "audit/sql/shape.h"

namespace isolde::audit {

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
