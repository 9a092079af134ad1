// anomaly/level_list.h: lists of levels as constants that spans can point to.
#pragma once

#include <array>

#include "anomaly/level.h"

namespace isolde {

template <Level... kLevels>
inline constexpr std::array<Level, sizeof...(kLevels)> kLevelList = {kLevels...};

}  // namespace isolde
