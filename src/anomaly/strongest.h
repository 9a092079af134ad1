// anomaly/strongest.h: the result for a history at every level, and the strongest levels that hold.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "anomaly/verdict.h"

namespace isolde {

struct Strongest {
  // By Level: the result of `check`. None: not checked, because a weaker level is broken or `--ignore` leaves it out.
  std::array<std::optional<Outcome>, kLevelCount> levels{};
  // By Level: undecided only because the history has nothing to test the added order by.
  std::array<bool, kLevelCount> not_tested{};
  std::vector<Level> holds;      // strongest first; none implies another
  std::vector<Level> undecided;  // tested levels that may hold and that no level in `holds` implies
  std::vector<Level> untested;   // the strongest of `not_tested`: they would hold if the order did not matter
  int checks = 0;                // that ran, in addition to the first
  // What ended the search before it was complete.
  enum class Stop : std::uint8_t { kNone, kTime, kWork, kCancelled };
  Stop stop = Stop::kNone;

  [[nodiscard]] std::optional<Outcome> at(Level level) const { return levels[static_cast<std::size_t>(level)]; }
  [[nodiscard]] bool is_untested(Level level) const { return not_tested[static_cast<std::size_t>(level)]; }
};

}  // namespace isolde
