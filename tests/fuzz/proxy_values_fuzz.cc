// Any bytes as a text of SQL, as columns, rows and parameters in MySQL's protocol: nothing is read beyond its end, and
// what is said of a statement is of its own text.
#include "proxy/values/rows.h"
#include "proxy/values/statement.h"
#include "tests/fuzz/format_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace isolde::proxy::values;
  using isolde::fuzz::require;
  if (size < 2) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 2, size - 2);
  const std::size_t count = data[1] % 20;
  std::vector<FieldSeen> fields;
  switch (data[0] % 4) {
    case 0: {
      StatementReader reader;
      for (const Statement& statement : reader.read(text)) {
        require(!statement.by_where || !statement.table.empty(), "a WHERE clause of no table");
        require(statement.doing != Doing::kUpdate || statement.by_where, "an UPDATE of all rows");
        require(statement.names.size() <= text.size(), "more names than text");
      }
      break;
    }
    case 1:
      if (const auto column = column_seen(text, data[1] % 2 == 0))
        require(column->column.size() <= text.size(), "a name that is longer than its packet");
      require(!text_row(text, count, fields) || fields.size() == count, "a row with other columns");
      break;
    case 2: {
      std::vector<ColumnSeen> columns(count);
      for (std::size_t i = 0; i < count; ++i) columns[i].type = static_cast<std::uint8_t>(i * 13 + data[1]);
      require(!binary_row(text, columns, fields) || fields.size() == count, "a row with other columns");
      break;
    }
    default: {
      std::vector<std::uint16_t> types;
      require(!parameters_seen(text, count, types, {}, fields) || fields.size() == count, "other parameters");
    }
  }
  for (const FieldSeen& field : fields) {
    for (const ColumnKind kind : {ColumnKind::kInteger, ColumnKind::kText}) {
      const Value value = field_value(field, kind, data[1] % 2 == 0);
      if (value.kind != Value::Kind::kUnknown) static_cast<void>(value_json(value, data[1]));
    }
  }
  return 0;
}
