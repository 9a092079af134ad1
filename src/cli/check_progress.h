// cli/check_progress.h: how far a check is, whichever engine runs: on a terminal, one line with the seconds that went
// by; once it takes long, what it waits for and what would make it faster.
//
// Always:  nothing where standard error is no terminal, or with --quiet: what a script sees depends on no clock.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "anomaly/level.h"
#include "base/limits.h"
#include "history/history.h"

namespace isolde::cli {

// "database timestamps (start_ts, commit_ts), or …": evidence that the history lacks and that would replace a search by
// a sweep at this level; empty: none.
[[nodiscard]] std::string faster_evidence(const History& history, Level level);

class CheckProgress : public Progress {
 public:
  // `stage`: what is shown until the engine says more. `advice`: what to say once the check takes long; called from
  // another thread, while the check runs.
  CheckProgress(std::string subject, std::string stage, std::function<std::string()> advice, bool quiet);
  ~CheckProgress() override;
  CheckProgress(const CheckProgress&) = delete;
  CheckProgress& operator=(const CheckProgress&) = delete;
  void advance(std::string_view stage, std::uint64_t done, std::uint64_t total) override;

 private:
  void show_until_stopped(const std::stop_token& stop);

  std::string subject_;
  std::function<std::string()> advice_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::string stage_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point started_;
  std::jthread thread_;  // last: it uses the rest
};

}  // namespace isolde::cli
