// tests/support/order_levels.h: the levels that are about one order of all transactions, or of their points.
#pragma once

#include "anomaly/level.h"

namespace isolde {

inline constexpr Level kOrderLevels[] = {Level::kPrefix,
                                         Level::kRepeatableRead,
                                         Level::kSnapshotIsolation,
                                         Level::kStrongSessionSnapshotIsolation,
                                         Level::kStrongSnapshotIsolation,
                                         Level::kSerializable,
                                         Level::kStrongSessionSerializable,
                                         Level::kStrictSerializable};

}  // namespace isolde
