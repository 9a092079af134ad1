// base/nearest.h: "did you mean …": the names closest to what was typed.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace isolde {

// At most three of `names`, closest first; none if nothing is close. Case and separators are ignored.
[[nodiscard]] std::vector<std::string_view> nearest(std::string_view typed, std::span<const std::string_view> names);

// "; did you mean a, b or c?", or "" if there is none.
[[nodiscard]] std::string did_you_mean(std::string_view typed, std::span<const std::string_view> names);

}  // namespace isolde
