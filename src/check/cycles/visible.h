// check/cycles/visible.h: whether a snapshot shows what a transaction wrote, as PostgreSQL decides it
// (XidInMVCCSnapshot).
#pragma once

#include <algorithm>
#include <cstdint>

#include "history/history.h"

namespace isolde::graph {

[[nodiscard]] inline bool is_visible(const History& h, std::int64_t xid, const Snapshot& in) {
  if (xid < in.xmin) return true;
  if (xid >= in.xmax) return false;
  const auto active = h.columns().active_xids.subspan(in.active, in.active_count);
  return std::find(active.begin(), active.end(), xid) == active.end();
}

}  // namespace isolde::graph
