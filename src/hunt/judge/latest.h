// hunt/judge/latest.h: which statements looked at rows that were no longer the latest, and for which of them that
// matters: constraints are checked against the latest rows, whatever the snapshot.
#pragma once

#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "hunt/case/case.h"
#include "hunt/run/execution.h"

namespace isolde::hunt {

// By statement that was done: the tables of `seen` that are not what was committed last, with its transaction's own
// changes. Statements that waited count as having seen old rows of all their tables.
[[nodiscard]] std::map<Place, std::set<std::string_view>> old_tables(const Case& test, const Execution& execution);

// Statements, done in whatever transaction, that are no function of what they saw although the server does as its
// manual says:
//   a foreign key is checked against rows, or cascades to rows, that have changed since the snapshot;
//   PostgreSQL inserts a row whose primary key was freed since the snapshot, which then shows two rows of one key.
// A run that has one says nothing: the case is run again without them.
[[nodiscard]] std::vector<Place> beyond_their_snapshot(const Case& test, const Execution& execution,
                                                       std::string_view dialect);

}  // namespace isolde::hunt
