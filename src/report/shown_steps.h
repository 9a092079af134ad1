// report/shown_steps.h: which steps of a long cycle a person is shown.
//
// Always: in order; the first and the last step are among them, then the telling ones: anti-dependencies, and orders
// that
//         are no dependency. Of a short cycle, all.
// Cost:   linear.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "anomaly/anomaly.h"
#include "history/history.h"

namespace isolde {

// Indices into `steps`, at most `most` (at least 4).
[[nodiscard]] std::vector<std::size_t> shown_steps(std::span<const Step> steps, std::size_t most);

// "980 more steps", and what they have in common: "994 more steps, all ww on ring".
[[nodiscard]] std::string gap_text(const History& history, std::span<const Step> left_out);

}  // namespace isolde
