// tests/cli/watch_schedule_test.cc: `isolde watch` stopped and continued at random while others send to it, by a pipe
// or a socket, with short deadlines: of a valid stream nothing is told, of a faulty one each fault once.
//
// A deadline is about the sender's time, and a busy machine may hold this test up as well. So lines that explain each
// other are sent in groups; where sending a group took nearly as long as the deadline, what is told of it proves
// nothing and does not count. src/stream/random_schedule_test.cc has the same with a clock of its own.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <fstream>
#include <set>
#include <thread>

#include "tests/cli/run_program.h"
#include "tests/cli/watched_stream.h"
#include "tests/support/comes_true.h"
#include "tests/support/effort.h"

namespace isolde::test {
namespace watch_schedule_test {

using std::chrono::steady_clock;

constexpr int kTransactions = 1400;  // a multiple of the sessions
constexpr int kGroups = kTransactions / kStreamSessions;

enum class Way : std::uint8_t { kPipe, kSocket };

void pause_up_to(double seconds, Rng& rng) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds * rng.unit()));
}

// Stops and continues a process until it is told to end.
class Stopper {
 public:
  Stopper(pid_t child, double longest, std::uint64_t seed)
      : thread_([this, child, longest, seed] {
          Rng rng(seed);
          while (!done_) {
            pause_up_to(longest / 3, rng);
            kill(child, SIGSTOP);
            pause_up_to(longest, rng);
            kill(child, SIGCONT);
          }
        }) {}
  ~Stopper() {
    done_ = true;
    thread_.join();
  }
  Stopper(const Stopper&) = delete;
  Stopper& operator=(const Stopper&) = delete;

 private:
  std::atomic<bool> done_ = false;
  std::thread thread_;
};

int connect_to(const std::string& path) {
  const int peer = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  EXPECT_TRUE(comes_true([&] { return connect(peer, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0; }));
  return peer;
}

void put(int fd, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t n = write(fd, text.data() + at, text.size() - at);
    ASSERT_GT(n, 0);
    at += static_cast<std::size_t>(n);
  }
}

// Sends the lines between the heartbeats in groups of one transaction a session, each in an order by chance; returns
// the groups whose sending took so long that some of it may have come too late.
std::set<int> send_groups(int fd, const std::vector<std::string>& lines, double deadline, Rng& rng) {
  std::set<int> slow;
  const auto line = [&](int i) { return lines[static_cast<std::size_t>(i)] + "\n"; };
  std::string heads, tails;
  for (int s = 0; s < kStreamSessions; ++s) heads += line(s);
  for (int s = 0; s < kStreamSessions; ++s) tails += line(kStreamSessions + kTransactions + s);
  put(fd, heads);
  for (int group = 0; group < kGroups; ++group) {
    std::vector<int> order;
    for (int s = 0; s < kStreamSessions; ++s) order.push_back(kStreamSessions * (group + 1) + s);
    for (std::size_t n = order.size(); n > 1; --n) std::swap(order[n - 1], order[rng.below(n)]);
    const auto began = steady_clock::now();
    for (const int i : order) {
      put(fd, line(i));
      if (rng.chance(0.05)) pause_up_to(deadline / 4, rng);
    }
    if (std::chrono::duration<double>(steady_clock::now() - began).count() > deadline * 0.8) slow.insert(group);
  }
  put(fd, tails);
  return slow;
}

std::uint64_t number_behind(const std::string& text, std::string_view label) {
  const std::size_t at = text.rfind(label);
  std::uint64_t value = 0;
  if (at != std::string::npos) std::from_chars(text.data() + at + label.size(), text.data() + text.size(), value);
  return value;
}

// The groups of the transactions that are told as guilty.
std::vector<int> groups_told(const std::string& log) {
  std::vector<int> groups;
  std::ifstream in(log);
  for (std::string line; std::getline(in, line);) {
    if (line.find("\"event\": \"violation\"") == std::string::npos) continue;
    groups.push_back(static_cast<int>(number_behind(line, "\"transactions\": [\"t")) / kStreamSessions);
  }
  return groups;
}

struct Run {
  std::set<int> slow;
  int status = -1;
  std::string log;  // the file
};

