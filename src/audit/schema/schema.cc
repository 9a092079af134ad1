#include "audit/schema/schema.h"

#include <algorithm>

#include "base/ascii.h"

namespace isolde::audit {
namespace {

std::string column_key(TableId table, std::string_view column) {
  return std::to_string(raw(table)) + "." + lower_case(column);
}

}  // namespace

TableId Schema::add_table(std::string_view name) {
  const auto [place, is_new] = table_by_name_.try_emplace(lower_case(name), TableId(tables_.size()));
  if (is_new) tables_.push_back(Table{.name = std::string(name)});
  return place->second;
}

ColumnId Schema::add_column(TableId table, std::string_view name) {
  const auto [place, is_new] = column_by_name_.try_emplace(column_key(table, name), ColumnId(columns_.size()));
  if (is_new) {
    columns_.push_back(Column{.table = table, .name = std::string(name)});
    tables_[raw(table)].columns.push_back(place->second);
  }
  return place->second;
}

std::optional<TableId> Schema::find_table(std::string_view name) const {
  const auto place = table_by_name_.find(lower_case(name));
  if (place == table_by_name_.end()) return std::nullopt;
  return place->second;
}

std::optional<ColumnId> Schema::find_column(TableId table, std::string_view name) const {
  const auto place = column_by_name_.find(column_key(table, name));
  if (place == column_by_name_.end()) return std::nullopt;
  return place->second;
}

std::string Schema::full_name(ColumnId id) const {
  return tables_[raw(columns_[raw(id)].table)].name + "." + columns_[raw(id)].name;
}

void Schema::add_view(View view) {
  std::erase_if(views_, [&](const View& other) { return same_ignoring_case(other.name, view.name); });
  views_.push_back(std::move(view));
}

const View* Schema::find_view(std::string_view name) const {
  if (no_views_) return nullptr;
  const auto found =
      std::ranges::find_if(views_, [&](const View& view) { return same_ignoring_case(view.name, name); });
  return found == views_.end() ? nullptr : &*found;
}

}  // namespace isolde::audit
