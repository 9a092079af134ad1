// format/native_fast.h: the quick way through a line of native JSON in the plain form that tools write.
//
// In, out: one transaction line -> the transaction in the builder, or false: then nothing was added and the line has to
//          take the general way (format/native_line.h), which also finds what is wrong with it.
// Always:  accepts only a subset of what the general way accepts, with the same meaning: integers and plain ASCII
//          strings without escapes, no fields but those of CONTRACT section 3, registers, lists, snapshots, `at` and
//          `lock`.
// Cost:    one look at each byte.
#pragma once

#include <string_view>

#include "history/history_builder.h"

namespace isolde {

// Requires: a '\n' stands right behind `line` (it stops the scan).
[[nodiscard]] bool add_plain_line(std::string_view line, HistoryBuilder& builder);

}  // namespace isolde
