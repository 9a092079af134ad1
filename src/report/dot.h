// report/dot.h: the transactions and steps of anomalies as a graph for Graphviz.
//
// Always: one cluster an anomaly, the guilty transaction marked, in it one a case; every name is escaped, so that no
// history breaks the
//         syntax; of a long cycle only some steps (shown_steps.h), the rest as one node.
#pragma once

#include <cstddef>
#include <string>

#include "report/report.h"

namespace isolde {

// The first `most` anomalies of the verdict; a graph without nodes if it has none.
[[nodiscard]] std::string render_dot(const Report& report, std::size_t most);

}  // namespace isolde
