// audit/confirm/place.h: a scratch schema (PostgreSQL) or database (MariaDB) with the tables of a play.
//
// Always:  its name is its own (isolde_audit_…); one of that name that is there already is left alone and an error.
//          It is dropped with everything in it when the object goes, whatever happened. One place serves many plays:
//          a table that the next play needs in the same shape stays, and so do rows that nobody can have changed.
//          Sessions see nothing but it. Clocks stand still in them, and numbers that tables make are the same for a
//          member whoever comes first, so that two runs differ only by what was read from others.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "audit/confirm/play.h"
#include "audit/confirm/rows.h"
#include "base/result.h"
#include "db/database.h"

namespace isolde::audit {

// A level as a server has it, with what its sessions are told besides.
struct StageLevel {
  const db::ServerLevel* level = nullptr;
  std::vector<std::string> settings;
  std::string name;         // "repeatable read, innodb_snapshot_isolation=ON"
  bool of_members = false;  // a member whose transactions say their level runs at that one instead
};

class ScratchPlace {
 public:
  // The error says which right is missing.
  [[nodiscard]] static Result<std::unique_ptr<ScratchPlace>> make(db::Database& database, SqlDialect source);
  ~ScratchPlace();
  ScratchPlace(const ScratchPlace&) = delete;
  ScratchPlace& operator=(const ScratchPlace&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] db::Database& database() { return database_; }
  [[nodiscard]] db::Family dialect() const { return database_.dialect().family; }
  // Makes and fills tables, and looks on. Its session is in the scratch place, too.
  [[nodiscard]] db::Connection& keeper() { return *keeper_; }
  [[nodiscard]] Result<std::unique_ptr<db::Connection>> connect(const StageLevel& level);

  [[nodiscard]] Result<void> make_tables(const Play& play);
  // The tables hold these rows and no others, put in in this order or backwards.
  enum class RowOrder : std::uint8_t { kForward, kBackward };
  [[nodiscard]] Result<void> fill(const Play& play, std::span<const InitialRow> rows, RowOrder order);
  // The play ran: what it may have written is no longer as it was filled.
  void was_run(const Play& play);
  // All rows of each of its tables.
  [[nodiscard]] Result<std::vector<db::Reply>> contents(const Play& play);

  // What makes the numbers that tables generate the member's own: sent after BEGIN, and before each INSERT.
  [[nodiscard]] std::string after_begin(std::uint32_t member) const;
  // `makes`: the number of the row, if it matters.
  [[nodiscard]] std::string before_insert(std::uint32_t member, std::uint32_t line, const std::string& makes) const;

 private:
  struct ScratchTable {
    std::vector<std::string> made_by;  // statements
    std::string filled_by;             // the INSERT of the rows that it has; meaningless if `changed`
    bool changed = false;
    unsigned deletes = 0;  // since it was truncated
  };

  ScratchPlace(db::Database& database, std::string name, SqlDialect source)
      : database_(database), name_(std::move(name)), source_(source) {}
  [[nodiscard]] Result<void> open();
  [[nodiscard]] Result<void> enter(db::Connection& connection) const;
  [[nodiscard]] std::vector<std::string> statements_that_make(const Play& play, TableId table) const;
  [[nodiscard]] static std::string statement_that_empties(const std::string& name, ScratchTable& table);
  // Rows that stand for advisory locks: made when they are first needed, and never changed.
  [[nodiscard]] std::string statements_that_make_locks(const Play& play);
  [[nodiscard]] std::string table_name(const Play& play, TableId table) const;
  [[nodiscard]] std::string column_name(const Play& play, ColumnId column) const;

  db::Database& database_;
  std::string name_;
  SqlDialect source_;
  std::unique_ptr<db::Connection> keeper_;
  bool made_ = false;
  bool sets_insert_id_ = false;
  std::map<std::string, ScratchTable> tables_;  // that are there, by their quoted names
  std::set<std::string> lock_rows_;
};

}  // namespace isolde::audit
