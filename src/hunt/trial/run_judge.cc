#include "hunt/trial/run_judge.h"

#include <fmt/format.h>

#include <algorithm>

#include "hunt/judge/at_once.h"
#include "hunt/judge/effects.h"
#include "hunt/judge/isolation.h"
#include "hunt/judge/latest.h"
#include "hunt/trial/applicability.h"

namespace isolde::hunt {

Finding RunJudge::finding(const Case& test, const Execution& execution, Difference difference,
                          std::vector<Place> alone) const {
  Finding found;
  found.wrong = difference.wrong;
  found.test = test;
  found.alone = std::move(alone);
  found.where = difference.where;
  found.server = arena_.server();
  found.level = arena_.level().name;
  found.dialect = arena_.dialect().name;
  found.expected = std::move(difference.expected);
  found.actual = std::move(difference.actual);
  found.anomaly = std::move(difference.anomaly);
  found.cause = known_cause(test, execution);
  return found;
}

std::string RunJudge::known_cause(const Case& test, const Execution& execution) const {
  const auto why = why_not(arena_.dialect().name, arena_.level().name, arena_.server());
  if (!why || !why->recognisable) return {};
  for (const auto& [place, tables] : old_tables(test, execution))
    if (locks(at(test, place))) return why->cause;
  return {};
}

std::optional<Difference> RunJudge::at_once(const Case& test, const Execution& execution,
                                            std::optional<Wrong> asked) const {
  std::vector<Difference> all = wrong_at_once(test, execution, arena_.dialect().name, options_.level);
  if (asked) std::erase_if(all, [&](const Difference& difference) { return difference.wrong != *asked; });
  const auto undone = std::find_if(all.begin(), all.end(),
                                   [](const Difference& difference) { return difference.wrong == Wrong::kRolledBack; });
  if (undone != all.end()) return std::move(*undone);
  if (!asked || *asked == Wrong::kIsolation)
    if (auto broken = broken_isolation(test, execution)) return broken;
  if (all.empty()) return std::nullopt;
  return std::move(all.front());
}

std::optional<Difference> RunJudge::broken_isolation(const Case& test, const Execution& execution) const {
  // Where one cause is known beforehand, what it breaks is snapshots; nothing else is told of such a level.
  const auto why = why_not(arena_.dialect().name, arena_.level().name, arena_.server());
  if (why && known_cause(test, execution).empty()) return std::nullopt;
  const auto broken = broken_level(test, execution, why ? Level::kSnapshotIsolation : options_.level);
  if (!broken) {
    if (broken.error().text.find("could not be proved") != std::string::npos) ++counts_.unproved;
    return std::nullopt;
  }
  ++counts_.histories;
  if (!*broken) return std::nullopt;
  const Level level = held_to(why ? Level::kSnapshotIsolation : options_.level);
  return Difference{Wrong::kIsolation,
                    {},
                    fmt::format("no {} at {}", (*broken)->anomaly, info(level).name),
                    (*broken)->text,
                    (*broken)->anomaly};
}

bool is_excused(const Case& test, const Execution& execution, const Difference& difference) {
  if (difference.wrong != Wrong::kError) return false;
  return old_tables(test, execution).contains(difference.where);
}

bool all_as_wanted(const Case& test, const Execution& execution) { return compare(test, execution, execution).decided; }

}  // namespace isolde::hunt
