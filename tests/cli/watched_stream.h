// tests/cli/watched_stream.h: a stream with planted faults that timeline and mirror both see, and watchers to kill.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/rng.h"

namespace isolde::test {

// Of a store that one transaction after the other uses, seven sessions in turn; about one read in thirty returns what
// had been overwritten. The first and last lines are heartbeats. Ids, sessions, keys and values are texts.
inline constexpr int kStreamSessions = 7;
[[nodiscard]] std::vector<std::string> faulty_stream(int transactions, Rng& rng);
// The same without a fault.
[[nodiscard]] std::vector<std::string> valid_stream(int transactions, Rng& rng);

// `isolde watch …` with its output in the file `log`, and `input` as its standard input (-1: this process's).
[[nodiscard]] pid_t start_watch(const std::vector<std::string>& args, const std::string& log, int input = -1);
void kill_watch(pid_t child);
// Its exit status; 128 + signal if it was killed.
[[nodiscard]] int ended(pid_t child);

// The identities in a record of violations, or in the events of `--json`, in its order.
[[nodiscard]] std::vector<std::string> identities(const std::string& path);

}  // namespace isolde::test
