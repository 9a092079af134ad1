// batch/sweeps.h: the sweeps over the shares of keys, and what of it travels to rank 0.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "batch/deal.h"
#include "batch/orders.h"
#include "check/timeline/sweep.h"

namespace isolde::batch {

// Which transactions of unknown outcome count, as far as the shares of this rank show it.
struct UnknownSeen {
  CountedUnknown yes, maybe;  // ascending
};
[[nodiscard]] UnknownSeen who_was_seen(const KeyShare& share, const CountedUnknown& already);

// What a sweep over one share found.
struct ShareFindings {
  bool has_ties = false;  // transactions of one time touch each other: nothing else counts
  std::uint64_t keys = 0;
  std::uint64_t count = 0;
  std::string findings;               // as RemoteFindings reads them
  std::vector<std::uint64_t> needed;  // places of the transactions that anomalies need, ascending
};
[[nodiscard]] ShareFindings sweep_share(KeyShare share, std::uint64_t bucket, const TimeForm& form,
                                        const CountedUnknown& counted);

// A finding of a sweep elsewhere. Its read, key and value are found in the transaction itself.
struct RemoteFinding {
  timeline::Finding::Type type;
  std::uint64_t bucket;
  std::uint64_t txn;  // place
  std::uint64_t op;   // which of the transaction's operations on keys of that bucket, from 0
  bool has_other;
  std::uint64_t other;
  bool expected_rich;
  ValueId expected;
  std::vector<ValueId> expected_elements;
  std::string expected_text;
};
// `values`: gets those that are expected.
[[nodiscard]] Result<std::vector<RemoteFinding>> read_findings(const std::string& bytes, ValueInterner& values);

}  // namespace isolde::batch
