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

}  // namespace isolde::test
