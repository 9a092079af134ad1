// base/bus_guard.h: mapped files that somebody truncates while they are read.
//
// A read beyond the end of a mapped file raises SIGBUS, and log rotation truncates files. So mappings are registered
// here: a handler puts zeros under an address that has no file behind it any more, and marks the mapping. Whoever reads
// a mapping asks was_cut() when it is done, and uses nothing that it read if the answer is yes.
// Always:  works in every thread. A SIGBUS at any other address goes to whoever handled it before, or ends the process.
//          The handler touches atomics and makes one system call.
// Limits:  at most kMost mappings at a time; then add() returns none, and the file has to be read instead.
#pragma once

#include <cstddef>

namespace isolde::bus_guard {

inline constexpr std::size_t kMost = 256;

struct Slot;

// Requires: [data, data + size) is mapped, and stays so until remove().
[[nodiscard]] Slot* add(const void* data, std::size_t size);
// Whether a byte was asked for that the file does not have any more.
[[nodiscard]] bool was_cut(const Slot& slot);
void remove(Slot& slot);

}  // namespace isolde::bus_guard
