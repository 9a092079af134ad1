// db/mariadb/mariadb_rows.h: prepared statements and the rows of an answer as cells, for both of the wire's protocols.
//
// Always: a column gives the same cell whether it came as text or in binary: integers (also BIT and YEAR) are integers,
//         FLOAT and DOUBLE are doubles, a DECIMAL that is whole and fits is an integer (so is sum() of integers);
//         everything else is the server's text. An unsigned number beyond 2^63 - 1 is text.
#pragma once

#include <mysql.h>

#include <memory>
#include <span>
#include <string_view>

#include "db/connection.h"

namespace isolde::db {

// A column of a row in the text protocol; not NULL.
[[nodiscard]] Cell cell_of_text(const MYSQL_FIELD& field, std::string_view text);

// One prepared statement. Requires: it goes before its connection's handle does. A table that gets more or fewer
// columns under a kept SELECT * is the library's error 2057, which stops the run; other types are noticed.
class MariadbStatement {
 public:
  // Check with failed(): the statement is not to be used then.
  MariadbStatement(MYSQL* handle, std::string_view sql);
  ~MariadbStatement();
  MariadbStatement(const MariadbStatement&) = delete;
  MariadbStatement& operator=(const MariadbStatement&) = delete;

  [[nodiscard]] std::size_t parameters() const;
  // Requires: as many cells as parameters(). Fills all of `reply` but names and fate. False: failure() says why.
  [[nodiscard]] bool execute(std::span<const Cell> cells, Reply& reply);
  [[nodiscard]] bool failed() const;
  [[nodiscard]] Failure failure() const;

 private:
  struct Columns;
  [[nodiscard]] bool fetch(Reply& reply);

  MYSQL_STMT* statement_;
  std::unique_ptr<Columns> columns_;
};

}  // namespace isolde::db
