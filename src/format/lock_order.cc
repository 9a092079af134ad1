#include "format/lock_order.h"

#include <algorithm>
#include <utility>

namespace isolde {

LockOrder lock_order(std::vector<LockedWriter>& writers) {
  std::sort(writers.begin(), writers.end(), [](const LockedWriter& a, const LockedWriter& b) {
    return std::pair(a.had_it, a.txn) < std::pair(b.had_it, b.txn);
  });
  LockOrder out;
  std::int64_t latest = INT64_MIN;  // when one of those that were taken had the row
  for (const LockedWriter& writer : writers) {
    if (writer.commit_sent < latest) {
      ++out.unordered;
      continue;
    }
    out.txns.push_back(writer.txn);
    latest = std::max(latest, writer.had_it);
  }
  return out;
}

}  // namespace isolde
