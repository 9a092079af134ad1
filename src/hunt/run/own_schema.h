// hunt/run/own_schema.h: where hunts make their tables, and what keeps them away from everybody else's.
//
// PostgreSQL and MariaDB: a schema or database named isolde_hunt, which every session of a hunt works in, so that a
// table's name can mean nothing outside of it. SQLite has no schemas: there the tables stand in the file itself.
// Always:  what a hunt made carries a mark, the table isolde_hunt_made: in the schema, where everything beside it is
//          the hunt's; in an SQLite file with the names of the hunt's tables and views. A schema or a table that exists
//          without the mark is somebody's: it is refused, and nothing is changed. An empty schema is taken as it is,
//          so that an administrator can make one for a user who may not. Nothing is ever dropped with CASCADE.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "db/connection.h"
#include "db/database.h"
#include "hunt/case/case.h"

namespace isolde::hunt {

// A connection that keeps other hunts out as long as it lives; null where there is no server (SQLite). An error if
// another hunt is at work in the schema.
[[nodiscard]] Result<std::unique_ptr<db::Connection>> hold_own_schema(db::Database& database,
                                                                      const db::ServerLevel& level);

// Makes the schema and its mark unless they are there. The error says what to do.
[[nodiscard]] Result<void> make_own_schema(db::Connection& connection, std::string_view dialect);
// What a session runs first.
[[nodiscard]] std::vector<std::string> enter_own_schema(std::string_view dialect);

// SQLite: an error if one of the names is a table or view that no hunt made.
[[nodiscard]] Result<void> refuse_taken_names(db::Connection& connection, std::string_view dialect,
                                              std::span<const std::string> names);
// The same for what the schema makes, which is then marked. Before anything of it is dropped or made.
[[nodiscard]] Result<void> claim_names(db::Connection& connection, std::string_view dialect, const Schema& schema);

// Drops the tables and views that hunts made and left.
[[nodiscard]] Result<void> clear_own_schema(db::Database& database, const db::ServerLevel& level);
// The mark as well, and the schema if a hunt made it.
[[nodiscard]] Result<void> drop_own_schema(db::Database& database, const db::ServerLevel& level);

}  // namespace isolde::hunt
