// anomaly/anomaly_table.h: the rows behind anomaly.h, in the order of AnomalyKind.
#pragma once

#include <span>

#include "anomaly/anomaly.h"

namespace isolde {

[[nodiscard]] std::span<const AnomalyInfo> anomaly_table();

}  // namespace isolde
