#include "db/server_process.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill is POSIX
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mutex>
#include <thread>

namespace isolde::db {

// What the child needs, laid out before the fork.
struct ProcessLaunch {
  std::vector<char*> argv;
  const char* folder;
  int input, output;
  RunAs as;
  int death_signal;
  pid_t parent;
};

namespace {

constexpr Milliseconds kPoll{5};
constexpr Milliseconds kHaltPoll{1};
constexpr Milliseconds kToolLimit{120'000};

std::vector<char*> pointers(const std::vector<std::string>& command) {
  std::vector<char*> argv;
  argv.reserve(command.size() + 1);
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  return argv;
}

// In the child: system calls only.
[[noreturn]] void become(const ProcessLaunch& launch) {
  setsid();  // away from the terminal: Ctrl-C is for us, and the server then follows by its death signal
  dup2(launch.input, STDIN_FILENO);
  dup2(launch.output, STDOUT_FILENO);
  dup2(launch.output, STDERR_FILENO);
  syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0);  // not all libraries mark their sockets to be closed
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int number : {SIGINT, SIGTERM, SIGQUIT, SIGPIPE, SIGHUP, SIGCHLD}) ::signal(number, SIG_DFL);
  if (launch.as.change && (setgroups(0, nullptr) != 0 || setgid(launch.as.gid) != 0 || setuid(launch.as.uid) != 0)) {
    _exit(126);
  }
  // After setuid, which clears it.
  prctl(PR_SET_PDEATHSIG, launch.death_signal);
  if (getppid() != launch.parent) _exit(126);  // it died before it could be told
  if (chdir(launch.folder) != 0) _exit(126);
  execv(launch.argv[0], launch.argv.data());
  _exit(127);
}

// An unnamed file that holds `text`, to be read from its start; -1: it cannot be made.
int file_with(const std::string& text) {
  if (text.empty()) return open("/dev/null", O_RDONLY | O_CLOEXEC);
  FILE* const file = std::tmpfile();
  if (file == nullptr) return -1;
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fflush(file) == 0;
  const int fd = written ? fcntl(fileno(file), F_DUPFD_CLOEXEC, 0) : -1;
  std::fclose(file);
  if (fd >= 0) lseek(fd, 0, SEEK_SET);
  return fd;
}

// The parent's process id and the state letter, from /proc/PID/stat; false: there is no such process.
bool process_stat(pid_t pid, pid_t& parent, char& state) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string line;
  if (!std::getline(file, line)) return false;
  const std::size_t after_name = line.rfind(')');  // the name may hold anything
  if (after_name == std::string::npos || after_name + 4 >= line.size()) return false;
  state = line[after_name + 2];
  parent = static_cast<pid_t>(std::strtol(line.c_str() + after_name + 4, nullptr, 10));
  return true;
}

std::vector<pid_t> children_of(pid_t pid) {
  std::vector<pid_t> children;
  DIR* const proc = opendir("/proc");
  if (proc == nullptr) return children;
  while (const dirent* const entry = readdir(proc)) {
    const pid_t child = static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10));
    pid_t parent = 0;
    char state = 0;
    if (child > 0 && process_stat(child, parent, state) && parent == pid && state != 'Z') children.push_back(child);
  }
  closedir(proc);
  return children;
}

// Stopped by a signal, or ended: it does nothing until somebody continues it.
bool is_halted(pid_t pid) {
  pid_t parent = 0;
  char state = 0;
  return !process_stat(pid, parent, state) || std::strchr("TtZX", state) != nullptr;
}

}  // namespace

// The thread that forks.
class ServerProcess::Forker {
 public:
  Forker() : thread_([this] { serve(); }) {}
  Forker(const Forker&) = delete;
  Forker& operator=(const Forker&) = delete;
  ~Forker() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    wake_.notify_all();
    thread_.join();
  }

  pid_t fork_here(const ProcessLaunch& launch) {
    std::unique_lock lock(mutex_);
    launch_ = &launch;
    wake_.notify_all();
    wake_.wait(lock, [this] { return launch_ == nullptr; });
    return forked_;
  }

 private:
  void serve() {
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [this] { return over_ || launch_ != nullptr; });
      if (over_) return;
      forked_ = ::fork();
      if (forked_ == 0) become(*launch_);
      launch_ = nullptr;
      wake_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  const ProcessLaunch* launch_ = nullptr;
  pid_t forked_ = -1;
  bool over_ = false;
  std::thread thread_;  // last: it uses the others
};

