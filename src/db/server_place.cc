#include "db/server_place.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill is POSIX
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace isolde::db {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kLogLines = 60;

// Waits until all that hold the other end of the pipe are gone. The server ends by its own death signal and may still
// write for a moment: hence more than one try.
constexpr const char* kCleaner =
    "cat >/dev/null; for i in 1 2 3 4 5 6 7 8 9 10; do rm -rf -- \"$0\" 2>/dev/null; sleep 0.3; "
    "[ -e \"$0\" ] || break; done";

// Where scratch folders are made: TMPDIR and its like, unless a socket's path below it would not fit its address.
fs::path scratch_base(std::string_view name) {
  constexpr std::size_t kSocketName = sizeof "/.s.PGSQL.65535.lock";
  std::error_code error;
  const fs::path base = fs::absolute(fs::temp_directory_path(error), error);
  const bool fits = base.string().size() + 1 + name.size() + kSocketName <= sizeof(sockaddr_un::sun_path);
  return error || !fits ? fs::path("/tmp") : base;
}

// Starts the shell that removes `path`; its pipe's end that we keep goes to `alive`.
pid_t start_cleaner(const std::string& path, int& alive) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return -1;
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  const char* const folder = path.c_str();
  const pid_t child = nothing < 0 ? -1 : fork();
  if (child == 0) {
    setsid();
    dup2(ends[0], STDIN_FILENO);
    dup2(nothing, STDOUT_FILENO);
    dup2(nothing, STDERR_FILENO);
    syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0);  // above all: the pipe's other end
    (void)!chdir("/");
    execl("/bin/sh", "sh", "-c", kCleaner, folder, static_cast<char*>(nullptr));
    _exit(127);
  }
  if (nothing >= 0) close(nothing);
  close(ends[0]);
  if (child < 0) {
    close(ends[1]);
    return -1;
  }
  alive = ends[1];
  return child;
}

}  // namespace

RunAs run_as(const std::vector<std::string>& names) {
  if (geteuid() != 0) return {};
  std::vector<std::string> tried = names;
  tried.emplace_back("nobody");
  for (const std::string& name : tried) {
    std::array<char, 4096> text{};
    passwd entry{};
    passwd* found = nullptr;
    if (getpwnam_r(name.c_str(), &entry, text.data(), text.size(), &found) == 0 && found != nullptr) {
      return {true, entry.pw_uid, entry.pw_gid};
    }
  }
  return {true, 65534, 65534};
}

Result<ServerFolder> ServerFolder::create(const std::string& kind, const RunAs& as) {
  const std::string name = "isolde-" + kind + "-XXXXXX";
  std::string path = (scratch_base(name) / name).string();
  if (mkdtemp(path.data()) == nullptr) return Error{fmt::format("cannot make {}: {}", path, std::strerror(errno))};
  int alive = -1;
  const pid_t cleaner = start_cleaner(path, alive);
  if (cleaner < 0) {
    rmdir(path.c_str());
    return Error{fmt::format("cannot start a shell: {}", std::strerror(errno))};
  }
  ServerFolder folder(path, alive, cleaner);
  if (as.change && chown(path.c_str(), as.uid, as.gid) != 0) {
    return Error{fmt::format("cannot give {} to the server's user: {}", path, std::strerror(errno))};
  }
  return folder;
}

ServerFolder::ServerFolder(ServerFolder&& other) noexcept
    : path_(std::move(other.path_)), alive_(other.alive_), cleaner_(other.cleaner_) {
  other.path_.clear();
  other.cleaner_ = -1;
}

ServerFolder::~ServerFolder() {
  if (cleaner_ < 0) return;
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  // Killed while its pipe is still open: it has not begun.
  ::kill(cleaner_, SIGKILL);
  int status = 0;
  while (waitpid(cleaner_, &status, 0) < 0 && errno == EINTR) {
  }
  close(alive_);
}

std::string end_of_log(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  std::string line;
  while (std::getline(file, line)) lines.push_back(line);
  std::string text;
  for (std::size_t i = lines.size() > kLogLines ? lines.size() - kLogLines : 0; i < lines.size(); ++i) {
    text += (text.empty() ? "" : "\n") + lines[i];
  }
  return text;
}

Result<std::string> greeting(const std::string& socket, Milliseconds limit) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket.size() >= sizeof address.sun_path) return Error{fmt::format("{}: too long for a socket", socket)};
  std::memcpy(address.sun_path, socket.c_str(), socket.size() + 1);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return Error{std::strerror(errno)};
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    const std::string fault = std::strerror(errno);
    close(fd);
    return Error{fmt::format("{}: {}", socket, fault)};
  }
  std::string said;
  pollfd wait{fd, POLLIN, 0};
  if (poll(&wait, 1, static_cast<int>(limit.count())) == 1) {
    std::array<char, 64> bytes{};
    const ssize_t count = recv(fd, bytes.data(), bytes.size(), 0);
    if (count > 0) said.assign(bytes.data(), static_cast<std::size_t>(count));
  }
  close(fd);
  return said;
}

std::string find_program(const std::string& name, const std::vector<std::string>& folders) {
  for (const std::string& folder : folders) {
    const std::string program = fmt::format("{}/{}", folder, name);
    if (!folder.empty() && access(program.c_str(), X_OK) == 0) return program;
  }
  return {};
}

std::vector<std::string> and_path(std::vector<std::string> folders) {
  const char* const path = std::getenv("PATH");
  const std::string text = path == nullptr ? "" : path;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t to = std::min(text.find(':', from), text.size());
    folders.push_back(text.substr(from, to - from));
    from = to + 1;
  }
  return folders;
}

}  // namespace isolde::db
