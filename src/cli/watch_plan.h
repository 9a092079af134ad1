// cli/watch_plan.h: what checks a stream: method, level or profile, limits; shared by `watch` and `record --watch`.
#pragma once

#include <optional>
#include <string>

#include "anomaly/level.h"
#include "base/result.h"
#include "check/mirror/profile.h"
#include "cli/options.h"
#include "cli/which_profile.h"
#include "stream/watcher.h"

namespace isolde::cli {

// The engines that check streams.
enum class OnlineMethod : std::uint8_t { kTimeline, kMirror };
[[nodiscard]] constexpr std::string_view name(OnlineMethod method) {
  return method == OnlineMethod::kMirror ? "mirror" : "timeline";
}

struct WatchPlan {
  std::optional<OnlineMethod> method;  // none: by the stream's first transactions
  std::string why = "as requested";    // that method
  std::optional<Level> level;
  std::optional<mirror::Profile> profile;
  double deadline = 10, silence = 10, hold = 0;  // seconds
  std::size_t memory = std::size_t{1} << 30;     // bytes, of everything
  std::size_t sessions = std::size_t{1} << 16;
  std::uint32_t threads = 1;  // that check; another one reads
  std::string spill;
  bool lenient = false;  // fields that the format does not have are ignored and counted
  bool whole = false;    // the stream is a file that does not grow: its sessions may stand one after another
  std::string input;     // what a checkpoint knows it by; empty: no part of the settings
};

// What was chosen, for the summary.
struct Chosen {
  std::string method, why;
  std::string judged;  // "snapshot-isolation", "the profile postgres:serializable"
  bool mirror = false;
  std::optional<mirror::Profile> profile;
  std::uint32_t partitions = 1;  // of the mirror's keys
};

[[nodiscard]] Result<WatchPlan> watch_plan(const Arguments& args);

// Fills in what an earlier watcher of the same checkpoint had chosen by itself.
void take_earlier(WatchPlan& plan, const stream::Settings& earlier);

// `plan` and `chosen` outlive it.
[[nodiscard]] stream::MakeChecker checker_of(const WatchPlan& plan, Chosen& chosen);

}  // namespace isolde::cli
