// tests/mirror/blur.h: from real moments to what clients' clocks show of them, and changes of a trace at will.
#pragma once

#include <cstdint>
#include <vector>

#include "base/rng.h"
#include "tests/mirror/trace.h"

namespace isolde {

struct TxnMoments {
  std::int64_t begin;
  std::vector<std::int64_t> asked, ops;  // one an operation: when the request came, and when it was carried out
  std::int64_t end;
};

// Gives every operation an interval around its moment. Clients wait for an answer before they ask again. `width`: 0:
// the moment itself; 1: a little around; 2: anything up to the client's neighbouring requests. `begin_counts`:
// something happened at the begin's own moment.
void blur(Trace& trace, const std::vector<TxnMoments>& moments, int width, bool begin_counts, Rng& rng);

// Gives some transactions the interval of their commit, which may have been sent before the last answer came. Requires:
// blur() has been called.
void blur_commits(Trace& trace, const std::vector<TxnMoments>& moments, int width, Rng& rng);

// Changes a value that was read, or one end of an interval.
void change(Trace& trace, Rng& rng);

}  // namespace isolde
