// tests/support/posing_database.h: MariaDB that calls itself MySQL or TiDB, so that hunts write those dialects for it.
//
// What MariaDB does not know is translated on its way: the names of collations and settings. So all the rest of the SQL
// that hunts write for them is run by a real server, through the driver that MySQL and TiDB have.
#pragma once

#include <memory>
#include <string>

#include "db/database.h"

namespace isolde::test {

// `product`: what describe() says, "MySQL 8.0.36".
[[nodiscard]] std::unique_ptr<db::Database> posing_as(std::string product, std::unique_ptr<db::Database> mariadb);

}  // namespace isolde::test
