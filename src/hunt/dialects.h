// hunt/dialects.h: the dialects that hunts write, as data: which of them share a grammar, and where they differ.
//
// MariaDB, MySQL and TiDB speak one grammar over one wire; what one of them lacks or spells otherwise is a column here.
// Always:  a dialect of a finding is one of these names; a name that is not listed cannot be hunted.
// Source:  the manuals of MySQL 8.0, TiDB 7.5 and MariaDB 10.11. No MySQL or TiDB was at hand: their SQL is tested on
//          MariaDB, where it means the same or is a comment, and their rows here by tests of the text.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace isolde::hunt {

enum class Family : std::uint8_t { kPostgres, kMysql, kSqlite };

// How a text becomes a prepared statement by SQL.
enum class Prepares : std::uint8_t { kByDriver, kExecuteImmediate, kPrepareFrom };

struct HuntDialect {
  std::string_view name;  // "postgres", "mariadb", "mysql", "tidb", "sqlite"
  Family family;
  std::string_view product;  // "MySQL"
  // MySQL's grammar: the collation in which texts are equal if their bytes are, blanks at the end included.
  std::string_view collation;
  Prepares prepares;
  bool locks_rows = true;    // SELECT … FOR UPDATE
  bool shares_locks = true;  // LOCK IN SHARE MODE, FOR SHARE
  bool is_innodb = false;    // purges deleted rows at moments of its own, and reads at REPEATABLE READ as InnoDB does
  int first_except = 0;      // EXCEPT and INTERSECT, from this version on
  int first_descending = 0;  // descending indexes, from this version on: before, they give wrong answers
  std::span<const std::string_view> hints = {};  // that may follow SELECT in a comment, and change no answer
};
// Null: hunts do not know it.
[[nodiscard]] const HuntDialect* hunt_dialect(std::string_view name);
[[nodiscard]] std::span<const HuntDialect> hunt_dialects();
// An unknown name: PostgreSQL's.
[[nodiscard]] Family family_of(std::string_view dialect);
[[nodiscard]] inline bool is_of_mysql(std::string_view dialect) { return family_of(dialect) == Family::kMysql; }

// The dialect to write for a server: one that says "MySQL 8.0.36" is hunted as mysql, although its driver is MariaDB's.
[[nodiscard]] std::string_view spoken_dialect(std::string_view driver, std::string_view server);

// A text of MySQL's grammar from one of its dialects to another: the names of collations.
[[nodiscard]] std::string translated(std::string sql, std::string_view from, std::string_view to);

}  // namespace isolde::hunt
