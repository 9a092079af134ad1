// tests/live/kill_test.cc: `isolde record` killed with SIGKILL at random moments: what it had recorded is readable,
// satisfies the level that was run at, and lacks nothing that the database has.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "base/rng.h"
#include "db/server.h"
#include "format/format.h"
#include "tests/cli/run_program.h"
#include "tests/live/final_lists.h"
#include "tests/live/shared_server.h"
#include "tests/support/comes_true.h"
#include "tests/support/effort.h"

namespace isolde::test {
namespace kill_test {

namespace fs = std::filesystem;

pid_t start(const std::vector<std::string>& command, const std::string& log) {
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child != 0) return child;
  const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  dup2(out, STDOUT_FILENO);
  dup2(out, STDERR_FILENO);
  execv(argv[0], argv.data());
  _exit(127);
}

std::uint64_t committed_so_far(const std::string& recording) {
  const auto loaded = load(recording, nullptr, {});
  return loaded ? status_counts(loaded->history).committed : 0;
}

// Starts a recording, waits until its folder is there (every other time: until a commit is in it, however slow the
// machine is) and then for a random while, and kills it.
void record_and_kill(const std::string& url, const std::string& out, const std::string& log, Rng& rng) {
  const pid_t child =
      start({ISOLDE_BINARY_DIR "/isolde", "record", url, "--workload", "list-append", "--level", "serializable",
             "--clients", "4", "--time", "100", "--seed", std::to_string(rng.below(1000)), "--out", out},
            log);
  int status = 0;
  bool has_ended = false;
  ASSERT_TRUE(comes_true([&] {
    has_ended = waitpid(child, &status, WNOHANG) != 0;
    return has_ended || fs::exists(out + ".recording");
  }));
  ASSERT_FALSE(has_ended) << "it ended by itself: " << content_of(log);
  if (rng.below(2) == 0) {
    ASSERT_TRUE(comes_true([&] { return committed_so_far(out + ".recording") > 0; }));
  }
  // Every fourth at once: while connections are made and journals begun.
  const std::uint64_t micros = rng.below(4) == 0 ? rng.below(10'000) : rng.below(200'000);
  std::this_thread::sleep_for(std::chrono::microseconds(micros));
  kill(child, SIGKILL);
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status)) << content_of(log);
}

void kill_again_and_again(const std::string& url) {
  const Scratch scratch;
  auto database = db::open_database(*db::parse_url(url));
  ASSERT_TRUE(database) << database.error().message();
  const std::uint64_t kills = effort::tries(20, "kills");
  Rng rng(effort::seed(20));
  StatusCounts all;
  for (std::uint64_t i = 0; i < kills; ++i) {
    const std::string out = scratch.path(fmt::format("run-{}.isl", i));
    record_and_kill(url, out, scratch.path("log"), rng);
    if (::testing::Test::HasFatalFailure()) return;
    const auto loaded = load(out + ".recording", nullptr, {});
    ASSERT_TRUE(loaded) << "kill " << i << ": " << loaded.error().message();
    EXPECT_EQ(loaded->format->name, "recording");
    const History& h = loaded->history;
    EXPECT_EQ(url.starts_with("postgres") ? against_postgres_serializable(h) : against_level(h, Level::kSerializable),
              "")
        << "kill " << i;
    EXPECT_EQ(against_final_lists(loaded->history, **database), "") << "kill " << i;
    const StatusCounts counts = status_counts(loaded->history);
    all.committed += counts.committed;
    all.unknown += counts.unknown;
  }
  if (kills >= 10) {
    EXPECT_GT(all.committed, 0U);
  }
  ::testing::Test::RecordProperty("committed", static_cast<int>(all.committed));
  ::testing::Test::RecordProperty("unknown", static_cast<int>(all.unknown));
}

TEST(Kill, ARecordingOnSqliteIsReadableWheneverTheRecorderDies) {
  const Scratch scratch;
  kill_again_and_again("sqlite:" + scratch.path("lists.db"));
}

TEST(Kill, ARecordingOnPostgresIsReadableWheneverTheRecorderDies) {
  const db::Server* const server = shared_server({"postgres", "", {}});
  ASSERT_TRUE(server);
  kill_again_and_again(server->url());
}

}  // namespace kill_test
}  // namespace isolde::test
