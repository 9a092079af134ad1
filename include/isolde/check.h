// isolde/check.h: judge a history at an isolation level.
#pragma once

#include <cstddef>
#include <string>

#include "isolde/history.h"
#include "isolde/verdict.h"

namespace isolde::api {

struct CheckOptions {
  std::string method = {};     // empty: the cheapest that the evidence supports
  double timeout_seconds = 0;  // 0: none, work is limited instead; when it runs out the verdict is undecided
  unsigned threads = 1;
  std::size_t max_anomalies = 1000;  // how many are kept with their details; all are counted
  bool order_by_commit_ts = false;   // take commit timestamps as the serialization order
  // Evidence turned on and off: session, versions, realtime, timestamps with commas between, as `isolde check --use`
  // and
  // `--ignore` take them. With session or realtime another level may be judged; the verdict names it.
  std::string use = {};
  std::string ignore = {};
  bool prove = false;      // re-check the verdict from the history alone; undecided if that fails
  bool guess = true;       // solver: hints may be tried first; they decide nothing
  bool strongest = false;  // also look for the strongest level that holds; the timeout is for both
};

// `level`: a name as in `isolde explain --list`, e.g. "snapshot-isolation" or "ser".
[[nodiscard]] Verdict check(const History& history, const std::string& level, const CheckOptions& options = {});

}  // namespace isolde::api
