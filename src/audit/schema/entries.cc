#include "audit/schema/entries.h"

#include <algorithm>
#include <string>

#include "base/ascii.h"

namespace isolde::audit {
namespace {

// The column of that name, compared without regard to case.
ColumnId column_called(const Schema& schema, const Table& table, const std::string& wanted) {
  const auto found = std::ranges::find_if(
      table.columns, [&](ColumnId column) { return lower_case(schema.column(column).name) == wanted; });
  return found == table.columns.end() ? kNoColumn : *found;
}

// Texts, or nobody knows: a value under any name is no amount.
bool may_hold_anything(const std::string& type) {
  const std::string lower = lower_case(type);
  const auto has = [&](const char* word) { return lower.find(word) != std::string::npos; };
  return lower.empty() || has("text") || has("char") || has("blob") || has("json");
}

}  // namespace

std::vector<EntryColumns> entry_columns(const Schema& schema) {
  std::vector<EntryColumns> out(schema.tables());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Table& table = schema.table(TableId(static_cast<std::uint32_t>(i)));
    for (const ColumnId value : table.columns) {
      const std::string name = lower_case(schema.column(value).name);
      if (!name.ends_with("value") || !may_hold_anything(schema.column(value).type)) continue;
      const std::string beginning = name.substr(0, name.size() - std::string_view("value").size());
      for (const char* ending : {"key", "name"}) {
        const ColumnId found = column_called(schema, table, beginning + ending);
        if (found != kNoColumn && out[i].name == kNoColumn) out[i] = {found, value};
      }
    }
  }
  return out;
}

}  // namespace isolde::audit
