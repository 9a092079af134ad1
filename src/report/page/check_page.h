// report/page/check_page.h: a checked history as the data of its page.
//
// In, out: Report -> the JSON of a CheckPage (web/src/data.ts).
// Always:  the page of a history of any size stays small: only transactions that shown anomalies name, some that ran
//          beside them, and of long ones the operations that matter. Where that is still more than kLargestPage, less
//          is shown, and a note says so.
// Cost:    linear in the history; again for each time that what is shown has to be halved.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "report/report.h"

namespace isolde {

struct PageOptions {
  std::string_view version;          // of Isolde
  std::string_view command = {};     // that made it, as it was typed
  std::string_view subject = {};     // "register on SQLite 3.40.1": what was checked; empty: the file's name
  std::string_view watched = {};     // JSON of a WatchPage: how it was watched while it was made; empty: it was not
  std::size_t most_anomalies = 200;  // that are shown; all are counted
  std::size_t most_members = 40;     // transactions of one anomaly
  std::size_t most_operations = 24;  // of one transaction
  std::size_t most_around = 150;     // transactions that ran beside
  std::size_t most_drawn = 100'000;  // transactions in the picture of the whole history
  std::size_t most_versions = 600;   // of one key; the page shows those beside the anomaly that is looked at
};

[[nodiscard]] std::string check_page_json(const Report& report, const PageOptions& options);

}  // namespace isolde
