// hunt/trial/turns.h: whose turn it is: orders of steps, and cases whose transactions come one after the other.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hunt/case/case.h"
#include "hunt/run/execution.h"

namespace isolde::hunt {

// Whether the order has each transaction's turns, one a statement and one for its end. Files may say anything.
[[nodiscard]] bool has_all_turns(const Case& test);

// The turns as the steps were answered, then those that never came up.
[[nodiscard]] std::vector<std::uint32_t> answered_order(const Case& test, const Execution& execution);

// The transactions in the order in which they come up, if none begins before the one before has ended.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> serial_order(const Case& test);

// The statements of those of these transactions that commit, one transaction after the other.
[[nodiscard]] std::vector<Place> statements_in(const Case& test, const std::vector<std::uint32_t>& transactions);

}  // namespace isolde::hunt
