// format/timekiller_write.h: a History of registers or lists as TimeKiller's JSON; see timekiller.h.
//
// Cost: linear.
#pragma once

#include <string_view>

#include "format/format.h"

namespace isolde {

// A timestamp is p * 2^kHybridShift + l, unless the history's `about` is kAboutHybrid, another number, kAboutHybridEnd.
inline constexpr int kHybridShift = 18;
inline constexpr std::string_view kAboutHybrid = "timestamps are p * 2^";
inline constexpr std::string_view kAboutHybridEnd = " + l";

[[nodiscard]] Result<Lost> write_timekiller(const History& history, Output& output);

}  // namespace isolde
