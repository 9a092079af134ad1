// hunt/session_script.h: a finding as one shell script that needs nothing but bash and the database's own client: for
// maintainers who do not have Isolde.
//
// In, out: Finding -> text of a script for psql, mariadb or sqlite3: it makes the tables, plays the sessions step by
//          step, prints what each was answered and what the tables hold at the end; then the same statements alone, if
//          the finding is about a difference to them.
// Always:  a step that has to wait is reported as waiting, and its answer is printed when it comes.
#pragma once

#include <string>

#include "hunt/finding/finding.h"

namespace isolde::hunt {

// Empty: the dialect's client cannot run it (SQLite's shared cache).
[[nodiscard]] std::string session_script(const Finding& finding);

// What a session has to say before it begins a transaction at the finding's level, and how it begins one.
struct SessionStart {
  std::string settings, begin;  // SQL, with its semicolons; settings may be empty
};
[[nodiscard]] SessionStart session_start(const Finding& finding);

// What the manual promises at this level, with its source; empty: nothing is quoted.
[[nodiscard]] std::string_view promise_of(const Finding& finding);

}  // namespace isolde::hunt
