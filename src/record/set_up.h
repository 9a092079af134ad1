// record/set_up.h: makes the tables of a workload and fills them; touches no table that it did not make itself.
//
// Always:  the names that it made are kept in a table of their own (isolde_made), in the same database. A table that
// has
//          a workload's name and is not among them is somebody's: the run is refused, and nothing is changed.
#pragma once

#include "base/result.h"
#include "db/connection.h"
#include "db/dialect.h"
#include "record/workload/workload.h"

namespace isolde::record {

[[nodiscard]] Result<void> set_up(db::Connection& connection, const db::Dialect& dialect, Workload& workload);

}  // namespace isolde::record
