// db/server_process.h: the processes of a scratch server: tools that run to their end, and the server itself.
//
// Always:  a child gives up root for the given user before it runs anything, and gets a signal when this process dies,
//          however it dies. That signal is tied by Linux to the *thread* that forked, so each ServerProcess has a
//          thread of its own that lives as long as it does. Between fork and exec nothing but system calls is made:
//          other threads may hold any lock.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "db/server_place.h"

namespace isolde::db {

class ServerProcess {
 public:
  explicit ServerProcess(RunAs as);
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;
  ~ServerProcess();  // kills what still runs

  // Starts `command` (the program's path first) in `folder`, its output and errors appended to `log`; standard input is
  // `input`, or empty. `death_signal`: what it gets when this process dies. Requires: nothing is running.
  [[nodiscard]] Result<void> start(const std::vector<std::string>& command, const std::string& folder,
                                   const std::string& log, int death_signal, const std::string& input = {});
  // False once it has ended; exit_status() says how.
  [[nodiscard]] bool running();
  [[nodiscard]] std::string exit_status() const;
  [[nodiscard]] bool succeeded() const;
  [[nodiscard]] pid_t pid() const { return pid_; }

  void signal(int number) const;
  // False if it still runs after `limit`.
  [[nodiscard]] bool wait_until_ended(Milliseconds limit);
  // SIGKILL to it and to all its children, with no chance for any of them to do something about the death of another.
  // Ensures: none of them runs any more.
  void kill_all();

 private:
  class Forker;
  RunAs as_;
  std::unique_ptr<Forker> forker_;
  pid_t pid_ = -1;  // -1: nothing was started, or its end was seen
  int status_ = 0;
};

// Runs a tool to its end; the error shows the end of the log.
[[nodiscard]] Result<void> run_tool(const RunAs& as, const std::vector<std::string>& command, const std::string& folder,
                                    const std::string& log, const std::string& input = {});

}  // namespace isolde::db
