#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "hunt/judge/effects.h"
#include "hunt/judge/judge.h"

namespace isolde::hunt {
namespace {

struct SimulatedRow {
  std::int64_t vkey = 0;
  std::optional<std::string> cells;  // none: an initial row that nobody has looked at yet
};

// The tables as they would be, statement after statement.
class Simulation {
 public:
  Simulation(const Case& test, const Execution& execution) : test_(test), execution_(execution) {}

  std::optional<std::string> run(const std::vector<Place>& order) {
    auto initial = initial_versions(test_.schema);
    if (!initial) return initial.error().text;
    for (const Table& table : test_.schema.tables) tables_[table.name];
    for (const auto& [row, version] : *initial) tables_[std::string(row.first)][row.second].vkey = version;

    std::set<Place> once;
    for (const Place place : order) {
      if (place.transaction >= test_.transactions.size() ||
          place.statement >= test_.transactions[place.transaction].statements.size())
        return "there is no such statement";
      if (!once.insert(place).second) return fmt::format("{} comes twice", name(place));
      if (auto why = step(place)) return fmt::format("{}: {}", name(place), *why);
    }
    for (const Place place : counted_statements(test_, execution_))
      if (writes(at(test_, place)) && !once.contains(place))
        return fmt::format("{} may have written and is left out", name(place));
    return std::nullopt;
  }

 private:
  std::optional<std::string> step(Place place) {
    const Statement& statement = at(test_, place);
    if (!is_counted(execution_, place)) return "it was not carried out in a transaction that committed";
    const StatementRun& run = at(execution_, place);
    if (run.apart) return "other steps came between it and the reads around it";
    for (const std::string& table : statement.reads)
      if (!run.seen.contains(table)) return fmt::format("{} was not read before it", table);
    for (const auto& [table, contents] : run.seen)
      if (auto why = compare(table, contents)) return why;
    if (!writes(statement)) return std::nullopt;

    for (const std::string& table : statement.writes)
      if (!run.seen.contains(table) || !run.left.contains(table))
        return fmt::format("{} was not read around it", table);
    const Effects effects = effects_of(statement, run);
    if (effects.odd) return effects.odd;
    if (!effects.repeated.empty()) return "a primary key stands twice";
    for (const std::string& table : statement.writes) {
      std::map<std::int64_t, SimulatedRow>& rows = tables_[table];
      rows.clear();
      for (const Version& version : run.left.at(table)) rows[version.pkey] = {version.vkey, version.cells};
    }
    return std::nullopt;
  }

  std::optional<std::string> compare(const std::string& table, const Contents& seen) {
    const auto found = tables_.find(table);
    if (found == tables_.end()) return fmt::format("there is no table {}", table);
    auto row = found->second.begin();
    for (const Version& version : seen) {
      if (row != found->second.end() && row->first < version.pkey) break;
      if (row == found->second.end() || row->first != version.pkey)
        return fmt::format("it saw row {} of {}, which would not be there", version.pkey, table);
      if (row->second.vkey != version.vkey)
        return fmt::format("it saw version {} of row {} of {}, and would see {}", version.vkey, version.pkey, table,
                           row->second.vkey);
      if (!row->second.cells) row->second.cells = version.cells;
      if (*row->second.cells != version.cells)
        return fmt::format("version {} of row {} of {} has other contents here", version.vkey, version.pkey, table);
      ++row;
    }
    if (row != found->second.end())
      return fmt::format("it did not see row {} of {}, which would be there", row->first, table);
    return std::nullopt;
  }

  const Case& test_;
  const Execution& execution_;
  std::map<std::string, std::map<std::int64_t, SimulatedRow>> tables_;
};

}  // namespace

std::optional<std::string> why_no_oracle(const Case& test, const Execution& execution,
                                         const std::vector<Place>& order) {
  return Simulation(test, execution).run(order);
}

}  // namespace isolde::hunt
