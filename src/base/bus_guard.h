// base/bus_guard.h: survives mapped files being truncated while they are read.
//
// A read beyond the end of a mapped file raises SIGBUS, and log rotation truncates files. So mappings are registered
// here: a handler maps zeros at an address that no longer has a file behind it, and marks the mapping. A reader of a
// mapping calls was_cut() when it is done, and discards everything it read if the answer is yes.
// Always:  works in every thread. A SIGBUS at any other address goes to the previous handler, or ends the process.
//          The handler only touches atomics and makes one system call.
// Limits:  at most kMost mappings at a time; beyond that add() returns none, and the file has to be read instead.
#pragma once

#include <cstddef>

namespace isolde::bus_guard {

inline constexpr std::size_t kMost = 256;

struct Slot;

// Requires: [data, data + size) is mapped, and stays so until remove().
[[nodiscard]] Slot* add(const void* data, std::size_t size);
// Whether a byte was read that the file no longer has.
[[nodiscard]] bool was_cut(const Slot& slot);
void remove(Slot& slot);

}  // namespace isolde::bus_guard
