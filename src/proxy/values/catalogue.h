// proxy/values/catalogue.h: the tables of one MariaDB or MySQL database whose rows can be followed by their values, and
// what they held when the recording began.
//
// In, out: the server's URL -> tables, their keys and columns; names of views and routines; the rows of tables that are
//          not too large.
// Always:  a table is followed only if the statements that clients send are all that changes it: no triggers, no
// foreign
//          keys that change rows, an engine that keeps transactions. That nobody writes past the proxy while it records
//          is taken as given.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "db/connection.h"
#include "db/url.h"
#include "proxy/values/value.h"

namespace isolde::proxy::values {

struct FollowedColumn {
  std::string name;  // in lower case
  ColumnKind kind = ColumnKind::kInteger;
  Value standard = {};  // what an INSERT that does not name it leaves; unknown: cannot be said
};

struct FollowedTable {
  std::string name;
  std::vector<std::string> key;         // columns of the primary key, in the table's order; all integers
  std::vector<FollowedColumn> columns;  // that are followed, without those of the key
  std::vector<std::string> all_columns;
  bool counts_up = false;     // the key is AUTO_INCREMENT
  bool other_unique = false;  // a further unique index: REPLACE may delete other rows
  bool rows_known = false;    // `rows` has all that it held
  std::string why_not;        // empty: it is followed

  [[nodiscard]] const FollowedColumn* column(std::string_view lower_name) const;
  [[nodiscard]] bool is_key(std::string_view lower_name) const;
};

// What an operation may have written that nobody can say more of: all columns of the tables, or all tables.
struct Touched {
  bool everything = false;
  std::vector<const FollowedTable*> tables;
};

class Catalogue {
 public:
  // `only`: tables to follow; empty: all.
  [[nodiscard]] static Result<std::unique_ptr<Catalogue>> read(const db::Url& url,
                                                               const std::vector<std::string>& only);

  [[nodiscard]] const std::string& database() const { return database_; }
  [[nodiscard]] const std::string& version() const { return version_; }
  [[nodiscard]] const std::string& level() const { return level_; }  // of sessions that set none
  [[nodiscard]] bool timeouts_roll_back() const { return timeouts_roll_back_; }
  [[nodiscard]] const std::map<std::string, FollowedTable, std::less<>>& tables() const { return tables_; }
  // Null: not a table of this database that was there at the start.
  [[nodiscard]] const FollowedTable* table(std::string_view schema, std::string_view name,
                                           std::string_view current_schema) const;
  // What a statement that names these (in lower case) may write. From any thread.
  [[nodiscard]] Touched touched_by(const std::vector<std::string>& names) const;
  // Stored functions that write, called by any statement. From any thread.
  [[nodiscard]] bool names_a_routine(const std::vector<std::string>& names) const;
  [[nodiscard]] bool names_a_view(const std::vector<std::string>& names) const;
  // CREATE VIEW: from any thread.
  void add_view(const std::vector<std::string>& names);
  // What the row held at first, in the order of the table's columns; none: it was not there. Once per key; null
  // afterwards, or if it is not known. From any thread.
  struct First {
    bool known = false;
    std::vector<Value> values;  // empty: no row
  };
  [[nodiscard]] std::unique_ptr<First> first_of(const FollowedTable& table, const std::string& key);

 private:
  Catalogue() = default;
  [[nodiscard]] Result<void> look_around(db::Connection& connection);
  [[nodiscard]] Result<void> read_columns(db::Connection& connection);
  [[nodiscard]] Result<void> read_what_changes_tables(db::Connection& connection);
  [[nodiscard]] Result<void> read_rows(db::Connection& connection);

  std::string database_, version_, level_;
  bool lower_case_names_ = false, timeouts_roll_back_ = true, has_events_ = false;
  std::map<std::string, FollowedTable, std::less<>> tables_;
  std::map<std::string, std::vector<std::string>, std::less<>> routines_;  // name -> words of its body; none: not known
  mutable std::mutex mutex_;
  std::set<std::string, std::less<>> views_;
  using Rows = std::unordered_map<std::string, std::vector<Value>>;
  std::map<const FollowedTable*, Rows> rows_;
  std::set<std::pair<const FollowedTable*, std::string>> said_;
};

}  // namespace isolde::proxy::values
