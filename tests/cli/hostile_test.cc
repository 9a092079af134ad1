// What others can do to a run: files that change under it, input without an end, texts that speak to a terminal, and
// neighbours who look at the list of processes.
#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "tests/cli/run_program.h"

namespace isolde::test {
namespace hostile_test {

std::string large_history(std::size_t bytes) {
  std::string text;
  for (int id = 1; text.size() < bytes; ++id) {
    text += "{\"id\":" + std::to_string(id) + ",\"session\":" + std::to_string(id % 7) + ",\"ops\":[[\"w\",\"k" +
            std::to_string(id) + "\"," + std::to_string(id) + "]]}\n";
  }
  return text;
}

// A process of the program that goes on beside the test.
pid_t start_isolde(const std::vector<std::string>& args, const std::string& out, const std::string& err) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
  ::dup2(::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
  ::dup2(::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
  const std::string program = std::string(ISOLDE_BINARY_DIR) + "/isolde";
  std::vector<char*> words = {const_cast<char*>(program.c_str())};
  for (const std::string& arg : args) words.push_back(const_cast<char*>(arg.c_str()));
  words.push_back(nullptr);
  ::execv(words[0], words.data());
  ::_exit(127);
}

int status_of(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST(Hostile, AFileThatIsTruncatedMeanwhileIsRefusedAndNeverJudged) {
  const Scratch scratch;
  const std::string content = large_history(std::size_t{12} << 20);
  const std::string isl = scratch.path("h.isl");
  ASSERT_EQ(isolde({"convert", scratch.file("h.jsonl", content), isl, "--quiet"}).status, 0);
  const std::string columns = content_of(isl);
  const std::vector<std::pair<std::string, std::string>> files = {{"cut.jsonl", content}, {"cut.isl", columns}};
  for (const auto& [name, bytes] : files) {
    for (int round = 0; round < 12; ++round) {
      const std::string file = scratch.file(name, bytes);
      const pid_t child =
          start_isolde({"check", file, "--level", "serializable", "--quiet"}, scratch.path("out"), scratch.path("err"));
      std::this_thread::sleep_for(std::chrono::milliseconds(8 * round));
      ASSERT_EQ(::truncate(file.c_str(), static_cast<off_t>(round % 3 == 0 ? 0 : bytes.size() / 2 + 100)), 0);
      const int status = status_of(child);
      const std::string err = content_of(scratch.path("err"));
      // Either it was done with the file before, or it says what is wrong with it.
      EXPECT_TRUE(status == 0 || status == 2) << status << " in round " << round << ": " << err;
      EXPECT_EQ(status == 2, !err.empty()) << err;
    }
  }
}

TEST(Hostile, ATimeLimitCoversInputThatDoesNotCome) {
  const Scratch scratch;
  const std::string pipe = scratch.path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& input : {pipe, std::string("/dev/zero")}) {
    const Answer a = isolde({"check", input, "--timeout", "0.2", "--level", "serializable", "--json"});
    EXPECT_EQ(a.status, 3) << a.err;
    EXPECT_EQ(a.err, input + ": the time limit ran out while it was read\n");
    EXPECT_EQ(a.out, "{\"file\": \"" + input +
                         "\", \"verdict\": \"undecided\", \"reason\": \"the time limit ran out while it was read\"}\n");
    EXPECT_EQ(isolde({"convert", input, scratch.path("out.jsonl"), "--timeout", "0.1"}).status, 3);
    EXPECT_EQ(isolde({"audit", input, "--timeout", "0.1"}).status, 3);
  }
}

// ESC, U+009B (the same in one character), a mark that turns the direction of what follows, and a line's end.
constexpr const char* kControls =
    "\033]0;x\a\xc2\x9b"
    "31m\xe2\x80\xae\xe2\x80\xa8\xef\xbb\xbf\x7f";

void expect_no_controls(const std::string& text) {
  for (const std::string_view control :
       {"\033]", "\a", "\xc2\x9b", "\xe2\x80\xae", "\xe2\x80\xa8", "\xef\xbb\xbf", "\x7f"})
    EXPECT_EQ(text.find(control), std::string::npos) << text;
}

TEST(Hostile, WhatAHistoryHoldsMovesNoCursor) {
  const Scratch scratch;
  std::string key;
  for (const char* c = kControls; *c != '\0'; ++c) {
    const auto byte = static_cast<unsigned char>(*c);
    key += byte < 0x20 ? (byte == 0x1b ? "\\u001b" : "\\u0007") : std::string(1, *c);
  }
  const std::string lines = "{\"id\":\"" + key + "1\",\"session\":\"" + key + "\",\"ops\":[[\"r\",\"" + key +
                            "\",null],[\"w\",\"" + key + "\",\"" + key + "1\"]]}\n{\"id\":\"" + key +
                            "2\",\"session\":2,\"ops\":[[\"r\",\"" + key + "\",null],[\"w\",\"" + key + "\",\"" + key +
                            "2\"]]}\n";
  const std::string file = scratch.file(std::string("a") + kControls + "\nb.jsonl", lines);
  for (const auto& more : std::vector<std::vector<std::string>>{{}, {"--json"}, {"--strongest"}}) {
    std::vector<std::string> words = {"check", file, "--level", "serializable"};
    words.insert(words.end(), more.begin(), more.end());
    const Answer a = isolde(words);
    EXPECT_EQ(a.status, 1) << a.err;
    expect_no_controls(a.out + a.err);
    const Answer shown = isolde_on_terminal(words);
    expect_no_controls(shown.out);
  }
  const Answer wrong = isolde({"check", scratch.file(std::string("w") + kControls + "\n✓ fine.jsonl",
                                                     "{\"isolde\": 1}\n{\"" + key + "\": 1}\n")});
  EXPECT_EQ(wrong.status, 2);
  expect_no_controls(wrong.err);
  EXPECT_EQ(wrong.err.find("\n✓"), std::string::npos) << "a name cannot make a line of its own: " << wrong.err;
  expect_no_controls(isolde({kControls}).err);
  expect_no_controls(isolde({"check", file, std::string("--") + kControls}).err);
}

TEST(Hostile, NeighboursSeeNoPassword) {
  // A server that never answers.
  const int listening = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof at;
  ASSERT_EQ(::bind(listening, reinterpret_cast<sockaddr*>(&at), sizeof at), 0);
  ASSERT_EQ(::listen(listening, 8), 0);
  ASSERT_EQ(::getsockname(listening, reinterpret_cast<sockaddr*>(&at), &size), 0);
  const Scratch scratch;
  const std::string url =
      "postgres://anna:secret-word@127.0.0.1:" + std::to_string(ntohs(at.sin_port)) + "/d?connect_timeout=20";
  const pid_t child = start_isolde({"probe", url}, scratch.path("out"), scratch.path("err"));
  const int connection = ::accept(listening, nullptr, nullptr);  // it has read its words by now
  const std::string words = content_of("/proc/" + std::to_string(child) + "/cmdline");
  EXPECT_EQ(words.find("secret"), std::string::npos);
  EXPECT_NE(words.find("anna:***"), std::string::npos) << words;
  ::close(listening);
  ::close(connection);
  EXPECT_EQ(status_of(child), 2);
  EXPECT_EQ((content_of(scratch.path("out")) + content_of(scratch.path("err"))).find("secret"), std::string::npos);
}

TEST(Hostile, NoErrorShowsAPassword) {
  const Scratch scratch;
  const std::vector<std::vector<std::string>> asked = {
      {"probe", "postgres://anna:secret@127.0.0.1:1/d"},
      {"probe", "postgres://anna:sec%ret@127.0.0.1:1/d"},
      {"probe", "oracle://anna:secret@h/d"},
      {"record", "mariadb://anna:secret@127.0.0.1:1/d", "--out", scratch.path("r.jsonl")},
      {"hunt", "postgres://anna:secret@127.0.0.1:99999/d"},
      {"check", "postgres://anna:secret@h/d"},
      {"postgres://anna:secret@h/d"},
      {"check", "--postgres://anna:secret@h/d"},
  };
  for (const auto& words : asked) {
    const Answer a = isolde(words);
    EXPECT_EQ(a.status, 2) << words.front();
    EXPECT_EQ((a.out + a.err).find("secret"), std::string::npos) << a.out << a.err;
    EXPECT_EQ((a.out + a.err).find("sec%ret"), std::string::npos) << a.out << a.err;
    EXPECT_NE(a.err, "");
  }
}

TEST(Hostile, APasswordMayStandInAFile) {
  const Scratch scratch;
  const Answer empty = isolde({"probe", "postgres://a@127.0.0.1:1/d", "--password-file", scratch.file("e", "\n")});
  EXPECT_EQ(empty.status, 2);
  EXPECT_NE(empty.err.find("the first line is empty: it must contain the password"), std::string::npos) << empty.err;
  const Answer both =
      isolde({"probe", "postgres://a:b@127.0.0.1:1/d", "--password-file", scratch.file("p", "secret\n")});
  EXPECT_EQ(both.status, 2);
  EXPECT_NE(both.err.find("use only one of them"), std::string::npos) << both.err;
}

}  // namespace hostile_test
}  // namespace isolde::test
