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

[[nodiscard]] Result<WriteResult> write_timekiller(const History& history, Output& output);
[[nodiscard]] std::uint64_t unfit_for_timekiller(const History& history, HistoryContent content);

}  // namespace isolde
