// batch/facts.h: what is known of a history from one look at each of its parts.
//
// In, out: the parts of all ranks -> which evidence there is, and what of clocks a level's verdict depends on; a small
//          stand-in for the history, for decisions that only ask which columns it has.
// Cost:    each part is loaded once; one exchange.
#pragma once

#include <array>
#include <cstdint>

#include "batch/parts.h"
#include "batch/ranks.h"
#include "check/tested.h"

namespace isolde::batch {

// Plain data, so that it travels as it is. All numbers are sums over ranks.
struct Facts {
  // Parts that have something of the column; after merging: whether the history has it.
  struct Has {
    std::uint64_t start_ts, commit_ts, order, begin, end, sno, snapshots, predicates, version_orders, appends,
        overwrites, unknown;
  } has{};
  std::uint32_t flags = 0, unused = 0;
  // For the evidence of clocks (check/tested.h): the first that ended and the last that began, and where they stand.
  std::uint64_t ends = 0, begins = 0, unclocked = 0, counted = 0;
  std::int64_t first_end = INT64_MAX, last_begin = INT64_MIN;
  std::uint64_t first_ended = UINT64_MAX, last_began = UINT64_MAX;

  void merge(const Facts& other);
};

[[nodiscard]] Result<Facts> survey(Ranks& ranks, Parts& parts);

// One transaction, with the columns that the history has. Requires: the history is not empty.
[[nodiscard]] History stand_in(const Facts& facts);

// `sessions`: whether some transaction follows another one in its session.
[[nodiscard]] OrderEvidence order_evidence_of(const Facts& facts, bool sessions);

}  // namespace isolde::batch
