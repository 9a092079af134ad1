// tests/support/planting_database.h: a real database in which a test plants triggers and the like: whenever a table or
// an index is made, it gets them at once. So whoever makes tables, a hunt or a recording, finds a server that is faulty
// by itself.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "db/database.h"

namespace isolde::test {

// SQL to be run after `create table <name> …` or `create index <name> …`, whose name is handed over.
using Plant = std::function<std::vector<std::string>(const std::string& name)>;

[[nodiscard]] std::unique_ptr<db::Database> planted_in(std::unique_ptr<db::Database> real, Plant plant);

// What is there inside transactions only, on a server whose triggers do not know whether there is one (SQLite): SQL for
// each table that was made, run when a transaction has begun, and before it commits. A rollback must undo the former.
struct InsidePlant {
  Plant at_begin, at_commit;
};
[[nodiscard]] std::unique_ptr<db::Database> planted_inside(std::unique_ptr<db::Database> real, InsidePlant plant);

}  // namespace isolde::test
