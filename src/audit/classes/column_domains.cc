#include "audit/classes/column_domains.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <unordered_map>

#include "base/ascii.h"

namespace isolde::audit {
namespace {

// The names that a table may have if a column is called this and means its key: post_id means post, posts, wp_posts.
std::vector<std::string> tables_meant(const std::string& column) {
  constexpr std::string_view kEnd = "_id";
  if (!column.ends_with(kEnd) || column.size() == kEnd.size()) return {};
  const std::string stem = column.substr(0, column.size() - kEnd.size());
  std::vector<std::string> names = {stem, stem + "s", stem + "es"};
  if (stem.ends_with('y')) names.push_back(stem.substr(0, stem.size() - 1) + "ies");
  return names;
}

}  // namespace

void ColumnDomains::unite(ColumnId a, ColumnId b) {
  const auto root = [&](std::uint32_t column) {
    while (domain_[column] != column) column = domain_[column] = domain_[domain_[column]];
    return column;
  };
  const std::uint32_t x = root(raw(a)), y = root(raw(b));
  domain_[std::max(x, y)] = std::min(x, y);
}

ColumnDomains::ColumnDomains(const Schema& schema) : domain_(schema.columns()) {
  std::iota(domain_.begin(), domain_.end(), 0U);
  // One-column keys, by what a column elsewhere would be called that means them.
  std::unordered_map<std::string, std::vector<ColumnId>> by_own_name, by_table;
  std::vector<bool> referring(schema.columns(), false);
  for (std::uint32_t i = 0; i < schema.tables(); ++i) {
    const Table& table = schema.table(TableId(i));
    for (const ForeignKey& key : table.foreign_keys) {
      for (std::size_t part = 0; part < key.columns.size() && part < key.parent_columns.size(); ++part) {
        unite(key.columns[part], key.parent_columns[part]);
        referring[raw(key.columns[part])] = true;
      }
    }
    if (table.primary_key.size() != 1) continue;
    const ColumnId id = table.primary_key[0];
    const std::string name = lower_case(schema.column(id).name);
    if (name != "id") by_own_name[name].push_back(id);
    std::string table_name = lower_case(table.name);
    while (true) {  // wp_posts, posts
      by_table[table_name].push_back(id);
      const std::size_t underscore = table_name.find('_');
      if (underscore == std::string::npos) break;
      table_name.erase(0, underscore + 1);
    }
  }
  for (std::uint32_t i = 0; i < schema.columns(); ++i) {
    if (referring[i]) continue;
    const std::string name = lower_case(schema.column(ColumnId(i)).name);
    std::vector<ColumnId> meant;
    if (const auto own = by_own_name.find(name); own != by_own_name.end()) meant = own->second;
    for (const std::string& table : tables_meant(name)) {
      if (!meant.empty()) break;
      if (const auto found = by_table.find(table); found != by_table.end()) meant = found->second;
    }
    if (meant.size() == 1) unite(ColumnId(i), meant[0]);
  }
  // Parents come before their children: one pass settles all.
  for (std::uint32_t i = 0; i < domain_.size(); ++i) domain_[i] = domain_[domain_[i]];
  std::vector<bool> has_key(domain_.size(), false);  // by domain
  for (std::uint32_t i = 0; i < schema.tables(); ++i) {
    const Table& table = schema.table(TableId(i));
    for (const ColumnId column : table.primary_key) has_key[of(column)] = true;
    for (const auto& key : table.unique_keys) {
      for (const ColumnId column : key) has_key[of(column)] = true;
    }
  }
  for (std::uint32_t i = 0; i < domain_.size(); ++i) names_rows_.push_back(has_key[domain_[i]]);
}

}  // namespace isolde::audit
