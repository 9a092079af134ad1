// tests/cli/watched_stream.h: a stream with planted faults that timeline and mirror both see, and watchers to kill.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/rng.h"

namespace isolde::test {

// Of a store that one transaction after the other uses, seven sessions in turn; about one read in thirty returns what
// had been overwritten. The first and last lines are heartbeats. Ids, sessions, keys and values are texts.
[[nodiscard]] std::vector<std::string> faulty_stream(int transactions, Rng& rng);

// `isolde watch …` with its output in the file `log`.
[[nodiscard]] pid_t start_watch(const std::vector<std::string>& args, const std::string& log);
void kill_watch(pid_t child);
// Its exit status; 128 + signal if it was killed.
[[nodiscard]] int ended(pid_t child);

// The identities in a record of violations, in its order.
[[nodiscard]] std::vector<std::string> identities(const std::string& path);

}  // namespace isolde::test
