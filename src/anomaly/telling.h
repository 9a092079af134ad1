// anomaly/telling.h: the most specific name that fits an anomaly: a G2-item of two transactions is a write skew.
//
// In, out: a History and an anomaly that an engine found in it -> the kind that a person should look up.
// Always:  a special case of the anomaly's own kind, derived only from its steps and operations, so it is as certain as
//          they are. If none fits, it is the kind itself.
// Cost:    linear in the operations of the transactions involved.
#pragma once

#include <string>

#include "anomaly/anomaly.h"
#include "history/history.h"

namespace isolde {

[[nodiscard]] AnomalyKind telling_kind(const History& history, const Anomaly& anomaly);
// "write-skew", "realtime-order", "G1a", "G2-item-session".
[[nodiscard]] std::string telling_name(const History& history, const Anomaly& anomaly);
// "write-skew (G2-item)", or one name if both are the same.
[[nodiscard]] std::string both_names(const History& history, const Anomaly& anomaly);

}  // namespace isolde
