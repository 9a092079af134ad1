// report/page/plots.h: what a history shows of its run over time: commits and aborts, and how long transactions took.
//
// In, out: the clients' intervals -> the JSON of a list of Plot (web/src/data.ts); an empty list where there are none.
// Always:  at most 240 points, however long the run; seconds where the history says that its clock has nanoseconds, as
//          what `isolde record` writes does, and else the unit of that clock.
// Cost:    one pass, and sorting of the latencies.
#pragma once

#include <string>

#include "history/history.h"

namespace isolde {

// Whether `isolde record` made it, with its clock of nanoseconds.
[[nodiscard]] bool has_nanoseconds(const History& history, std::string_view format);

[[nodiscard]] std::string plots_json(const History& history, bool nanoseconds);

}  // namespace isolde
