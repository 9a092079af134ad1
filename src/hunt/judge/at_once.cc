#include "hunt/judge/at_once.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "hunt/case/dialects.h"
#include "hunt/judge/effects.h"

namespace isolde::hunt {
namespace {

std::string keys_text(const std::set<std::int64_t>& keys) {
  return keys.empty() ? "no rows" : fmt::format("rows {}", fmt::join(keys, ", "));
}

// A DELETE that cascades to its own table deletes more than its predicate says.
bool cascades_to_itself(const Schema& schema, const std::string& table) {
  for (const Table& of : schema.tables)
    if (of.name == table)
      return std::any_of(of.foreign_keys.begin(), of.foreign_keys.end(),
                         [&](const ForeignKey& key) { return key.parent == table; });
  return false;
}

class Inspection {
 public:
  Inspection(const Case& test, const Execution& execution, std::string_view dialect, Level level)
      : test_(test), execution_(execution), dialect_(dialect), level_(level) {}

  std::vector<Difference> differences() {
    for_each_statement([&](Place place, const Statement& statement, const StatementRun& run) {
      if (run.ran == Ran::kDone && !run.apart && writes(statement)) inspect(place, statement, run);
    });
    look_for_two_rows();
    look_for_what_was_undone();
    look_for_two_contents();
    look_at_the_end();
    return std::move(found_);
  }

 private:
  template <typename F>
  void for_each_statement(F&& f) const {
    for (std::uint32_t t = 0; t < test_.transactions.size(); ++t)
      for (std::uint32_t s = 0; s < test_.transactions[t].statements.size(); ++s)
        f(Place{t, s}, at(test_, {t, s}), at(execution_, {t, s}));
  }

  void inspect(Place place, const Statement& statement, const StatementRun& run) {
    for (const std::string& table : statement.writes)
      if (!run.seen.contains(table) || !run.left.contains(table)) return;
    const Effects effects = effects_of(statement, run);
    if (!effects.repeated.empty()) return;
    if (effects.odd) {
      add(Wrong::kOwnWrites, place, "its own changes and no others", *effects.odd);
      return;
    }

    const std::string& target = statement.writes.front();
    std::set<std::int64_t> changed;
    std::uint64_t updated = 0;
    for (const Change& change : effects.changes) {
      if (change.item.first != target) continue;
      changed.insert(change.item.second);
      if (change.before.there) ++updated;
    }
    if (cascades_to_itself(test_.schema, target)) return;
    if (run.about_to_change) {
      const std::set<std::int64_t> expected(run.about_to_change->begin(), run.about_to_change->end());
      if (expected != changed) add(Wrong::kPredicate, place, keys_text(expected), keys_text(changed));
    }
    // MariaDB counts a row that an upsert updates twice.
    const std::uint64_t twice =
        rules_of(dialect_).counts_upserts_twice && statement.kind == StatementKind::kUpsert ? updated : 0;
    if (run.reply.changed != changed.size() + twice)
      add(Wrong::kOwnWrites, place, fmt::format("{} rows, as it reports", run.reply.changed - twice),
          fmt::format("{} rows that it changed", changed.size()));
  }

  // One read shows a primary key once, whatever came in between. The statement that it began with is named.
  void look_for_two_rows() {
    for (std::uint32_t t = 0; t < test_.transactions.size(); ++t) {
      for (std::uint32_t s = 0; s < test_.transactions[t].statements.size(); ++s) {
        const StatementRun& run = at(execution_, {t, s});
        if (run.ran != Ran::kDone) continue;
        const Effects effects = effects_of(at(test_, {t, s}), run);
        if (effects.repeated.empty()) continue;
        const auto& [table, pkey] = effects.repeated.front();
        add(Wrong::kOwnWrites, {t, s}, fmt::format("{}: one row {}", table, pkey),
            fmt::format("{}: two rows {}", table, pkey));
        break;
      }
    }
  }

