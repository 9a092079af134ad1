// db/server_place.h: where a scratch server lives: its folder, its user, its programs.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "base/result.h"

namespace isolde::db {

using Milliseconds = std::chrono::milliseconds;

// Whom a server runs as.
struct RunAs {
  bool change = false;  // we are root: become this user
  uid_t uid = 0;
  gid_t gid = 0;
};
// As ourselves; where we are root, the first of `names` that exists, or nobody.
[[nodiscard]] RunAs run_as(const std::vector<std::string>& names);

// A folder under the system's scratch folder that only its owner may enter, with a path that is short enough for the
// sockets in it, removed with the object; and also when this process dies without a word:
// a shell waits for the end of a pipe that only this process holds, and then removes the folder.
class ServerFolder {
 public:
  [[nodiscard]] static Result<ServerFolder> create(const std::string& kind, const RunAs& as);
  ServerFolder(ServerFolder&& other) noexcept;
  ServerFolder& operator=(ServerFolder&&) = delete;
  ServerFolder(const ServerFolder&) = delete;
  ServerFolder& operator=(const ServerFolder&) = delete;
  ~ServerFolder();
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  ServerFolder(std::string path, int alive, pid_t cleaner) : path_(std::move(path)), alive_(alive), cleaner_(cleaner) {}
  std::string path_;
  int alive_;      // our end of the pipe
  pid_t cleaner_;  // the shell
};

// The last lines of a log file, for an error message.
[[nodiscard]] std::string end_of_log(const std::string& path);

// Connects to the unix socket and returns the first bytes that it says within `limit` (up to 64); empty: it says
// nothing.
[[nodiscard]] Result<std::string> greeting(const std::string& socket, Milliseconds limit);

// The path of a program that is in one of `folders`; empty: it is in none.
[[nodiscard]] std::string find_program(const std::string& name, const std::vector<std::string>& folders);
// `folders` and then those of PATH.
[[nodiscard]] std::vector<std::string> and_path(std::vector<std::string> folders);

}  // namespace isolde::db
