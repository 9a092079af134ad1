// cli/live_run.h: the numbers of runs for Prometheus, and the page of a recording or a hunt that goes on. (That of a
// watch is cli/watch_page.h's.)
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/live_server.h"
#include "hunt/hunt.h"
#include "record/run.h"
#include "stream/watcher.h"

namespace isolde::cli {

[[nodiscard]] std::string watch_metrics(const stream::WatchCounts& counts, double resident_mib);

// A run of `isolde record`: its rates over time. With --watch its page is that of the watch, and this gives numbers
// only.
class LiveRecord {
 public:
  // `subject`: "register on SQLite 3.40.1". `watched`: the page is somebody else's.
  LiveRecord(LiveServer* server, std::string subject, bool watched)
      : server_(server), subject_(std::move(subject)), watched_(watched) {}
  // Does nothing without a server.
  void show(const record::RunProgress& progress);

 private:
  [[nodiscard]] std::string page() const;

  LiveServer* server_;
  std::string subject_;
  bool watched_;
  std::vector<record::RunProgress> samples_;
  double every_ = 1;  // seconds
};

// The same for a hunt. Does nothing without a server; `findings`: one of each cause.
void show_hunt(LiveServer* server, const hunt::HuntCounts& counts, std::string_view title,
               std::span<const hunt::Finding> findings);

}  // namespace isolde::cli
