// audit/schema/schema.h: tables and columns, with keys and foreign keys: from a CSV, from DDL, from a live database, or
// from what the statements of a trace show.
//
// Always: names are compared without regard to case; the spelling that came first is shown.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "audit/schema/ids.h"
#include "base/result.h"
#include "db/database.h"

namespace isolde::audit {

struct Column {
  TableId table;
  std::string name = {};
  std::string type = {};  // as the source writes it; empty: not known
  std::optional<std::string> default_value = {};
  bool nullable = true;
  bool generated_id = false;  // auto_increment, serial, identity
};

struct ForeignKey {
  std::vector<ColumnId> columns = {};
  TableId parent;
  std::vector<ColumnId> parent_columns = {};
};

struct Table {
  std::string name = {};
  std::vector<ColumnId> columns = {};      // in their order
  std::vector<ColumnId> primary_key = {};  // empty: none known
  std::vector<std::vector<ColumnId>> unique_keys = {};
  std::vector<ForeignKey> foreign_keys = {};
  bool learned = false;  // from statements only (learn_schema): columns may be missing, the primary key is a guess
  // No table but a lock: what LOCK TABLE and advisory locks take. Nobody writes it; see sql/lock_calls.cc.
  bool is_lock = false;
  bool one_row = false;          // it has just one row, whatever its keys say: a lock that all take alike
  TableId lock_of = kNoTable;    // LOCK TABLE: the table that it locks
  bool holds_off_reads = false;  // … against those who only read, too
};

struct View {
  std::string name = {};
  std::vector<std::string> columns = {};  // as CREATE VIEW renames them; empty: those of the query
  std::string query = {};                 // in the words of the file
};

class Schema {
 public:
  TableId add_table(std::string_view name);                   // or the one of that name
  ColumnId add_column(TableId table, std::string_view name);  // or the one of that name
  [[nodiscard]] std::optional<TableId> find_table(std::string_view name) const;
  [[nodiscard]] std::optional<ColumnId> find_column(TableId table, std::string_view name) const;

  [[nodiscard]] const Table& table(TableId id) const { return tables_[raw(id)]; }
  [[nodiscard]] Table& table(TableId id) { return tables_[raw(id)]; }
  [[nodiscard]] const Column& column(ColumnId id) const { return columns_[raw(id)]; }
  [[nodiscard]] Column& column(ColumnId id) { return columns_[raw(id)]; }
  [[nodiscard]] std::size_t tables() const { return tables_.size(); }
  [[nodiscard]] std::size_t columns() const { return columns_.size(); }
  // "district.d_next_o_id"
  [[nodiscard]] std::string full_name(ColumnId id) const;

  void add_view(View view);  // instead of one of that name
  // From now on there are none, whatever is added: their names are those of tables.
  void take_no_views() { no_views_ = true; }
  [[nodiscard]] const View* find_view(std::string_view name) const;
  [[nodiscard]] const std::vector<View>& views() const { return views_; }

 private:
  bool no_views_ = false;
  std::vector<View> views_;
  std::vector<Table> tables_;
  std::vector<Column> columns_;
  std::unordered_map<std::string, TableId> table_by_name_;    // lower case
  std::unordered_map<std::string, ColumnId> column_by_name_;  // number of the table, a dot, the name in lower case
};

// A file: CSV (table,column,type,default,key: PRI UNI MUL) or DDL of any dialect, told apart by its content. One error
// with its place if it is neither.
[[nodiscard]] Result<Schema> read_schema(const std::string& path);
[[nodiscard]] Result<Schema> read_schema_text(std::string_view text, const std::string& file);
[[nodiscard]] Result<Schema> schema_of_database(db::Database& database, db::Connection& connection);

// CREATE TABLE statements for a scratch database: types translated to the dialect's, keys kept; foreign keys, defaults
// that the dialect would not take and everything else left out. Only these tables; an empty list: all.
[[nodiscard]] std::vector<std::string> create_tables(const Schema& schema, std::span<const TableId> tables,
                                                     const db::Dialect& dialect);

}  // namespace isolde::audit
