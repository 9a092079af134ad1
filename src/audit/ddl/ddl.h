// audit/ddl/ddl.h: a schema from DDL of MySQL, MariaDB, PostgreSQL or SQLite, dumps included.
//
// In, out: text -> Schema, or one error with its place.
// Always:  CREATE TABLE, ALTER TABLE … ADD/MODIFY and CREATE UNIQUE INDEX count; every other statement is passed over.
//          An index that holds for some rows only, or for an expression, is no key. Foreign keys to tables that are
//          not there are left out.
// Cost:    one pass; one statement's words in memory.
#pragma once

#include <string>
#include <string_view>

#include "audit/schema/schema.h"

namespace isolde::audit {

[[nodiscard]] Result<Schema> read_ddl_schema(std::string_view text, const std::string& file);

}  // namespace isolde::audit
