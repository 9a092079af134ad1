// probe/file_trust.h: whether a scenario that came in a file only works on tables of its own.
#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "probe/scenario.h"

namespace isolde::probe {

// Nothing, or the error that refuses it, with the line (db/guard/file_sql.h says what is run).
[[nodiscard]] std::optional<Error> why_not_trusted(const Scenario& scenario, std::string_view dialect);

}  // namespace isolde::probe
