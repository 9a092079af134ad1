#include "hunt/judge/latest.h"

#include <algorithm>

#include "hunt/judge/effects.h"

namespace isolde::hunt {
namespace {

using Rows = std::map<RowKey, State>;

class Clock {
 public:
  Clock(const Case& test, const Execution& execution) : test_(test), execution_(execution) {}

  std::map<Place, std::set<std::string_view>> old_tables() {
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
    return std::move(old_);
  }

 private:
  void statement(Place place) {
    const Statement& statement = at(test_, place);
    const StatementRun& run = at(execution_, place);
    Rows& own = own_[place.transaction];
    std::set<std::string_view>& old = old_[place];
    for (const auto& [table, contents] : run.seen)
      if (run.apart || !is_latest(table, contents, own)) old.insert(table);
    if (old.empty()) old_.erase(place);
    if (run.apart) {
      for (const auto& [table, contents] : run.left)
        for (const Version& version : contents)
          if (version.vkey == statement.version) own[{table, version.pkey}] = version.vkey;
    } else {
      for (const Change& change : effects_of(statement, run).changes) own[change.item] = change.after;
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
  std::map<Place, std::set<std::string_view>> old_;
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
  return Clock(test, execution).old_tables();
}

std::vector<Place> beyond_their_snapshot(const Case& test, const Execution& execution, std::string_view dialect) {
  std::vector<Place> places;
  const std::set<std::string_view> tied = tied_tables(test.schema);
  if (!tied.empty()) {
    for (const auto& [place, tables] : old_tables(test, execution)) {
      const Statement& statement = at(test, place);
      const bool checks = std::any_of(statement.writes.begin(), statement.writes.end(),
                                      [&](const std::string& table) { return tied.contains(table); });
      const bool old =
          std::any_of(tables.begin(), tables.end(), [&](std::string_view table) { return tied.contains(table); });
      if (checks && old) places.push_back(place);
    }
  }
  if (dialect != "postgres") return places;
  for (std::uint32_t t = 0; t < test.transactions.size(); ++t) {
    for (std::uint32_t s = 0; s < test.transactions[t].statements.size(); ++s) {
      const StatementRun& run = at(execution, {t, s});
      if (run.ran != Ran::kDone || !effects_of(at(test, {t, s}), run).repeats) continue;
      if (std::find(places.begin(), places.end(), Place{t, s}) == places.end()) places.push_back({t, s});
    }
  }
  return places;
}

}  // namespace isolde::hunt
