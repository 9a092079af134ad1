// record/shadow.h: the shadow transaction: a second connection that reads, in the client's own snapshot, every row of
// the traced tables: what a predicate of the client was evaluated on.
//
// In, out: the client's connection in its transaction -> a version set as in the native format, [[key, row], …]; empty
//          text where there is none to be had.
// Always:  the client's transaction reads no table for it, so SSI records nothing; it only exports its snapshot
//          (pg_export_snapshot). There is a set only at levels that keep one snapshot, and only as long as the
//          transaction has written nothing: another connection does not see what it wrote.
// Cost:    three round trips and all rows, for every predicate.  Source: Emme (section 5).
#pragma once

#include <memory>
#include <span>
#include <string>

#include "base/result.h"
#include "db/database.h"
#include "record/workload/traced_table.h"

namespace isolde::record {

class ShadowReader {
 public:
  // `database` is PostgreSQL's; one reader belongs to one client. Nothing is opened yet.
  ShadowReader(db::Database& database, std::span<const TracedTable> tables) : database_(database), tables_(tables) {}

  // An error is a fault that no table knows; a connection that broke is none: there is no set then.
  [[nodiscard]] Result<std::string> version_set(db::Connection& client);

 private:
  [[nodiscard]] Result<std::string> read(const std::string& snapshot);

  db::Database& database_;
  std::span<const TracedTable> tables_;
  std::unique_ptr<db::Connection> shadow_;
};

}  // namespace isolde::record
