// The senders of examples/online against a listening input, which goes away in between.
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>

#include "stream/testing.h"

extern char** environ;

namespace isolde::stream {
namespace examples_test {

using testing::expected_writes;
using testing::Heard;

pid_t start(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = -1;
  EXPECT_EQ(::posix_spawnp(&child, arguments[0], nullptr, nullptr, arguments.data(), environ), 0);
  return child;
}

// Both send while the watcher is stopped and started again: every transaction comes once, in order.
void watch_both(const std::string& address, const std::string& spool, const std::string& token = {}) {
  constexpr int kCount = 20'000;
  InputOptions options;
  options.spool_folder = spool;
  std::string shown = address;
  Heard heard;
  std::vector<pid_t> children;
  std::size_t before = 0;
  for (int round = 0; round < 4; ++round) {
    auto input = listen_on({.address = shown, .token = token}, options);
    ASSERT_TRUE(input) << input.error().message();
    shown = testing::address_of(**input);
    if (round == 0) {
      const std::string python = std::string(ISOLDE_SOURCE_DIR) + "/examples/online/send_traces.py";
      children.push_back(start({"python3", python, shown, "python", "1", std::to_string(kCount)}));
      children.push_back(start({ISOLDE_BINARY_DIR "/send_traces", shown, "c++", "2", std::to_string(kCount)}));
    }
    heard.listen(**input, [&] {
      const std::size_t now = (*input)->counts().transactions;
      return round < 3 ? now > 5000 : before + now == std::size_t{2 * kCount} && heard.gone.size() == 2;
    });
    ASSERT_EQ(heard.error, "");
    before += (*input)->counts().transactions;
    ASSERT_FALSE(heard.pieces.empty());
    options.resume = heard.pieces.back().position;
  }
  for (const pid_t child : children) {
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  std::map<std::string, std::vector<std::string>> by_session;
  for (const std::string& write : testing::writes_of(heard.pieces)) by_session[write.substr(0, 1)].push_back(write);
  for (const int session : {1, 2}) {
    const auto wanted = expected_writes(session, 1, kCount);
    const auto& got = by_session[std::to_string(session)];
    const auto [w, g] = std::mismatch(wanted.begin(), wanted.end(), got.begin(), got.end());
    EXPECT_TRUE(w == wanted.end() && g == got.end())
        << got.size() << " of " << wanted.size() << " lines of session " << session << "; the first that differs is "
        << (w - wanted.begin()) << ": " << (g == got.end() ? "none" : *g);
  }
}

TEST(Examples, SendersGoOnWhenTheWatcherComesBackOnAUnixSocket) {
  testing::Scratch folder;
  watch_both("unix:" + folder / "socket", folder / "spool");
}

// The senders that docs/online.md shows.
TEST(Examples, TheSimpleSendersSendEverythingAndEnd) {
  constexpr int kCount = 5000;
  testing::Scratch folder;
  const std::string socket = folder / "socket";
  auto input = listen_on({.address = "unix:" + socket}, {});
  ASSERT_TRUE(input) << input.error().message();
  const std::string python = std::string(ISOLDE_SOURCE_DIR) + "/examples/online/send_simple.py";
  std::vector<pid_t> children;
  children.push_back(start({"python3", python, "unix:" + socket, "1", std::to_string(kCount)}));
  children.push_back(start({ISOLDE_BINARY_DIR "/send_simple", socket, "2", std::to_string(kCount)}));
  Heard heard;
  heard.listen(**input,
               [&] { return (*input)->counts().transactions == std::size_t{2 * kCount} && heard.gone.size() == 2; });
  ASSERT_EQ(heard.error, "");
  for (const pid_t child : children) {
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  std::map<std::string, std::vector<std::string>> by_session;
  for (const std::string& write : testing::writes_of(heard.pieces)) by_session[write.substr(0, 1)].push_back(write);
  EXPECT_EQ(by_session["1"], expected_writes(1, 1, kCount));
  EXPECT_EQ(by_session["2"], expected_writes(2, 1, kCount));
}

TEST(Examples, TheDocumentationShowsTheSimpleSendersAsTheyAreInThirtyLines) {
  const auto content = [](const std::string& name) {
    std::ifstream file(std::string(ISOLDE_SOURCE_DIR) + name);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::string page = content("/docs/online.md");
  for (const char* const name : {"send_simple.py", "send_simple.cc"}) {
    const std::string code = content(std::string("/examples/online/") + name);
    EXPECT_NE(page.find("\n" + code + "```\n"), std::string::npos) << name;
    EXPECT_GT(code.size(), 500U);
    EXPECT_LE(std::count(code.begin(), code.end(), '\n'), 30) << name;
  }
}

// A port below those that the system gives to clients. At one of theirs, a sender that tries while nobody listens may
// by chance connect to itself, and then the watcher finds its port taken.
std::string own_tcp_address(const std::string& token) {
  for (int port = 20'000 + static_cast<int>(::getpid() % 10'000);; ++port) {
    const std::string address = "tcp:127.0.0.1:" + std::to_string(port);
    if (listen_on({.address = address, .token = token}, {})) return address;
  }
}

TEST(Examples, SendersGoOnWhenTheWatcherComesBackOnTcp) {
  testing::Scratch folder;
  ::setenv("ISOLDE_TOKEN", "a token", 1);
  watch_both(own_tcp_address("a token"), folder / "spool", "a token");
  ::unsetenv("ISOLDE_TOKEN");
}

}  // namespace examples_test
}  // namespace isolde::stream
