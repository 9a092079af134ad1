#include "tests/cli/run_program.h"

#include <fcntl.h>
#include <pty.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp is POSIX
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace isolde::test {
namespace {

namespace fs = std::filesystem;

int status_of(int raw) { return WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw); }

[[noreturn]] void become(const std::vector<std::string>& command, const std::vector<std::string>& environment,
                         const std::string& folder) {
  ::setenv("LC_ALL", "C.UTF-8", 1);  // whatever the machine has: a test that is about locales names one
  for (const std::string& entry : environment) {
    const std::size_t equals = entry.find('=');
    ::setenv(entry.substr(0, equals).c_str(), entry.substr(equals + 1).c_str(), 1);
  }
  if (!folder.empty() && ::chdir(folder.c_str()) != 0) ::_exit(126);
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  ::execvp(argv[0], argv.data());
  ::_exit(127);
}

std::vector<std::string> with_program(std::vector<std::string> args) {
  args.insert(args.begin(), std::string(ISOLDE_BINARY_DIR) + "/isolde");
  return args;
}

}  // namespace

Answer run_program(const std::vector<std::string>& command, const std::vector<std::string>& environment,
                   const std::string& folder) {
  const Scratch scratch;
  const std::string out = scratch.path("out");
  const std::string err = scratch.path("err");
  const pid_t child = ::fork();
  if (child == 0) {
    const int null = ::open("/dev/null", O_RDONLY);
    const int to_out = ::open(out.c_str(), O_WRONLY | O_CREAT, 0600);
    const int to_err = ::open(err.c_str(), O_WRONLY | O_CREAT, 0600);
    ::dup2(null, 0);
    ::dup2(to_out, 1);
    ::dup2(to_err, 2);
    become(command, environment, folder);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return {status_of(status), content_of(out), content_of(err)};
}

Answer isolde(std::vector<std::string> args, const std::vector<std::string>& environment, const std::string& folder) {
  return run_program(with_program(std::move(args)), environment, folder);
}

Answer isolde_on_terminal(std::vector<std::string> args, const std::vector<std::string>& environment) {
  int terminal = -1;
  const std::vector<std::string> command = with_program(std::move(args));
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child == 0) {
    ::setenv("TERM", "xterm", 1);
    ::unsetenv("NO_COLOR");
    become(command, environment, {});
  }
  Answer answer;
  char buffer[4096];
  for (;;) {
    const ssize_t got = ::read(terminal, buffer, sizeof buffer);
    if (got <= 0) break;  // a terminal whose other side has gone answers with an error
    answer.out.append(buffer, static_cast<std::size_t>(got));
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ::close(terminal);
  answer.status = status_of(status);
  return answer;
}

Scratch::Scratch() {
  std::string name = (fs::temp_directory_path() / "isolde-test-XXXXXX").string();
  path_ = ::mkdtemp(name.data()) == nullptr ? std::string() : name;
}
Scratch::~Scratch() {
  std::error_code error;
  if (!path_.empty()) fs::remove_all(path_, error);
}
std::string Scratch::file(const std::string& name, const std::string& content) const {
  std::ofstream(path(name), std::ios::binary) << content;
  return path(name);
}

std::string content_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace isolde::test
