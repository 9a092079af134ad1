// db/own_tables.h: the tables and views that a file of statements makes itself.
#pragma once

#include <functional>
#include <set>
#include <string>

namespace isolde::db {

using OwnTables = std::set<std::string, std::less<>>;  // in lower case

}  // namespace isolde::db
