#include "audit/sql/names.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"

namespace isolde::audit {
namespace {

constexpr std::array<std::string_view, 5> kSystemSchemas = {"information_schema", "pg_catalog", "mysql",
                                                            "performance_schema", "sys"};
constexpr std::array<std::string_view, 4> kSystemTables = {"dual", "sqlite_master", "sqlite_schema", "sqlite_sequence"};

// The part before the first underscore, with it: "ol_" of ol_i_id; empty if there is none.
std::string prefix_of(std::string_view column) {
  const std::size_t end = column.find('_');
  return end == std::string_view::npos ? std::string{} : lower_case(column.substr(0, end + 1));
}

// orders -> order, categories -> category; the same if it is no plural.
std::string singular(std::string name) {
  if (name.size() > 3 && name.ends_with("ies")) return name.substr(0, name.size() - 3) + "y";
  if (name.size() > 1 && name.ends_with("s")) return name.substr(0, name.size() - 1);
  return name;
}

// How good a guess of the primary key a column is: 0 for none.
int key_likelihood(const std::string& table, std::string_view column) {
  const std::string name = lower_case(column);
  if (name == "id") return 3;
  if (name == table + "_id" || name == table + "id") return 2;
  const std::string one = singular(table);
  return name == one + "_id" || name == one + "id" ? 2 : 0;
}

}  // namespace

bool is_system_table(std::string_view schema_name, std::string_view table) {
  const std::string schema = lower_case(schema_name);
  if (!schema.empty()) return std::ranges::find(kSystemSchemas, schema) != kSystemSchemas.end();
  const std::string name = lower_case(table);
  return name.starts_with("pg_") || std::ranges::find(kSystemTables, name) != kSystemTables.end();
}

void give_columns(Schema& schema) {
  for (std::uint32_t i = 0; i < schema.tables(); ++i) {
    if (schema.table(TableId(i)).columns.empty()) schema.add_column(TableId(i), "*");
  }
}

std::optional<TableId> Names::find_or_add(std::string_view table) {
  if (const auto found = schema_.find_table(table)) return found;
  if (open_ == nullptr) return std::nullopt;
  const TableId added = open_->add_table(table);
  open_->table(added).learned = true;
  return added;
}

std::optional<ColumnId> Names::find_or_add(TableId table, std::string_view column) {
  if (const auto found = schema_.find_column(table, column)) return found;
  if (open_ == nullptr) return std::nullopt;
  const ColumnId added = open_->add_column(table, column);
  Table& owner = open_->table(table);
  if (!owner.learned) return added;
  const std::string name = lower_case(owner.name);
  const int likelihood = key_likelihood(name, column);
  if (likelihood == 0) return added;
  const int so_far = owner.primary_key.empty() ? 0 : key_likelihood(name, open_->column(owner.primary_key[0]).name);
  if (likelihood > so_far) owner.primary_key = {added};
  return added;
}

void Names::learn_unique_key(TableId table, const std::vector<ColumnId>& columns) {
  if (open_ == nullptr || !open_->table(table).learned) return;
  auto& keys = open_->table(table).unique_keys;
  if (std::ranges::find(keys, columns) == keys.end()) keys.push_back(columns);
}

void Names::mark_lock(TableId table) {
  if (open_ != nullptr) open_->table(table).is_lock = true;
}

void Names::mark_lock_of(TableId lock, TableId table, bool holds_off_reads) {
  if (open_ == nullptr) return;
  Table& of = open_->table(lock);
  of.one_row = true;
  of.lock_of = table;
  of.holds_off_reads = holds_off_reads;
}

std::size_t Names::likeliest(std::span<const TableId> tables, std::string_view column) const {
  const std::string prefix = prefix_of(column);
  std::size_t best = 0;
  int best_score = -1;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const Table& table = schema_.table(tables[i]);
    int score = table.learned ? 1 : 0;
    const auto alike = [&](ColumnId id) { return prefix_of(schema_.column(id).name) == prefix; };
    if (table.learned && !prefix.empty() && std::ranges::any_of(table.columns, alike)) score = 2;
    if (score > best_score) {
      best_score = score;
      best = i;
    }
  }
  return best;
}

}  // namespace isolde::audit
