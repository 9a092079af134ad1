// report/json.h: a verdict as one JSON object on one line (CONTRACT section 4).
//
// Always: valid JSON whatever the history's names and values are; transaction ids and keys as in the file; fields that
// the
//         contract does not name may be added, none of it is left out.
#pragma once

#include <string>

#include "base/json_text.h"
#include "report/report.h"

namespace isolde {

// Without a newline at its end.
[[nodiscard]] std::string render_json(const Report& report);

// What stands in the place of a report for an input that could not be read: {"file": …, "error": …}.
[[nodiscard]] std::string render_json_error(std::string_view file, std::string_view message);
// A history of which nothing is known, since the time ran out while it was read.
[[nodiscard]] std::string render_json_undecided(std::string_view file, std::string_view reason);

}  // namespace isolde
