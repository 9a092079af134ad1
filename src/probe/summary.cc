#include "probe/summary.h"

#include <fmt/format.h>

#include <algorithm>

namespace isolde::probe {
namespace {

// The levels that scenarios can tell apart: each transaction has a session of its own here, and none waits for another
// to end, so that session order and real time say nothing.
constexpr Level kTellable[] = {
    Level::kReadUncommitted, Level::kReadCommitted,  Level::kCursorStability,   Level::kMonotonicAtomicView,
    Level::kReadAtomic,      Level::kRepeatableRead, Level::kSnapshotIsolation, Level::kSerializable,
};

// A level with the session order that read-atomic has by definition, so that they compare.
Level with_sessions(Level level) {
  if (level == Level::kSnapshotIsolation) return Level::kStrongSessionSnapshotIsolation;
  if (level == Level::kSerializable) return Level::kStrongSessionSerializable;
  return level;
}

constexpr std::size_t kWidth = 110;

enum class Naming : std::uint8_t { kName, kTitleAndName };

// "  head: P4, G2", on as many lines as it takes.
std::string list_of(std::string_view head, const std::vector<const Scenario*>& scenarios, Naming naming) {
  if (scenarios.empty()) return {};
  std::string out = fmt::format("  {}:", head);
  std::size_t column = out.size();
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    const Scenario& s = *scenarios[i];
    std::string word = naming == Naming::kName ? s.name : fmt::format("{} ({})", s.title, s.name);
    if (i + 1 < scenarios.size()) word += ',';
    if (column + 1 + word.size() > kWidth) {
      out += "\n   ";
      column = 3;
    }
    out += " " + word;
    column += 1 + word.size();
  }
  return out + "\n";
}

}  // namespace

LevelSummary summary_of(const LevelFindings& level, std::span<const Scenario> scenarios) {
  LevelSummary summary;
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    const Outcome outcome = level.findings[i].outcome;
    if (outcome == Outcome::kUndecided) summary.undecided.push_back(&scenarios[i]);
    if (outcome != Outcome::kHappened) continue;
    summary.seen.push_back(&scenarios[i]);
    if (scenarios[i].ruled_out_by(level.level->claims)) summary.forbidden.push_back(&scenarios[i]);
  }
  std::vector<Level> possible;
  for (const Level candidate : kTellable) {
    const bool contradicted = std::any_of(summary.seen.begin(), summary.seen.end(),
                                          [&](const Scenario* s) { return s->ruled_out_by(candidate); });
    if (!contradicted) possible.push_back(candidate);
  }
  for (const Level one : possible) {
    const bool implied = std::any_of(possible.begin(), possible.end(),
                                     [&](Level other) { return other != one && implies(with_sessions(other), one); });
    if (!implied) summary.strongest.push_back(one);
  }
  return summary;
}

std::string summary_text(const LevelFindings& level, const LevelSummary& summary) {
  std::vector<const Scenario*> allowed;
  std::set_difference(summary.seen.begin(), summary.seen.end(), summary.forbidden.begin(), summary.forbidden.end(),
                      std::back_inserter(allowed));
  std::string strongest;
  for (const Level l : summary.strongest)
    strongest += fmt::format("{}{}", strongest.empty() ? "" : " or ", info(l).name);
  std::string out = fmt::format("{} claims {}: ", level.level->name, info(level.level->claims).name);
  if (!summary.keeps_its_claim()) {
    out += "NOT KEPT";
  } else {
    out += "nothing seen against it";
  }
  if (summary.strongest.empty()) {
    out += "; not even read-uncommitted fits\n";
  } else {
    out += fmt::format("; the strongest level that fits what was seen is {}\n", strongest);
  }
  out += list_of("against it", summary.forbidden, Naming::kTitleAndName);
  out += list_of("seen, and allowed by it", allowed, Naming::kName);
  out += list_of("undecided", summary.undecided, Naming::kName);
  return out;
}

}  // namespace isolde::probe
