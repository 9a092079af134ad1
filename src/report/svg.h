// report/svg.h: the cycles of anomalies as a picture for papers and tickets.
//
// Always: valid XML whatever the history's names and values are; no script, nothing is fetched.
#pragma once

#include <cstddef>
#include <string>

#include "report/report.h"

namespace isolde {

// The first `most` anomalies of the verdict, one below the other; one that is no cycle has its words only.
[[nodiscard]] std::string render_svg(const Report& report, std::size_t most);

}  // namespace isolde
