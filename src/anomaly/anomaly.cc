#include "anomaly/anomaly.h"

#include <algorithm>
#include <array>
#include <utility>

#include "anomaly/anomaly_table.h"
#include "base/text.h"

namespace isolde {
namespace {

// Names of other tools and of the literature.
constexpr std::pair<std::string_view, AnomalyKind> kOtherNames[] = {
    {"dirty-write", AnomalyKind::kG0},
    {"P0", AnomalyKind::kG0},
    {"dirty-read", AnomalyKind::kG1a},
    {"aborted-read", AnomalyKind::kG1a},
    {"intermediate-read", AnomalyKind::kG1b},
    {"circular-information-flow", AnomalyKind::kG1c},
    {"G-single-item", AnomalyKind::kGSingle},
    {"read-skew", AnomalyKind::kGSingle},
    {"A5A", AnomalyKind::kGSingle},
    {"non-repeatable-read", AnomalyKind::kGSingle},
    {"G-nonadjacent-item", AnomalyKind::kGNonadjacent},
    {"phantom", AnomalyKind::kG2},
    {"interference", AnomalyKind::kGSIa},
    {"missed-effects", AnomalyKind::kGSIb},
    {"P4", AnomalyKind::kLostUpdate},
    {"G-cursor", AnomalyKind::kLostUpdate},
    {"A5B", AnomalyKind::kWriteSkew},
    {"duplicate-elements", AnomalyKind::kDuplicateWrite},
    {"thin-air-read", AnomalyKind::kGarbageRead},
    {"predicate-many-preceders", AnomalyKind::kPMP},
    {"observed-transaction-vanishes", AnomalyKind::kOTV},
};

std::optional<AnomalyKind> exactly_named(std::string_view wanted) {
  for (const AnomalyInfo& row : all_anomalies()) {
    if (folded(row.name) == wanted) return row.kind;
  }
  for (const auto& [known, kind] : kOtherNames) {
    if (folded(known) == wanted) return kind;
  }
  return std::nullopt;
}

std::vector<Level> levels_that_forbid(AnomalyKind kind, bool forbid) {
  std::vector<Level> found;
  for (const LevelInfo& row : all_levels()) {
    if (proscribes(row.level, kind) == forbid) found.push_back(row.level);
  }
  return found;
}

}  // namespace

std::span<const AnomalyInfo> all_anomalies() { return anomaly_table(); }

const AnomalyInfo& info(AnomalyKind kind) { return anomaly_table()[static_cast<std::size_t>(kind)]; }

bool proscribes(Level level, AnomalyKind kind) {
  const AnomalyInfo& row = info(kind);
  if (row.seen == AnomalySeen::kTimestamps && info(level).family != LevelFamily::kSnapshot) return false;
  if (row.seen == AnomalySeen::kPredicates && level == Level::kRepeatableRead) return false;
  return std::any_of(row.weakest.begin(), row.weakest.end(), [level](Level weak) { return implies(level, weak); });
}

std::vector<Level> levels_against(AnomalyKind kind) { return levels_that_forbid(kind, true); }
std::vector<Level> levels_allowing(AnomalyKind kind) { return levels_that_forbid(kind, false); }

std::optional<AnomalyKind> anomaly_named(std::string_view name) {
  const std::string wanted = folded(name);
  if (const auto kind = exactly_named(wanted)) return kind;
  for (const std::string_view ending : {"session", "process", "realtime"}) {
    if (wanted.size() > ending.size() && wanted.ends_with(ending)) {
      return exactly_named(std::string_view(wanted).substr(0, wanted.size() - ending.size()));
    }
  }
  return std::nullopt;
}

std::string_view name(StepType type) {
  constexpr std::array<std::string_view, 10> kNames = {"ww",      "wr",        "rw",     "session", "realtime",
                                                       "visible", "invisible", "commit", "order",   "program"};
  static_assert(static_cast<std::size_t>(StepType::kProgram) + 1 == kNames.size());
  return kNames[static_cast<std::size_t>(type)];
}

std::string_view name(Ground ground) {
  constexpr std::array<std::string_view, 10> kNames = {"reads",     "seen",       "list",     "update", "version-order",
                                                       "last-left", "timestamps", "snapshot", "past",   "assumed"};
  static_assert(static_cast<std::size_t>(Ground::kAssumed) + 1 == kNames.size());
  return kNames[static_cast<std::size_t>(ground)];
}

std::string full_name(AnomalyKind kind, Variant variant) {
  std::string out(info(kind).name);
  if (variant == Variant::kSession) out += "-session";
  if (variant == Variant::kRealtime) out += "-realtime";
  return out;
}

}  // namespace isolde
