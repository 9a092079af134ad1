#include "tests/cli/watched_stream.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <map>

namespace isolde::test {

namespace {

std::vector<std::string> stream_of_store(int transactions, Rng& rng, bool faults) {
  constexpr int kSessions = kStreamSessions;
  constexpr std::uint64_t kKeys = 20;
  std::vector<std::string> lines;
  for (int s = 0; s < kSessions; ++s) lines.push_back(fmt::format(R"({{"session": "s{}", "heartbeat": 0}})", s));
  std::map<std::uint64_t, std::vector<int>> versions;  // of a key
  for (int i = 0; i < transactions; ++i) {
    const long begin = 10L * (i + 1);
    const std::uint64_t read = rng.below(kKeys), written = rng.below(kKeys);
    const auto& seen = versions[read];
    std::string value = "null";
    if (!seen.empty()) {
      const bool stale = faults && seen.size() > 1 && rng.below(30) == 0;
      value = fmt::format("\"v{}\"", seen[seen.size() - (stale ? 2 : 1)]);
    }
    lines.push_back(fmt::format(
        R"({{"id": "t{}", "session": "s{}", "ops": [["r", "k{}", {}, {{"at": [{}, {}]}}], ["w", "k{}", "v{}", {{"at": [{}, {}]}}]], )"
        R"("begin": {}, "end": {}, "start_ts": {}, "commit_ts": {}}})",
        i, i % kSessions, read, value, begin + 1, begin + 2, written, i, begin + 3, begin + 4, begin, begin + 9,
        begin + 1, begin + 8));
    versions[written].push_back(i);
  }
  for (int s = 0; s < kSessions; ++s) {
    lines.push_back(fmt::format(R"({{"session": "s{}", "heartbeat": {}}})", s, 10L * (transactions + 2)));
  }
  return lines;
}

}  // namespace

std::vector<std::string> faulty_stream(int transactions, Rng& rng) { return stream_of_store(transactions, rng, true); }
std::vector<std::string> valid_stream(int transactions, Rng& rng) { return stream_of_store(transactions, rng, false); }

pid_t start_watch(const std::vector<std::string>& args, const std::string& log, int input) {
  std::vector<std::string> command = {ISOLDE_BINARY_DIR "/isolde", "watch"};
  command.insert(command.end(), args.begin(), args.end());
  std::vector<char*> argv;
  for (std::string& word : command) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child != 0) return child;
  const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  dup2(out, STDOUT_FILENO);
  dup2(out, STDERR_FILENO);
  if (input >= 0) dup2(input, STDIN_FILENO);
  execv(argv[0], argv.data());
  _exit(127);
}

int ended(pid_t child) {
  int status = 0;
  if (waitpid(child, &status, 0) != child) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void kill_watch(pid_t child) {
  kill(child, SIGKILL);
  (void)ended(child);
}

std::vector<std::string> identities(const std::string& path) {
  std::vector<std::string> found;
  std::ifstream in(path);
  constexpr std::string_view kLabel = "\"identity\": \"";
  for (std::string line; std::getline(in, line);) {
    const std::size_t at = line.find(kLabel);
    if (at != std::string::npos) found.push_back(line.substr(at + kLabel.size(), 16));
  }
  return found;
}

}  // namespace isolde::test
