// tests/cli/watch_kill_test.cc: `isolde watch` killed with SIGKILL at random moments and started again: at the end its
// record holds what an undisturbed watcher finds, each violation once.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <fstream>
#include <optional>
#include <thread>

#include "tests/cli/run_program.h"
#include "tests/cli/watched_stream.h"
#include "tests/support/comes_true.h"
#include "tests/support/effort.h"

namespace isolde::test {
namespace watch_kill_test {

constexpr std::uint64_t kKills = 12;
constexpr int kTransactions = 5000;

void pause(std::uint64_t micros) { std::this_thread::sleep_for(std::chrono::microseconds(micros)); }
// Any moment may be the last: before it begins, or after it has written some states.
void live_for_a_while(Rng& rng) { pause(5'000 + rng.below(140'000)); }

// What both methods are told: times that no slow machine can break.
std::vector<std::string> settings(const std::string& method) {
  return {"--level", "snapshot-isolation", "--method", method,       "--silence", "0",     "--hold",
          "0",       "--checkpoint-every", "0.01",     "--deadline", "0.06",      "--json"};
}

std::vector<std::string> with(std::vector<std::string> args, const std::vector<std::string>& more) {
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

// What an undisturbed watcher records of all lines.
std::vector<std::string> undisturbed(const Scratch& scratch, const std::string& file, const std::string& method) {
  const pid_t child =
      start_watch(with({file, "--checkpoint", scratch.path("undisturbed")}, settings(method)), scratch.path("log"));
  EXPECT_EQ(ended(child), 1) << content_of(scratch.path("log"));
  std::vector<std::string> found = identities(scratch.path("undisturbed/violations.jsonl"));
  EXPECT_GT(found.size(), 50U);
  return found;
}

void expect_same(std::vector<std::string> found, std::vector<std::string> expected) {
  std::sort(found.begin(), found.end());
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(std::adjacent_find(found.begin(), found.end()), found.end()) << "one stands there twice";
  EXPECT_EQ(found, expected);
}

void grow_and_kill(const std::string& method) {
  const Scratch scratch;
  const std::uint64_t kills = effort::tries(kKills, "kills");
  Rng rng(effort::seed(7));
  std::string all;
  for (const std::string& line : faulty_stream(kTransactions, rng)) all += line + "\n";
  const auto expected = undisturbed(scratch, scratch.file("whole.jsonl", all), method);

  const std::string file = scratch.file("growing.jsonl", "");
  std::thread writer([&, sizes = Rng(effort::seed(8))]() mutable {
    std::ofstream out(file, std::ios::binary | std::ios::app);
    for (std::size_t at = 0; at < all.size();) {
      const std::size_t size = std::min(all.size() - at, std::size_t{1} + sizes.below(6000));
      out.write(all.data() + at, static_cast<std::streamsize>(size)).flush();
      at += size;
      pause(3000);
    }
  });
  for (std::uint64_t i = 0; i < kills; ++i) {
    const pid_t child =
        start_watch(with({file, "--follow", "--checkpoint", scratch.path("c")}, settings(method)), scratch.path("log"));
    live_for_a_while(rng);
    kill_watch(child);
  }
  writer.join();
  const pid_t last =
      start_watch(with({file, "--checkpoint", scratch.path("c")}, settings(method)), scratch.path("log"));
  EXPECT_EQ(ended(last), 1) << content_of(scratch.path("log"));
  expect_same(identities(scratch.path("c/violations.jsonl")), expected);
}

// A sender as docs/online.md describes it: says its name, goes on where it is told.
class Sender {
 public:
  Sender(std::string socket, const std::vector<std::string>& lines) : socket_(std::move(socket)), lines_(lines) {}
  ~Sender() { drop(); }

  std::atomic<bool> done = false;  // set from outside

  void operator()() {
    while (!done) {
      if (peer_ < 0 && !reach()) {
        pause(2000);
        continue;
      }
      listen();
      if (peer_ >= 0 && next_) send_some();
      pause(1500);
    }
  }

 private:
  void drop() {
    if (peer_ >= 0) close(peer_);
    peer_ = -1;
    next_.reset();
    heard_.clear();
  }
  bool reach() {
    peer_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    socket_.copy(address.sun_path, sizeof address.sun_path - 1);
    if (connect(peer_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return drop(), false;
    return put("{\"hello\": \"test\"}\n");
  }
  bool put(const std::string& text) {
    for (std::size_t at = 0; at < text.size();) {
      const ssize_t n = send(peer_, text.data() + at, text.size() - at, MSG_NOSIGNAL);
      if (n <= 0) return drop(), false;
      at += static_cast<std::size_t>(n);
    }
    return true;
  }
  void listen() {
    char bytes[4096];
    for (ssize_t n = 0; peer_ >= 0 && (n = recv(peer_, bytes, sizeof bytes, MSG_DONTWAIT)) >= 0;) {
      if (n == 0) return drop();
      heard_.append(bytes, static_cast<std::size_t>(n));
    }
    for (std::size_t end = 0; (end = heard_.find('\n')) != std::string::npos; heard_.erase(0, end + 1)) {
      const std::string line = heard_.substr(0, end);
      if (line.find("\"resume\"") != std::string::npos) next_ = number(line);
      EXPECT_EQ(line.find("\"error\""), std::string::npos) << line;
    }
  }
  static std::size_t number(const std::string& line) {
    const std::size_t at = line.find_first_of("0123456789");
    std::size_t value = 0;
    if (at != std::string::npos) std::from_chars(line.data() + at, line.data() + line.size(), value);
    return value;
  }
  void send_some() {
    std::string text;
    for (int i = 0; i < 8 && *next_ < lines_.size(); ++i) text += lines_[(*next_)++] + "\n";
    if (!text.empty()) (void)put(text);
  }

  const std::string socket_;
  const std::vector<std::string>& lines_;
  int peer_ = -1;
  std::string heard_;
  std::optional<std::size_t> next_;  // how many lines are sent; unknown until the watcher has said it
};

// Waits until the watcher says that everything that came is judged.
bool all_judged(const std::string& log) {
  const std::string wanted =
      fmt::format(R"("arrived": {}, "taken": {}, "checked": {},)", kTransactions, kTransactions, kTransactions);
  return comes_true([&] { return content_of(log).find(wanted) != std::string::npos; });
}

void send_and_kill(const std::string& method) {
  const Scratch scratch;
  const std::uint64_t kills = effort::tries(kKills, "kills");
  Rng rng(effort::seed(9));
  const std::vector<std::string> lines = faulty_stream(kTransactions, rng);
  std::string all;
  for (const std::string& line : lines) all += line + "\n";
  const auto expected = undisturbed(scratch, scratch.file("whole.jsonl", all), method);

  Sender sender(scratch.path("socket"), lines);
  std::thread sending([&] { sender(); });
  const auto args =
      with({"--listen", "unix:" + scratch.path("socket"), "--checkpoint", scratch.path("c")}, settings(method));
  for (std::uint64_t i = 0; i < kills; ++i) {
    const pid_t child = start_watch(args, scratch.path("log"));
    live_for_a_while(rng);
    kill_watch(child);
  }
  const pid_t last = start_watch(args, scratch.path("log"));
  EXPECT_TRUE(all_judged(scratch.path("log"))) << content_of(scratch.path("log"));
  kill(last, SIGINT);
  EXPECT_EQ(ended(last), 1) << content_of(scratch.path("log"));
  sender.done = true;
  sending.join();
  expect_same(identities(scratch.path("c/violations.jsonl")), expected);
}

TEST(WatchKilled, AGrowingFileByTimeline) { grow_and_kill("timeline"); }
TEST(WatchKilled, AGrowingFileByMirror) { grow_and_kill("mirror"); }
TEST(WatchKilled, ASocketByTimeline) { send_and_kill("timeline"); }
TEST(WatchKilled, ASocketByMirror) { send_and_kill("mirror"); }

}  // namespace watch_kill_test
}  // namespace isolde::test