ServerProcess::ServerProcess(RunAs as) : as_(as), forker_(std::make_unique<Forker>()) {}

ServerProcess::~ServerProcess() { kill_all(); }

Result<void> ServerProcess::start(const std::vector<std::string>& command, const std::string& folder,
                                  const std::string& log, int death_signal, const std::string& input) {
  const int in = file_with(input);
  const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  pid_t child = -1;
  std::string fault;
  if (in < 0 || out < 0) {
    fault = std::strerror(errno);
  } else {
    const ProcessLaunch launch{pointers(command), folder.c_str(), in, out, as_, death_signal, getpid()};
    child = forker_->fork_here(launch);
    if (child < 0) fault = "fork failed";
  }
  if (in >= 0) close(in);
  if (out >= 0) close(out);
  if (child < 0) return Error{fmt::format("cannot start {}: {}", command[0], fault)};
  pid_ = child;
  return {};
}

bool ServerProcess::running() {
  if (pid_ < 0) return false;
  pid_t seen = 0;
  do {
    seen = waitpid(pid_, &status_, WNOHANG);
  } while (seen < 0 && errno == EINTR);
  if (seen == 0) return true;
  if (seen < 0) status_ = -1;  // someone else took its status
  pid_ = -1;
  return false;
}

std::string ServerProcess::exit_status() const {
  if (status_ == -1) return "it ended for an unknown reason";
  if (WIFSIGNALED(status_)) return fmt::format("killed by signal {}", WTERMSIG(status_));
  if (WEXITSTATUS(status_) == 126) return "it could not become the user it should run as, or enter its folder";
  if (WEXITSTATUS(status_) == 127) return "its program could not be run";
  return fmt::format("exit status {}", WEXITSTATUS(status_));
}

bool ServerProcess::succeeded() const { return pid_ < 0 && WIFEXITED(status_) && WEXITSTATUS(status_) == 0; }

void ServerProcess::signal(int number) const {
  if (pid_ > 0) ::kill(pid_, number);
}

bool ServerProcess::wait_until_ended(Milliseconds limit) {
  const auto until = std::chrono::steady_clock::now() + limit;
  while (running()) {
    if (std::chrono::steady_clock::now() >= until) return false;
    std::this_thread::sleep_for(kPoll);
  }
  return true;
}

void ServerProcess::kill_all() {
  if (!running()) return;
  // Stopped first: so it starts no more children while they are listed, and reaps none, which keeps their ids theirs.
  ::kill(pid_, SIGSTOP);
  int state = 0;
  pid_t seen = 0;
  do {
    seen = waitpid(pid_, &state, WUNTRACED);
  } while (seen < 0 && errno == EINTR);
  if (seen == pid_ && !WIFSTOPPED(state)) {
    status_ = state;
    pid_ = -1;
    return;
  }
  // All are stopped before the first is killed: otherwise a client that sees one connection break can still commit on
  // another.
  const std::vector<pid_t> children = children_of(pid_);
  for (const pid_t child : children) ::kill(child, SIGSTOP);
  for (const pid_t child : children) {
    while (!is_halted(child)) std::this_thread::sleep_for(kHaltPoll);
  }
  for (const pid_t child : children) ::kill(child, SIGKILL);
  // Handles, because once it is dead its children are reaped by someone else and their ids may come to be another's.
  std::vector<pollfd> handles;
  for (const pid_t child : children) {
    const int handle = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
    if (handle >= 0) handles.push_back({handle, POLLIN, 0});
  }
  ::kill(pid_, SIGKILL);
  while (running()) std::this_thread::sleep_for(kPoll);
  for (pollfd& handle : handles) {
    while (poll(&handle, 1, -1) < 0 && errno == EINTR) {
    }
    close(handle.fd);
  }
}

Result<void> run_tool(const RunAs& as, const std::vector<std::string>& command, const std::string& folder,
                      const std::string& log, const std::string& input) {
  ServerProcess tool(as);
  if (Result<void> started = tool.start(command, folder, log, SIGKILL, input); !started) return started;
  if (!tool.wait_until_ended(kToolLimit)) {
    return Error{fmt::format("{} did not end in {} s\n{}", command[0], kToolLimit.count() / 1000, end_of_log(log))};
  }
  if (tool.succeeded()) return {};
  return Error{fmt::format("{} failed: {}\n{}", command[0], tool.exit_status(), end_of_log(log))};
}

}  // namespace isolde::db
