// history/given_initial.h: what keys hold before their first write, said by the user (`--initial`) instead of the file.
//
// Formats that do not say it mean something by it, which is not always what the database held: TimeKiller's samples
// begin with 0 in one file and with nothing in the next.
// In, out: a History and a scalar as text: 0, null, true, 1.5, "7" (a string), abc (a string, too) -> the same history,
//          in which every key that the file gives no initial value of its own holds that value at first. Keys that are
//          appended to begin empty all the same.
// Cost:    linear in keys, operations and values; the columns that do not change are shared.
#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "history/history.h"

namespace isolde {

// What is wrong with the text, if anything is.
[[nodiscard]] std::optional<Error> wrong_initial(std::string_view text);

[[nodiscard]] Result<History> with_initial(const History& history, std::string_view text);

}  // namespace isolde
