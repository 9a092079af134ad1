// hunt/run/arena.h: the database that cases are run on: makes a schema, puts its rows back quickly, runs a case.
//
// In, out: Case -> Execution (in transactions, in the case's order), order of statements -> AloneRun (without).
// Always:  it works in a schema of its own (own_schema.h): no table that a hunt did not make is touched.
//          Every statement is carried out once at most. A step counts as waiting only by the server's word: its lock
//          tables, or the session's own notice. A statement that exceeds the limit is stopped by the server. After an
//          error of the connection the arena is made anew by the next reset(). The same case on the same server gives
//          the same Execution, deadlocks included (PostgreSQL: if deadlock_timeout may be set): one statement waits at
//          a time, the next that would have to wait as well is cancelled (kTimedOut), since two that are let go at once
//          go on side by side.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "db/database.h"
#include "hunt/case/case.h"
#include "hunt/run/execution.h"
#include "hunt/run/setup_sql.h"

namespace isolde::hunt {

struct ArenaOptions {
  std::chrono::milliseconds statement_limit{2000};
  std::uint32_t most_transactions = 8;
};

class Arena {
 public:
  virtual ~Arena() = default;

  // Drops the schema before, makes this one and fills its tables.
  [[nodiscard]] virtual Result<void> prepare(const Schema& schema) = 0;
  // The tables have the schema's rows again, whatever was done to them.
  [[nodiscard]] virtual Result<void> reset() = 0;
  // Requires: reset(). `instrumented`: with the reads that fill seen, left and about_to_change.
  [[nodiscard]] virtual Execution run(const Case& test, bool instrumented) = 0;
  // Requires: reset().
  [[nodiscard]] virtual AloneRun run_alone(const Case& test, std::span<const Place> order) = 0;
  // The same by another plan. Null: the server has no settings for it. Requires: reset().
  [[nodiscard]] virtual std::optional<AloneRun> run_alone_by(const Case& test, std::span<const Place> order, Plan plan);
  // One statement alone on these rows: those of StatementRun::seen. The other tables have the schema's. A fault: the
  // server does not take them. Requires: reset().
  [[nodiscard]] virtual AloneRun run_on(const Case& test, Place place, const ContentsByTable& rows);
  // Tables that still had rows after a DELETE without a condition, with nobody else there, since this was asked last.
  [[nodiscard]] virtual std::vector<std::string> left_by_delete() { return {}; }
  // "PostgreSQL 15.19", with settings that change what its levels mean.
  [[nodiscard]] virtual const std::string& server() const = 0;
  // Its name is that of the dialect that cases are to be written for (hunt/case/dialects.h).
  [[nodiscard]] virtual const db::Dialect& dialect() const = 0;
  [[nodiscard]] virtual const db::ServerLevel& level() const = 0;
};

// `database` and `level` (one of its levels) stay valid as long as the arena.
[[nodiscard]] Result<std::unique_ptr<Arena>> open_arena(db::Database& database, const db::ServerLevel& level,
                                                        const ArenaOptions& options);

}  // namespace isolde::hunt
