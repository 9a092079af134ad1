// batch/fetch.h: whole transactions of all ranks, brought to the first one.
//
// In, out: places in the whole history, or keys (on every rank the same) -> on rank 0 a joiner that holds those
//          transactions, in the order of the whole history; or, for fetch_all(), the whole history.
// Cost:    what is fetched, in memory of the first rank.
#pragma once

#include <cstdint>
#include <vector>

#include "batch/parts.h"
#include "batch/ranks.h"
#include "history/join.h"

namespace isolde::batch {

// Which keys of a part are among these; `keys` as for fetch_keys().
class KeysOfPart {
 public:
  KeysOfPart(const History& part, const std::vector<std::uint64_t>& keys);
  [[nodiscard]] const std::vector<bool>& marked() const { return marked_; }
  [[nodiscard]] std::uint32_t operations(TxnId txn) const;

 private:
  const History& part_;
  std::vector<bool> marked_;
};

// `places`: ascending, each once.
[[nodiscard]] Result<HistoryJoiner> fetch(Ranks& ranks, Parts& parts, const std::vector<std::uint64_t>& places);
// Of all transactions that touch these keys, what they did to them. `keys`: prints of names (history/fingerprint.h),
// ascending. Requires: no predicates.
[[nodiscard]] Result<HistoryJoiner> fetch_keys(Ranks& ranks, Parts& parts, const std::vector<std::uint64_t>& keys);
[[nodiscard]] Result<HistoryJoiner> fetch_all(Ranks& ranks, Parts& parts);

}  // namespace isolde::batch
