// cli/record_page.h: a run of `isolde record --watch`, as the data of a page.
//
// In, out: what the run and its watcher told, and what was recorded -> the JSON of a WatchPage (web/src/data.ts).
// Always:  a recording too large to be loaded beside everything else gives no plots and no operations; a note says so.
#pragma once

#include <string>

#include "cli/record_watch.h"
#include "record/run.h"

namespace isolde::cli {

// For people.
[[nodiscard]] constexpr double milliseconds(std::uint64_t nanoseconds) {
  return static_cast<double>(nanoseconds) / 1e6;
}

struct RecordedRun {
  std::string workload, level;  // by name
  std::uint32_t clients = 0;
  std::uint64_t seed = 0;
  const record::RunSummary& summary;
  std::string file;      // where the history is, or the folder of the recording
  bool checked = false;  // its page is that of a check, which has the plots of the run and most of the room
};

// `summary`: as watcher.finish() gave it.
[[nodiscard]] std::string record_page(RunWatcher& watcher, const stream::WatchSummary& summary, const RecordedRun& run);

}  // namespace isolde::cli
