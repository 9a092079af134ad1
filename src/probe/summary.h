// probe/summary.h: what the findings say of a level: what it let through against what its database claims.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "probe/probe.h"

namespace isolde::probe {

struct LevelSummary {
  std::vector<const Scenario*> seen;       // happened
  std::vector<const Scenario*> forbidden;  // of these, those that the claim rules out
  std::vector<const Scenario*> undecided;
  // The strongest levels that nothing seen contradicts; none of them implies another. Empty: not even
  // read-uncommitted.
  std::vector<Level> strongest;

  [[nodiscard]] bool keeps_its_claim() const { return forbidden.empty(); }
};

// Requires: `level` was probed with these scenarios.
[[nodiscard]] LevelSummary summary_of(const LevelFindings& level, std::span<const Scenario> scenarios);

// "repeatable read claims repeatable-read: NOT KEPT; …", and what was seen on lines of its own.
[[nodiscard]] std::string summary_text(const LevelFindings& level, const LevelSummary& summary);

}  // namespace isolde::probe
