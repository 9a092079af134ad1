// Who may read the clock: what a verdict says is the same on every machine, so that only options which name a time,
// waiting for others, and the cost that is reported may depend on it. Everything else counts its work (base/limits.h).
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>

#include "tests/cli/run_program.h"

namespace isolde::test {
namespace clock_test {

namespace fs = std::filesystem;

constexpr std::string_view kClocks[] = {"steady_clock", "system_clock", "high_resolution_clock", "clock_gettime",
                                        "gettimeofday"};

// Folders that record from, wait for or feed on others, as they are below src/.
constexpr std::string_view kWaiting[] = {"db/", "probe/", "record/", "stream/", "proxy/", "cluster/"};

// Elsewhere: what for.
const std::map<std::string, std::string> kAllowed = {
    {"base/limits.h", "the deadline that an option sets"},
    {"base/mapped_file.h", "the deadline that an option sets"},
    {"base/mapped_file.cc", "waits for a pipe"},
    {"cli/options.h", "--timeout"},
    {"api/check.cc", "CheckOptions::timeout_seconds; the seconds of the report"},
    {"audit/audit.cc", "the seconds of the report"},
    {"cli/check_progress.h", "progress on a terminal"},
    {"cli/check_progress.cc", "progress on a terminal"},
    {"cli/terminal.h", "the seconds of reports; how often progress is shown"},
    {"cli/terminal.cc", "how often progress is shown"},
    {"cli/verb_check.cc", "--timeout"},
    {"cli/cluster_sending.cc", "signs of life to a broker"},
    {"cli/watch_cluster.cc", "leases of workers"},
    {"hunt/hunt.cc", "--time; the seconds of the report"},
    {"hunt/reviving_arena.cc", "waits for a server to come back"},
};

TEST(Clock, IsReadOnlyForOptionsThatNameATimeForWaitingAndForCosts) {
  const fs::path root = ISOLDE_SOURCE_DIR "/src";
  std::map<std::string, std::string> unused = kAllowed;
  int looked_at = 0;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    const std::string name = fs::relative(entry.path(), root).generic_string();
    const std::string kind = entry.path().extension().string();
    if ((kind != ".cc" && kind != ".h") || name.ends_with("_test.cc") || name.ends_with("_bench.cc")) continue;
    ++looked_at;
    const std::string text = content_of(entry.path().string());
    if (std::none_of(std::begin(kClocks), std::end(kClocks),
                     [&](std::string_view c) { return text.find(c) != std::string::npos; }))
      continue;
    const bool waits = std::any_of(std::begin(kWaiting), std::end(kWaiting),
                                   [&](std::string_view folder) { return name.starts_with(folder); });
    EXPECT_TRUE(waits || kAllowed.contains(name)) << "src/" << name << " reads the clock: count work instead";
    unused.erase(name);
  }
  EXPECT_GT(looked_at, 500);
  for (const auto& [name, why] : unused) ADD_FAILURE() << "src/" << name << " does not read the clock any more";
}

}  // namespace clock_test
}  // namespace isolde::test
