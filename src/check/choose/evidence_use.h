// check/choose/evidence_use.h: evidence turned on and off (`check --use`, `--ignore`): which level is then checked, and
// on which history.
//
// In, out: the requested level and a History -> the level to check, and the History without the ignored evidence, which
//          is all that engines and src/proof see.
// Always:  session order and real time are part of a level's definition, so turning them on or off names another level:
//            monotonic-atomic-view  strong-session-monotonic-atomic-view
//            snapshot-isolation   strong-session-snapshot-isolation   strong-snapshot-isolation
//            serializable         strong-session-serializable         strict-serializable
//          Version orders and timestamps are evidence for a verdict; without them the level is the same.
// Cost:    constant; columns are shared, not copied.
// Source:  King Cobra (session order and version order on and off).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "anomaly/level.h"
#include "base/result.h"
#include "history/history.h"

namespace isolde {

enum class EvidenceKind : std::uint8_t { kSession, kVersions, kRealTime, kTimestamps };
[[nodiscard]] std::string_view name(EvidenceKind kind);

struct EvidenceUse {
  std::uint8_t use = 0, ignore = 0;  // one bit per EvidenceKind; none is in both

  [[nodiscard]] bool uses(EvidenceKind kind) const { return (use & bit(kind)) != 0; }
  [[nodiscard]] bool ignores(EvidenceKind kind) const { return (ignore & bit(kind)) != 0; }
  [[nodiscard]] bool empty() const { return use == 0 && ignore == 0; }
  static constexpr std::uint8_t bit(EvidenceKind kind) {
    return static_cast<std::uint8_t>(1U << static_cast<unsigned>(kind));
  }
};

// Two comma-separated lists of session, versions, realtime and timestamps; either may be empty. The error is for the
// user.
[[nodiscard]] Result<EvidenceUse> parse_evidence_use(std::string_view use, std::string_view ignore);

// The level to check. The error says why there is none, and which level to use instead.
[[nodiscard]] Result<Level> judged_level(Level asked, const EvidenceUse& evidence);

// The history without the ignored evidence: version orders (versions), client intervals (realtime), start_ts and
// commit_ts (timestamps). If `timestamps` is used, it has the flag kVersionsByCommitTs.
[[nodiscard]] History judged_history(const History& history, const EvidenceUse& evidence);

// What a reader of the report should know: the requested level, what was ignored, which requested evidence is missing.
[[nodiscard]] std::vector<std::string> evidence_notes(const History& history, Level asked, Level judged,
                                                      const EvidenceUse& evidence);

}  // namespace isolde
