// A listening input that is killed at any moment, restarted, and still gives every line once.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <numeric>
#include <thread>

#include "base/rng.h"
#include "stream/testing.h"

namespace isolde::stream {
namespace restart_test {

using testing::expected_writes;
using testing::Peer;

// What a watcher does: takes pieces, and now and then writes down what it has and up to which position, in one step.
[[noreturn]] void work(const std::string& folder) {
  std::vector<std::string> taken;
  InputOptions options;
  options.spool_folder = folder + "/spool";
  if (std::ifstream state(folder + "/state"); state) {
    std::getline(state, options.resume);
    for (std::string write; std::getline(state, write);) taken.push_back(write);
  }
  auto input = listen_on({.address = "unix:" + folder + "/socket"}, options);
  if (!input) ::_exit(3);
  for (int count = 1;; ++count) {
    auto next = (*input)->next(std::chrono::milliseconds(50));
    if (!next) ::_exit(4);
    if (!next->piece) continue;
    testing::append_writes(*next->piece->chunk, taken);
    if (count % 3 != 0 && taken.size() < 2000) continue;
    {
      std::ofstream state(folder + "/state.new");
      state << next->piece->position << "\n";
      for (const std::string& write : taken) state << write << "\n";
    }
    std::filesystem::rename(folder + "/state.new", folder + "/state");
    (*input)->covered(next->piece->position);
  }
}

pid_t start(const std::string& folder) {
  const pid_t child = ::fork();
  if (child == 0) work(folder);
  return child;
}

struct Client {
  std::string name;
  int session;
  std::vector<std::string> all;
  std::optional<Peer> peer;
  std::size_t acked = 0;
  std::optional<std::size_t> next;  // the line to be sent next; unknown until the server has said where to go on

  // One step of what docs/online.md says a sender should do.
  void step(const std::string& address, Rng& rng) {
    if (!peer) {
      peer.emplace(address);
      if (!peer->connected()) return peer.reset();
      peer->send("{\"hello\": \"" + name + "\"}\n");
      next.reset();
      heard = 0;
    }
    const std::string& text = peer->heard();
    for (std::size_t end = 0; (end = text.find('\n', heard)) != std::string::npos; heard = end + 1) {
      const std::string answer = text.substr(heard, end - heard);
      std::size_t number = 0;
      if (::sscanf(answer.c_str(), "{\"resume\": %zu}", &number) == 1) {
        ASSERT_GE(number, acked) << "what was acknowledged is forgotten";
        next = number;
      } else if (::sscanf(answer.c_str(), "{\"ack\": %zu}", &number) == 1) {
        ASSERT_GE(number, acked);
        acked = number;
      } else {
        FAIL() << answer;
      }
    }
    if (peer->closed()) return peer.reset();
    if (!next || *next >= all.size()) return;
    const std::string& line = all[*next];
    const std::size_t part = rng.below(10) == 0 ? rng.below(line.size()) : 0;
    if (part > 0 && rng.below(4) == 0) {  // it breaks in the middle of a line
      peer->send(line.substr(0, part));
      return peer.reset();
    }
    if (peer->send(line) < line.size()) return peer.reset();
    ++*next;
  }
  std::size_t heard = 0;
};

TEST(Restart, KilledAtAnyMomentEveryLineIsTakenOnce) {
  testing::Scratch folder;
  const std::string address = "unix:" + folder / "socket";
  constexpr int kLines = 3000;
  Rng rng(11);
  std::vector<Client> clients(3);
  for (int c = 0; c < 3; ++c) {
    clients[static_cast<std::size_t>(c)].name = "app-" + std::to_string(c);
    for (int i = 1; i <= kLines; ++i) clients[static_cast<std::size_t>(c)].all.push_back(testing::line(c, i));
  }
  // How many lines are acknowledged when it is killed: every plan is carried out, however the two take turns.
  std::vector<std::size_t> moments(20);
  for (std::size_t& moment : moments) moment = rng.below(3 * kLines);
  std::sort(moments.begin(), moments.end());
  pid_t child = start(folder.path);
  std::size_t steps = 0, kills = 0;
  const auto acked = [&] {
    return std::accumulate(clients.begin(), clients.end(), std::size_t{0},
                           [](std::size_t sum, const Client& c) { return sum + c.acked; });
  };
  const auto all_acked = [&] {
    return std::all_of(clients.begin(), clients.end(), [](const Client& c) { return c.acked == c.all.size(); });
  };
  while ((!all_acked() || kills < moments.size()) && !HasFatalFailure()) {
    for (Client& client : clients) client.step(address, rng);
    if (++steps % 16 == 0) std::this_thread::yield();
    if (kills < moments.size() && acked() >= moments[kills]) {
      ::kill(child, SIGKILL);
      int status = 0;
      ::waitpid(child, &status, 0);
      ASSERT_TRUE(WIFSIGNALED(status)) << "it ended with " << WEXITSTATUS(status);
      child = start(folder.path);
      ++kills;
    }
  }
  // Everything is acknowledged, so it is in the spool: another restart must find it there.
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(kills, moments.size());
  std::vector<std::string> taken;
  InputOptions options;
  options.spool_folder = folder / "spool";
  if (std::ifstream state(folder / "state"); state) {
    std::getline(state, options.resume);
    for (std::string write; std::getline(state, write);) taken.push_back(write);
  }
  auto input = listen_on({.address = address}, options);
  ASSERT_TRUE(input) << input.error().message();
  while (taken.size() < std::size_t{3 * kLines}) {
    const auto next = (*input)->next(std::chrono::milliseconds(0));
    ASSERT_TRUE(next);
    if (!next->piece) break;
    testing::append_writes(*next->piece->chunk, taken);
  }
  std::map<std::string, std::vector<std::string>> by_session;
  for (const std::string& write : taken) by_session[write.substr(0, write.find(':'))].push_back(write);
  for (int c = 0; c < 3; ++c) EXPECT_EQ(by_session[std::to_string(c)], expected_writes(c, 1, kLines));
}

}  // namespace restart_test
}  // namespace isolde::stream
