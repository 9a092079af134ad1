// anomaly/strongest.h: what is known of a history at every level, and the strongest levels that hold.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "anomaly/verdict.h"

namespace isolde {

struct Strongest {
  // By Level: what `check` says there. None: not looked at, because a weaker level is broken or `--ignore` leaves it
  // out.
  std::array<std::optional<Outcome>, kLevelCount> levels{};
  // By Level: undecided only because the order that it adds was not there to be tested.
  std::array<bool, kLevelCount> not_tested{};
  std::vector<Level> holds;      // the strongest first; none implies another
  std::vector<Level> undecided;  // that may hold, and that no level in `holds` implies; tested ones
  std::vector<Level> untested;   // the strongest of `not_tested`: they would hold if the order did not matter
  int checks = 0;                // that ran, beside the first
  // What ended the search before it knew all.
  enum class Stop : std::uint8_t { kNone, kTime, kWork };
  Stop stop = Stop::kNone;

  [[nodiscard]] std::optional<Outcome> at(Level level) const { return levels[static_cast<std::size_t>(level)]; }
  [[nodiscard]] bool is_untested(Level level) const { return not_tested[static_cast<std::size_t>(level)]; }
};

}  // namespace isolde
