// audit/sql/names.h: the schema as a statement sees it: fixed, or taking in what the statement shows.
//
// Always: system tables (pg_catalog, information_schema, sqlite_master …) and DUAL are no tables: nothing of them is
//         the application's data.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "audit/schema/ids.h"
#include "audit/schema/schema.h"

namespace isolde::audit {

[[nodiscard]] bool is_system_table(std::string_view schema_name, std::string_view table);

// A table that no statement names a column of still has rows: it gets a column * for them.
void give_columns(Schema& schema);

enum class Learning : std::uint8_t {
  kNothing,
  kSure,   // names that can mean only one thing
  kLikely  // the rest, too
};

class Names {
 public:
  explicit Names(const Schema& schema) : schema_(schema) {}
  Names(Schema& schema, Learning learning) : schema_(schema), open_(&schema), learning_(learning) {}

  [[nodiscard]] const Schema& schema() const { return schema_; }
  [[nodiscard]] const Table& table(TableId id) const { return schema_.table(id); }
  [[nodiscard]] Learning learning() const { return learning_; }
  [[nodiscard]] bool learns() const { return learning_ != Learning::kNothing; }
  // Whether a name was left open because nothing sure is known of it; asking forgets it.
  [[nodiscard]] bool take_open_name() { return std::exchange(open_name_, false); }
  void leave_open() { open_name_ = true; }

  // Added if it is not there and that may be.
  std::optional<TableId> find_or_add(std::string_view table);
  std::optional<ColumnId> find_or_add(TableId table, std::string_view column);
  // Only of a learned table.
  void learn_unique_key(TableId table, const std::vector<ColumnId>& columns);
  // Of a table that stands for locks.
  void mark_lock(TableId table);
  void mark_lock_of(TableId lock, TableId table, bool holds_off_reads);
  [[nodiscard]] std::optional<ColumnId> find(TableId table, std::string_view column) const {
    return schema_.find_column(table, column);
  }
  // Of those tables the one that an unknown column belongs to, most likely.
  [[nodiscard]] std::size_t likeliest(std::span<const TableId> tables, std::string_view column) const;

 private:
  const Schema& schema_;
  Schema* open_ = nullptr;
  Learning learning_ = Learning::kNothing;
  bool open_name_ = false;
};

}  // namespace isolde::audit
