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

// A level with the session order that read-committed and read-atomic have by definition, so that they compare.
Level with_sessions(Level level) {
  if (level == Level::kSnapshotIsolation) return Level::kStrongSessionSnapshotIsolation;
  if (level == Level::kSerializable) return Level::kStrongSessionSerializable;
  return level;
}

std::string names(const std::vector<const Scenario*>& scenarios) {
  std::string out;
  for (const Scenario* s : scenarios) out += fmt::format("{}{}", out.empty() ? "" : ", ", s->name);
  return out;
}

std::string titles(const std::vector<const Scenario*>& scenarios) {
  std::string out;
  for (const Scenario* s : scenarios) out += fmt::format("{}{} ({})", out.empty() ? "" : ", ", s->title, s->name);
  return out;
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
  std::string strongest;
  for (const Level l : summary.strongest)
    strongest += fmt::format("{}{}", strongest.empty() ? "" : " or ", info(l).name);
  std::string out = fmt::format("{} claims {}; ", level.level->name, info(level.level->claims).name);
  if (summary.seen.empty()) {
    out += "seen: nothing against it";
  } else if (summary.keeps_its_claim()) {
    out += fmt::format("seen, and allowed by that: {}", names(summary.seen));
  } else {
    out += fmt::format("NOT KEPT; seen: {}", titles(summary.forbidden));
    std::vector<const Scenario*> allowed;
    std::set_difference(summary.seen.begin(), summary.seen.end(), summary.forbidden.begin(), summary.forbidden.end(),
                        std::back_inserter(allowed));
    if (!allowed.empty()) out += fmt::format("; and allowed by that: {}", names(allowed));
  }
  if (!summary.undecided.empty()) out += fmt::format("; undecided: {}", names(summary.undecided));
  if (summary.strongest.empty()) return out + "; not even read-uncommitted fits";
  if (!summary.seen.empty()) out += fmt::format("; the strongest level that fits: {}", strongest);
  return out;
}

}  // namespace isolde::probe
