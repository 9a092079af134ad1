// tests/mirror/run_mirror.h: a trace through the online engine, as a stream would bring it; and traces made smaller.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "check/mirror/profile.h"
#include "check/online.h"
#include "tests/mirror/trace.h"

namespace isolde {

struct MirrorRun {
  std::vector<OnlineViolation> violations;
  OnlineCounts counts;

  [[nodiscard]] bool violated() const { return !violations.empty(); }
  [[nodiscard]] std::string text() const;  // one line a violation
};

// `each`: the watermark follows every transaction, else it comes at the end. `partitions`: keys are dealt out to so
// many.
[[nodiscard]] MirrorRun run_mirror(const Trace& trace, const mirror::Profile& profile, bool each,
                                   std::uint32_t partitions = 1);

// Leaves out transactions, operations and rows, and narrows values, as long as `still` holds.
[[nodiscard]] Trace smallest(Trace trace, const std::function<bool(const Trace&)>& still);

}  // namespace isolde
