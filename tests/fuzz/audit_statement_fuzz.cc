// Any text as a statement of any dialect: no fault, the same meaning twice, and what every meaning holds to. The first
// byte chooses the dialect; then come statements with a line of "--" between them, which teach one schema.
#include <cstdio>
#include <cstdlib>

#include "audit/sql/statement.h"
#include "tests/support/statement_text.h"

namespace isolde::audit {
namespace {

void require(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what.c_str());
  std::abort();
}

void check(std::string_view text, SqlDialect dialect) {
  static const Schema kSchema = testing::small_schema("a(id*, x) b(id*, y!, a > a.id) c(p*, q*, z?)");
  ShapeTable shapes(dialect);
  std::vector<LiteralId> literals;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find("\n--\n"), text.size());
    (void)shapes.intern(text.substr(0, end), literals);
    text.remove_prefix(std::min(end + 4, text.size()));
  }
  Schema schema = kSchema;
  learn_schema(shapes, schema);
  for (std::uint32_t i = 0; i < shapes.size(); ++i) {
    const Statement statement = understand(shapes.example(ShapeId(i)), dialect, schema);
    require(testing::fault_of(statement, schema).empty(), testing::fault_of(statement, schema));
    const Statement again = understand(shapes.example(ShapeId(i)), dialect, schema);
    require(testing::text_of(statement, schema) == testing::text_of(again, schema), "two meanings");
    for (const RowSet& rows : statement.row_sets) {
      for (const RowKey& key : rows.keys) {
        require(key.literal < shapes.literal_count(ShapeId(i)), "a key that is no literal of the shape");
      }
    }
  }
}

}  // namespace
}  // namespace isolde::audit

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto dialect = static_cast<isolde::audit::SqlDialect>(data[0] % 3);
  isolde::audit::check({reinterpret_cast<const char*>(data) + 1, size - 1}, dialect);
  return 0;
}
