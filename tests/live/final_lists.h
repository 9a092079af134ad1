// tests/live/final_lists.h: the lists that a list-append run left in the database, held against what was recorded.
#pragma once

#include <string>

#include "anomaly/level.h"
#include "db/database.h"
#include "history/history.h"

namespace isolde::test {

// Empty if all of this holds, else what does not:
// - every element of a list was appended by a transaction of the history that is not aborted, and stands there once;
// - every append of a committed transaction is there.
// So no transaction is missing, and none is misjudged. Requires: no client is left.
[[nodiscard]] std::string against_final_lists(const History& h, db::Database& database);

// Empty if the history satisfies the level, by the engine that is chosen for it; else the verdict.
[[nodiscard]] std::string against_level(const History& h, Level level);

// The same at serializable for PostgreSQL, whose SERIALIZABLE, under load, now and then lets a G2-item through
// (tests/corpus/verdicts/snapshot_between_two_commits.jsonl, docs/databases.md): up to three of these, where strong
// snapshot isolation holds, are the server's fault and not the recording's.
[[nodiscard]] std::string against_postgres_serializable(const History& h);

struct StatusCounts {
  std::uint64_t committed = 0, aborted = 0, unknown = 0;
  friend bool operator==(const StatusCounts&, const StatusCounts&) = default;
};
[[nodiscard]] StatusCounts status_counts(const History& h);

}  // namespace isolde::test
