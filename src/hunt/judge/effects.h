// hunt/judge/effects.h: what a statement changed, by the contents of its tables before and after it.
//
// Always: a change is the statement's own: a row that has its version, or that a statement which deletes took away.
//         Whatever else differs between the two reads is `odd`: no correct server shows that.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "hunt/case/case.h"
#include "hunt/run/execution.h"

namespace isolde::hunt {

using RowKey = std::pair<std::string_view, std::int64_t>;  // table and pkey

// A row's version, or that there is no such row.
struct State {
  State() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a version is a state
  State(std::int64_t version) : there(true), vkey(version) {}
  bool there = false;
  std::int64_t vkey = 0;
  friend bool operator==(const State&, const State&) = default;
};

struct Change {
  RowKey item;
  State before, after;
};

struct Effects {
  std::vector<Change> changes;
  std::optional<std::string> odd;
  std::vector<RowKey> repeated;  // primary keys that stand twice in one of the reads
};
// Requires: the run is done and not apart. The names of tables are those of `statement`.
[[nodiscard]] Effects effects_of(const Statement& statement, const StatementRun& run);

// It may delete rows: DELETE, or a MERGE that says so.
[[nodiscard]] bool deletes(const Statement& statement);
[[nodiscard]] inline bool writes(const Statement& statement) { return !statement.writes.empty(); }
// It takes locks on what it reads, so that some servers give it the latest rows instead of its snapshot's.
[[nodiscard]] inline bool locks(const Statement& statement) {
  return writes(statement) || statement.kind == StatementKind::kSelectForUpdate;
}

// The versions that the tables have at first, by the case's own rows. An error if a row has no integer there.
[[nodiscard]] Result<std::map<RowKey, std::int64_t>> initial_versions(const Schema& schema);

// Done in a transaction that committed.
[[nodiscard]] bool is_counted(const Execution& execution, Place place);
// All those, by transaction and statement.
[[nodiscard]] std::vector<Place> counted_statements(const Case& test, const Execution& execution);

}  // namespace isolde::hunt
