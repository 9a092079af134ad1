// batch/deal.h: each rank gets all operations on its share of the keys, as a history of its own.
//
// Timestamps decide a read, a write conflict, and who saw an unknown transaction, by the versions of one key. So a
// transaction is cut up: each rank gets the operations on its keys, with the times of the transaction. With several
// passes, a pass is about some of the keys only; keys are dealt out by a hash of their names.
//
// Always:  transactions of a share stand in the order of the whole history, and are named by their place there. Times
//          and traits are those of the whole transaction.
// Cost:    the parts are loaded once; what is sent takes about 4 bytes per operation and 10 per transaction and share;
//          in rounds of at most kRoundBytes per rank. Receiving: what was sent, and the share.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "batch/parts.h"
#include "batch/places.h"
#include "batch/ranks.h"
#include "history/history.h"

namespace isolde::batch {

// The keys are dealt out to so many ranks in so many passes.
struct Dealing {
  unsigned ranks = 1, passes = 1;
  [[nodiscard]] std::uint64_t bucket_of(const ValueTable& values, ValueId key_name) const;
  [[nodiscard]] std::uint64_t bucket(unsigned rank, unsigned pass) const { return std::uint64_t{pass} * ranks + rank; }
};

// What goes with the operations beside the times.
struct DealtToo {
  bool sessions = false;  // of transactions
  bool offsets = false;   // of operations in their transactions
};

// The operations on the keys of one rank in one pass.
struct KeyShare {
  History history;                     // ids of transactions mean nothing; serial orders: commit_ts is the place
  std::vector<std::uint64_t> place;    // of its transactions in the whole history
  std::vector<std::uint8_t> writes;    // whether the whole transaction writes
  std::vector<std::uint64_t> session;  // a print of its name, if it was asked for
  std::vector<std::uint32_t> offset;   // by operation: its place in the whole transaction, if it was asked for
};

inline constexpr std::size_t kRoundBytes = std::size_t{32} << 20;

// Requires: no predicates.
[[nodiscard]] Result<KeyShare> deal(Ranks& ranks, Parts& parts, const Dealing& dealing, unsigned pass,
                                    const TimeForm& form, DealtToo too = {});

}  // namespace isolde::batch
