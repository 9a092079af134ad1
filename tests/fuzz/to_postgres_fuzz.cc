// Any text as a statement of each dialect: rewriting never faults, and writes no more than a few times what it read.
#include <cstdio>
#include <cstdlib>

#include "audit/sql/to_postgres.h"

namespace isolde::audit {
namespace {

void check(std::string_view sql, SqlDialect dialect) {
  Lexer lexer(dialect);
  const std::vector<Token>& tokens = lexer.tokens(sql);
  (void)touches_no_data(tokens, dialect);
  const PostgresText text = to_postgres(tokens, dialect);
  const PostgresText with_literals = to_postgres_with_literals(tokens, dialect);
  const std::size_t most = 200 + 40 * sql.size();
  if (text.sql.size() <= most && with_literals.sql.size() <= most &&
      with_literals.sql.find('\0') == std::string::npos && text.sql.find('\0') == std::string::npos) {
    return;
  }
  std::fprintf(stderr, "too long, or a zero in it\n");
  std::abort();
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
