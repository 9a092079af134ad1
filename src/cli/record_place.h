// cli/record_place.h: whether a recording may be written where --out says: never over one that is there, unless asked.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"

namespace isolde::cli {

// The folder that a recording is written into while the run goes on.
[[nodiscard]] std::string folder_of_recording(const std::string& out);

// Nothing, or the error that says what is in the way. Changes nothing.
[[nodiscard]] std::optional<Error> what_is_in_the_way(const std::string& out, bool overwrite);

// Removes the folder that an earlier run left; the file stays until the new one takes its place.
// Requires: nothing is in the way.
[[nodiscard]] std::optional<Error> make_room(const std::string& out);

}  // namespace isolde::cli
