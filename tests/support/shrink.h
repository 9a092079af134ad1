// tests/support/shrink.h: the smallest history that still shows a fault.
#pragma once

#include <functional>

#include "tests/support/draft.h"

namespace isolde {

// Takes away transactions, operations and evidence, one at a time, as long as `faulty` holds of what is left.
// Requires: faulty(draft).  Ensures: taking away any one more thing makes the fault go.
[[nodiscard]] Draft shrink(Draft draft, const std::function<bool(const Draft&)>& faulty);

}  // namespace isolde
