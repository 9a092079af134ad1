// Any text as SQL of each dialect: tokens are inside of it, the example's literals give the example again, and others
// come out as they were put in.
#include <cstdio>
#include <cstdlib>

#include "audit/sql/shape.h"

namespace isolde::audit {
namespace {

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

void check(std::string_view sql, SqlDialect dialect) {
  Lexer lexer(dialect), other(dialect);
  const std::vector<Token>& tokens = lexer.tokens(sql);
  require(tokens.size() <= sql.size(), "more tokens than bytes");
  std::uint32_t before = 0;
  for (const Token& token : tokens) {
    require(token.offset >= before && token.offset < sql.size(), "a token out of place");
    before = token.offset;
  }
  ShapeTable shapes(dialect);
  std::vector<LiteralId> literals, again;
  const ShapeId shape = shapes.intern(sql, literals);
  require(shapes.intern(sql, again) == shape && again == literals, "the same text has two shapes");
  require(shapes.literal_count(shape) == literals.size(), "a wrong count of literals");
  require(shapes.text(shape, literals.data()) == sql, "its own literals give another text");

  constexpr std::string_view kValues[] = {"7", "o'x\\", "", "1.5"};
  for (std::size_t i = 0; i < literals.size(); ++i) {
    literals[i] = shapes.intern_literal(kValues[(i + sql.size()) % std::size(kValues)]);
  }
  const std::string text = shapes.text(shape, literals.data());
  const std::vector<Token>& new_tokens = other.tokens(text);
  require(new_tokens.size() == tokens.size(), "other literals give other tokens");
  std::size_t n = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool literal = tokens[i].literal != kNone32;
    require(literal == (new_tokens[i].literal != kNone32), "a literal in another place");
    require(new_tokens[i].text == (literal ? shapes.literal(literals[n]) : tokens[i].text), "another text");
    n += literal ? 1 : 0;
  }
}

}  // namespace
}  // namespace isolde::audit

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using isolde::audit::SqlDialect;
  for (const SqlDialect dialect : {SqlDialect::kPostgres, SqlDialect::kMysql, SqlDialect::kSqlite}) {
    isolde::audit::check({reinterpret_cast<const char*>(data), size}, dialect);
  }
  return 0;
}
