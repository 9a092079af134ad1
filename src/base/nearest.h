// base/nearest.h: "did you mean …": the names that are closest to what was typed.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace isolde {

// At most three of `names`, closest first; none if nothing is close. Case and separators do not count.
[[nodiscard]] std::vector<std::string_view> nearest(std::string_view typed, std::span<const std::string_view> names);

// "; did you mean a, b or c?", or "" for none.
[[nodiscard]] std::string did_you_mean(std::string_view typed, std::span<const std::string_view> names);

}  // namespace isolde
