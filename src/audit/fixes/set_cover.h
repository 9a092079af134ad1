// audit/fixes/set_cover.h: few columns so that every cycle goes through one of them.
//
// In, out: for each element the sets that it is in -> sets that cover all elements which are in any.
// Always:  greedy: the set with the most elements that are not covered yet; among equals the one that comes first in
//          `order`. At most ln(n) + 1 times as many as the fewest.
// Cost:    near the size of the input: a heap whose counts are corrected only when they come to the top.
// Source:  Chvatal, A greedy heuristic for the set-covering problem; IsoDiff, section 3.7.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace isolde::audit {

// sets_of[e]: the sets of element e, each once. order[s]: the rank of set s among equals. In the order of choice.
[[nodiscard]] std::vector<std::uint32_t> greedy_cover(const std::vector<std::vector<std::uint32_t>>& sets_of,
                                                      std::span<const std::uint32_t> order);

}  // namespace isolde::audit
