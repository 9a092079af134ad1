// check/mirror/pipelined.h: one instance of the mirror on two threads: while one judges a block of transactions, the
// other one reads the next block and looks its keys up.
//
// In, out: as make_mirror(), with partitions = 1.
// Always:  the violations of one thread, in the same order: what is taken and how far the stream has come goes through
//          one queue. At the limit of memory other keys may be given up, since that is done block by block.
// Why:     half of what a transaction costs is waiting for memory: its own operations, the table in which its keys are
//          found, and the keys. All but the last needs nothing of what the mirror knows, so it can be done ahead.
//          Dealing the keys out (partition.h) scales further, but each partition then has a share of nearly every
//          transaction, and what is done per transaction is done in each.
#pragma once

#include <memory>

#include "check/mirror/mirror.h"

namespace isolde::mirror {

// Where few keys fit into memory, one thread makes room for them one by one.
[[nodiscard]] bool can_be_pipelined(const MirrorOptions& options);
[[nodiscard]] std::unique_ptr<OnlineEngine> make_pipelined(const MirrorOptions& options, OnlineSink& sink);

}  // namespace isolde::mirror
