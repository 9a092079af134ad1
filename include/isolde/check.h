// isolde/check.h: check a history against an isolation level.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "isolde/history.h"
#include "isolde/verdict.h"

namespace isolde::api {

struct CheckOptions {
  std::string method = {};     // empty: the cheapest method that the evidence supports
  double timeout_seconds = 0;  // 0: no time limit, work is limited instead; when it runs out, the verdict is undecided
  unsigned threads = 1;
  std::size_t max_anomalies = 1000;  // how many are kept with their details; all are counted
  bool order_by_commit_ts = false;   // take commit timestamps as the serialization order
  // Evidence to use and to ignore: comma-separated lists of session, versions, realtime and timestamps, as in
  // `isolde check --use` and `--ignore`. With session or realtime, another level may be checked; the verdict names it.
  std::string use = {};
  std::string ignore = {};
  bool prove = false;  // re-check the verdict from the history alone; undecided if that fails
  bool guess = true;   // solver: try hints first; they never decide the verdict
  // Called now and then, by the thread that does the work: `done` of `total` (0: not known) in the named stage.
  std::function<void(std::string_view stage, std::uint64_t done, std::uint64_t total)> progress = {};
  // Set by any thread: the check ends soon, and the verdict is undecided. It must live until check() returns.
  const std::atomic<bool>* cancelled = nullptr;
  bool strongest = false;  // also find the strongest level that holds; the timeout covers both
};

// `level`: a name as in `isolde explain --list`, e.g. "snapshot-isolation" or "ser".
[[nodiscard]] Verdict check(const History& history, const std::string& level, const CheckOptions& options = {});

// The names that `level`, CheckOptions::method and load() understand, e.g. for a list in your own program.
[[nodiscard]] std::vector<std::string> level_names();
[[nodiscard]] std::vector<std::string> method_names();
[[nodiscard]] std::vector<std::string> format_names();
// The library's version, "1.2.3".
[[nodiscard]] std::string version();

}  // namespace isolde::api
