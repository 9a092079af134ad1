// history/given_initial.h: the initial value of keys, given by the user (`--initial`) instead of the file.
//
// A format that does not record initial values implies one, which is not always what the database had: TimeKiller's
// samples start at 0 in one file and with nothing in the next.
// In, out: a History and a scalar as text: 0, null, true, 1.5, "7" (a string), abc (also a string) -> the same history,
//          in which that is the initial value of every key without one of its own in the file. Keys that are appended
//          to still start empty.
// Cost:    linear in keys, operations and values; columns that do not change are shared.
#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "history/history.h"

namespace isolde {

// The error in the text, if there is one.
[[nodiscard]] std::optional<Error> wrong_initial(std::string_view text);

[[nodiscard]] Result<History> with_initial(const History& history, std::string_view text);

}  // namespace isolde
