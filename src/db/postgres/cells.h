// db/postgres/cells.h: PostgreSQL's texts of values as cells; the same for a client's result and for the log.
//
// Always: int2, int4, int8, oid, bool, and numeric without a fraction (a sum) are integers as far as 64 bits go; float4
//         and float8 are doubles; everything else is text as the server writes it.
#pragma once

#include <cstdint>
#include <string_view>

#include "db/connection.h"

namespace isolde::db {

[[nodiscard]] Cell postgres_cell(std::uint32_t type_oid, std::string_view text);

}  // namespace isolde::db
