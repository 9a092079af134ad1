// audit/class_graph.h: the classes and what they depend on each other by, as a Graphviz graph.
#pragma once

#include <string>

#include "audit/audit.h"

namespace isolde::audit {

// One edge a pair of classes that depend on each other, with its columns; those of anomalies are drawn thick.
[[nodiscard]] std::string class_graph_dot(const Audit& audit);

}  // namespace isolde::audit
