// report/faults_shown.h: the faults of a history (kills, restarts, a nemesis) as reports show them.
//
// In, out: a History and an anomaly -> which faults were under way while its transactions ran, in words.
// Always:  a fault beside an anomaly is no cause of it: reports say when, never why. Nothing is said where the
// anomaly's
//          transactions have no times on the clients' clock.
#pragma once

#include <string>

#include "anomaly/anomaly.h"
#include "history/history.h"

namespace isolde {

// "crash, kill-connections 3": what happened between the first begin and the last end of its transactions; empty: none.
[[nodiscard]] std::string faults_during(const History& history, const Anomaly& anomaly);

}  // namespace isolde