  // The versions of statements that did nothing in the end.
  void look_for_what_was_undone() {
    std::map<std::int64_t, Place> undone;
    for_each_statement([&](Place place, const Statement& statement, const StatementRun& run) {
      const Ended end = execution_.ends[place.transaction];
      if (!writes(statement) || run.ran == Ran::kTimedOut || end == Ended::kUnknown) return;
      if (end != Ended::kCommitted || run.ran != Ran::kDone) undone.emplace(statement.version, place);
    });
    if (undone.empty()) return;
    look_for(undone, execution_.final, std::nullopt);
    if (!implies(level_, Level::kReadCommitted)) return;
    for_each_statement([&](Place place, const Statement&, const StatementRun& run) {
      look_for(undone, run.seen, place);
      look_for(undone, run.left, place);
    });
  }
  void look_for(const std::map<std::int64_t, Place>& undone, const ContentsByTable& contents, std::optional<Place> by) {
    for (const auto& [table, rows] : contents) {
      for (const Version& row : rows) {
        const auto found = undone.find(row.vkey);
        if (found == undone.end()) continue;
        const Place writer = found->second;
        // Its own transaction sees it, unless the statement itself failed.
        if (by && by->transaction == writer.transaction && at(execution_, writer).ran == Ran::kDone) continue;
        add(Wrong::kRolledBack, by.value_or(writer),
            fmt::format("nothing of {}, whose {}", name(writer),
                        at(execution_, writer).ran == Ran::kDone ? "transaction did not commit" : "statement failed"),
            fmt::format("{} {}: {}", by ? fmt::format("{} saw it in", name(*by)) : "in the end it is in", table,
                        row.cells));
      }
    }
  }

  void look_for_two_contents() {
    std::map<std::tuple<std::string_view, std::int64_t, std::int64_t>, std::string_view> known;
    const auto look = [&](Place place, const ContentsByTable& contents) {
      for (const auto& [table, rows] : contents) {
        for (const Version& row : rows) {
          const auto [first, is_new] = known.try_emplace({table, row.pkey, row.vkey}, row.cells);
          if (!is_new && first->second != row.cells)
            add(Wrong::kContents, place, fmt::format("{}: {}", table, first->second),
                fmt::format("{}: {} (the same version)", table, row.cells));
        }
      }
    };
    for_each_statement([&](Place place, const Statement&, const StatementRun& run) {
      look(place, run.seen);
      look(place, run.left);
    });
    look({}, execution_.final);
  }

  // In the end each row is in a state that somebody committed and nobody who committed replaced.
  void look_at_the_end() {
    auto initial = initial_versions(test_.schema);
    if (!initial || std::find(execution_.ends.begin(), execution_.ends.end(), Ended::kUnknown) != execution_.ends.end())
      return;
    struct States {
      std::map<std::int64_t, bool> versions;  // true: replaced
      int absences = 0, absences_replaced = 0;
    };
    std::map<RowKey, States> all;
    for (const auto& [row, version] : *initial) all[row].versions[version] = false;
    std::vector<Change> changes;
    for (const Place place : counted_statements(test_, execution_)) {
      const Statement& statement = at(test_, place);
      const StatementRun& run = at(execution_, place);
      if (!writes(statement)) continue;
      if (run.apart || run.seen.empty()) return;
      const Effects effects = effects_of(statement, run);
      if (effects.odd || !effects.repeated.empty()) return;
      changes.insert(changes.end(), effects.changes.begin(), effects.changes.end());
    }
    for (const Change& change : changes)
      if (change.after.there) all[change.item].versions.try_emplace(change.after.vkey, false);
    for (auto& [row, states] : all) states.absences = initial->contains(row) ? 0 : 1;
    for (const Change& change : changes) {
      States& states = all[change.item];
      if (!change.after.there) ++states.absences;
      if (!change.before.there) ++states.absences_replaced;
      if (const auto found = states.versions.find(change.before.vkey);
          change.before.there && found != states.versions.end())
        found->second = true;
    }
    for (const auto& [row, states] : all) {
      const auto contents = execution_.final.find(std::string(row.first));
      if (contents == execution_.final.end()) return;
      const auto left = std::find_if(contents->second.begin(), contents->second.end(),
                                     [&](const Version& version) { return version.pkey == row.second; });
      if (left == contents->second.end()) {
        if (states.absences <= states.absences_replaced)
          add(Wrong::kContents, {}, fmt::format("{}: a row {}", row.first, row.second),
              fmt::format("{}: no row {}, which nobody deleted", row.first, row.second));
        continue;
      }
      const auto version = states.versions.find(left->vkey);
      if (version == states.versions.end() || version->second)
        add(Wrong::kContents, {},
            fmt::format("{}: row {} with a version that was committed and not replaced", row.first, row.second),
            fmt::format("{}: {}", row.first, left->cells));
    }
  }

  void add(Wrong wrong, Place where, std::string expected, std::string actual) {
    for (const Difference& difference : found_)
      if (difference.wrong == wrong) return;
    found_.push_back({wrong, where, std::move(expected), std::move(actual), {}});
  }

  const Case& test_;
  const Execution& execution_;
  std::string_view dialect_;
  Level level_;
  std::vector<Difference> found_;
};

}  // namespace

std::vector<Difference> wrong_at_once(const Case& test, const Execution& execution, std::string_view dialect,
                                      Level level) {
  return Inspection(test, execution, dialect, level).differences();
}

}  // namespace isolde::hunt
