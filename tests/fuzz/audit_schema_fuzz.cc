// Any text as a schema: no fault; an error has its place; every key names columns of its table; and tables can be
// written for each dialect.
#include <cstdio>
#include <cstdlib>

#include "audit/schema/schema.h"
#include "db/database.h"

namespace {

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace isolde::audit;
  const auto schema = read_schema_text({reinterpret_cast<const char*>(data), size}, "s");
  if (!schema) {
    require(!schema.error().text.empty() && schema.error().line > 0 && schema.error().column > 0,
            "an error without words or place");
    return 0;
  }
  for (std::uint32_t t = 0; t < schema->tables(); ++t) {
    const Table& table = schema->table(TableId(t));
    const auto own = [&](const std::vector<ColumnId>& columns) {
      for (const ColumnId c : columns)
        require(schema->column(c).table == TableId(t), "a key of another table's column");
    };
    own(table.columns);
    own(table.primary_key);
    for (const auto& key : table.unique_keys) own(key);
    for (const ForeignKey& key : table.foreign_keys) {
      own(key.columns);
      require(key.columns.size() == key.parent_columns.size(), "a foreign key of unequal sides");
    }
  }
  for (const char* url : {"sqlite:", "postgres://localhost/x", "mariadb://localhost/x"}) {
    const auto database = isolde::db::open_database(*isolde::db::parse_url(url));
    require(create_tables(*schema, {}, (*database)->dialect()).size() <= schema->tables(),
            "more tables than there are");
  }
  return 0;
}
