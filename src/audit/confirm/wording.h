// audit/confirm/wording.h: a line of a play as SQL of the database that it is run on.
//
// In, out: Line, family of the server -> text.
// Always:  names of databases and schemas in front of tables are taken off: nothing but scratch tables is touched. What
//          one dialect has and the other lacks is translated where it is common (upserts, casts, quotes); the rest is
//          left, and the server says what it does not understand.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "audit/confirm/play.h"
#include "db/family.h"

namespace isolde::audit {

struct Wording {
  db::Family server;
  bool quotes_numbers = false;  // every number as '5', where the server would not compare 5 with its column
};

// Its rows stand for advisory locks (play_locks.h).
inline constexpr std::string_view kLockTable = "isolde_advisory_lock";
[[nodiscard]] std::string lock_row(const Line& line);

[[nodiscard]] std::string sql_text(const Play& play, const Line& line, const Wording& wording);

// A table of another schema or database may still be meant: the line is not to be sent.
[[nodiscard]] bool names_another_place(const Play& play, const Line& line);

// Functions of MySQL that PostgreSQL lacks, and clocks that stand still: CREATE FUNCTION statements, each of which may
// fail.
[[nodiscard]] const std::vector<std::string>& postgres_helpers();

}  // namespace isolde::audit
