// report/page/whole_timeline.h: every transaction of a history as a bar in time, for a picture to pan and zoom.
//
// In, out: a History and the verdict on it -> JSON of a WholeTimeline (web/src/data.ts): a few bytes for each
//          transaction.
// Always:  bounded: of more than `most` transactions those of anomalies and an even share of the others are kept.
//          Times are those of the clients' clock, else the database's, else places in the file.
// Cost:    sorting the transactions by their begin.
#pragma once

#include <cstddef>
#include <string>

#include "anomaly/verdict.h"
#include "history/history.h"

namespace isolde {

// Empty: there are no transactions.
[[nodiscard]] std::string whole_timeline_json(const History& history, const Verdict& verdict, bool nanoseconds,
                                              std::size_t most);

}  // namespace isolde
