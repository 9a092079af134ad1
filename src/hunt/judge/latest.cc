#include "hunt/judge/latest.h"

#include <algorithm>

#include "hunt/case/dialects.h"
#include "hunt/judge/effects.h"

namespace isolde::hunt {
namespace {

using Rows = std::map<RowKey, State>;

class LatestVersions {
 public:
  LatestVersions(const Case& test, const Execution& execution) : test_(test), execution_(execution) {}

  void run() {
    if (const auto initial = initial_versions(test_.schema))
      for (const auto& [row, version] : *initial) committed_[row] = version;
    own_.resize(test_.transactions.size());
    for (const Place place : execution_.answered) {
      if (place.statement < test_.transactions[place.transaction].statements.size()) {
        if (at(execution_, place).ran == Ran::kDone) statement(place);
      } else if (execution_.ends[place.transaction] == Ended::kCommitted) {
        for (const auto& [row, state] : own_[place.transaction]) committed_[row] = state;
      }
    }
  }

  // By statement, the tables that were not as they are now.
  std::map<Place, std::set<std::string_view>> old;
  // Statements after which a primary key stands twice for its transaction, and nobody else has such a row any more.
  std::vector<Place> of_freed_keys;

 private:
  void statement(Place place) {
    const Statement& statement = at(test_, place);
    const StatementRun& run = at(execution_, place);
    Rows& own = own_[place.transaction];
    for (const auto& [table, contents] : run.seen)
      if (run.apart || !is_latest(table, contents, own)) old[place].insert(table);
    const Effects effects = effects_of(statement, run);
    const auto is_free = [&](const RowKey& row) {
      const auto found = committed_.find(row);
      return found == committed_.end() || !found->second.there;
    };
    if (!effects.repeated.empty() && std::all_of(effects.repeated.begin(), effects.repeated.end(), is_free))
      of_freed_keys.push_back(place);
    if (run.apart) {
      for (const auto& [table, contents] : run.left)
        for (const Version& version : contents)
          if (version.vkey == statement.version) own[{table, version.pkey}] = version.vkey;
    } else {
      for (const Change& change : effects.changes) own[change.item] = change.after;
    }
  }

  [[nodiscard]] bool is_latest(const std::string& table, const Contents& contents, const Rows& own) const {
    std::map<std::int64_t, State> latest;
    for (const Rows* rows : {&committed_, &own})
      for (auto row = rows->lower_bound({table, INT64_MIN}); row != rows->end() && row->first.first == table; ++row)
        latest[row->first.second] = row->second;
    std::erase_if(latest, [](const auto& row) { return !row.second.there; });
    if (latest.size() != contents.size()) return false;
    return std::equal(latest.begin(), latest.end(), contents.begin(), [](const auto& row, const Version& version) {
      return row.first == version.pkey && row.second.vkey == version.vkey;
    });
  }

  const Case& test_;
  const Execution& execution_;
  Rows committed_;
  std::vector<Rows> own_;
};

// Tables that are tied to others by foreign keys.
std::set<std::string_view> tied_tables(const Schema& schema) {
  std::set<std::string_view> tied;
  for (const Table& table : schema.tables) {
    for (const ForeignKey& key : table.foreign_keys) {
      tied.insert(table.name);
      tied.insert(key.parent);
    }
  }
  return tied;
}

}  // namespace

std::map<Place, std::set<std::string_view>> old_tables(const Case& test, const Execution& execution) {
  LatestVersions latest(test, execution);
  latest.run();
  return std::move(latest.old);
}

std::vector<Place> beyond_their_snapshot(const Case& test, const Execution& execution, std::string_view dialect) {
  LatestVersions latest(test, execution);
  latest.run();
  std::vector<Place> places;
  if (rules_of(dialect).reuses_deleted_keys) places = std::move(latest.of_freed_keys);
  const std::set<std::string_view> tied = tied_tables(test.schema);
  if (tied.empty()) return places;
  const auto is_tied = [&](std::string_view table) { return tied.contains(table); };
  for (const auto& [place, tables] : latest.old) {
    const Statement& statement = at(test, place);
    if (std::any_of(statement.writes.begin(), statement.writes.end(), is_tied) &&
        std::any_of(tables.begin(), tables.end(), is_tied))
      places.push_back(place);
  }
  return places;
}

}  // namespace isolde::hunt