Run run(const Scratch& scratch, Way way, const std::string& method, const std::vector<std::string>& lines,
        std::uint64_t seed) {
  Rng rng(seed);
  const double deadline = 0.1 + 0.4 * rng.unit();
  Run out;
  out.log = scratch.path("log");
  std::vector<std::string> args = {
      "--level",    "snapshot-isolation",           "--method", method, "--silence", "0", "--hold", "0", "--json",
      "--deadline", fmt::format("{:.3f}", deadline)};
  int pipe_ends[2] = {-1, -1};
  const std::string socket = scratch.path("socket");
  if (way == Way::kPipe) {
    EXPECT_EQ(pipe2(pipe_ends, O_CLOEXEC), 0);
    args.insert(args.begin(), "-");
  } else {
    args.insert(args.begin(), {"--listen", "unix:" + socket});
  }
  const pid_t child = start_watch(args, out.log, pipe_ends[0]);
  if (way == Way::kPipe) close(pipe_ends[0]);
  const int fd = way == Way::kPipe ? pipe_ends[1] : connect_to(socket);
  {
    const Stopper stopper(child, 3 * deadline, rng.next());
    out.slow = send_groups(fd, lines, deadline, rng);
  }
  close(fd);
  if (way == Way::kSocket) {
    const std::string wanted =
        fmt::format(R"("arrived": {}, "taken": {}, "checked": {},)", kTransactions, kTransactions, kTransactions);
    EXPECT_TRUE(comes_true([&] { return content_of(out.log).find(wanted) != std::string::npos; }))
        << content_of(out.log);
    kill(child, SIGINT);
  }
  out.status = ended(child);
  return out;
}

void expect_nothing_told(Way way, const std::string& method, std::uint64_t first) {
  for (const std::uint64_t seed : effort::seeds(first, 1, "stopped_streams")) {
    const Scratch scratch;
    Rng rng(seed);
    const Run watched = run(scratch, way, method, valid_stream(kTransactions, rng), seed);
    for (const int group : groups_told(watched.log)) {
      EXPECT_TRUE(watched.slow.contains(group)) << "seed " << seed << ", group " << group << "\n"
                                                << content_of(watched.log);
    }
    if (watched.slow.empty()) {
      EXPECT_EQ(watched.status, 0) << "seed " << seed << "\n" << content_of(watched.log);
    }
  }
}

void expect_each_told_once(Way way, const std::string& method, std::uint64_t first) {
  for (const std::uint64_t seed : effort::seeds(first, 1, "stopped_streams")) {
    const Scratch scratch;
    Rng rng(seed);
    const std::vector<std::string> lines = faulty_stream(kTransactions, rng);
    std::string all;
    for (const std::string& line : lines) all += line + "\n";
    const pid_t child =
        start_watch({scratch.file("whole.jsonl", all), "--level", "snapshot-isolation", "--method", method, "--json"},
                    scratch.path("undisturbed"));
    EXPECT_EQ(ended(child), 1) << content_of(scratch.path("undisturbed"));
    std::vector<std::string> expected = identities(scratch.path("undisturbed"));
    const Run watched = run(scratch, way, method, lines, seed);
    std::vector<std::string> told = identities(watched.log);
    std::sort(expected.begin(), expected.end());
    std::sort(told.begin(), told.end());
    EXPECT_GT(expected.size(), 10U);
    EXPECT_EQ(std::adjacent_find(told.begin(), told.end()), told.end()) << "seed " << seed << ": told twice";
    EXPECT_EQ(watched.status, 1) << content_of(watched.log);
    std::vector<std::string> missing, more;
    std::set_difference(expected.begin(), expected.end(), told.begin(), told.end(), std::back_inserter(missing));
    std::set_difference(told.begin(), told.end(), expected.begin(), expected.end(), std::back_inserter(more));
    const std::string log = content_of(watched.log);
    EXPECT_LE(missing.size(), number_behind(log, "\"unchecked\": ")) << "seed " << seed << "\n" << log;
    if (watched.slow.empty()) {
      EXPECT_EQ(told, expected) << "seed " << seed << "\n" << log;
    }
    EXPECT_LE(more.size(), watched.slow.size() * kStreamSessions) << "seed " << seed << "\n" << log;
  }
}

TEST(WatchStopped, OfAValidStreamByAPipeNothingIsTold) {
  expect_nothing_told(Way::kPipe, "timeline", 1);
  expect_nothing_told(Way::kPipe, "mirror", 2'000);
}
TEST(WatchStopped, OfAValidStreamByASocketNothingIsTold) {
  expect_nothing_told(Way::kSocket, "timeline", 4'000);
  expect_nothing_told(Way::kSocket, "mirror", 6'000);
}
TEST(WatchStopped, OfAFaultyStreamByAPipeEachFaultIsToldOnce) {
  expect_each_told_once(Way::kPipe, "timeline", 8'000);
  expect_each_told_once(Way::kPipe, "mirror", 10'000);
}
TEST(WatchStopped, OfAFaultyStreamByASocketEachFaultIsToldOnce) {
  expect_each_told_once(Way::kSocket, "timeline", 12'000);
  expect_each_told_once(Way::kSocket, "mirror", 14'000);
}

}  // namespace watch_schedule_test
}  // namespace isolde::test
