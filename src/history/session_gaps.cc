#include "history/session_gaps.h"

#include <utility>

namespace isolde {

bool is_numbered_apart(std::int64_t before, std::int64_t after) {
  if (before == kNoTime || after == kNoTime) return false;
  return before >= after || static_cast<std::uint64_t>(after) - static_cast<std::uint64_t>(before) != 1;
}

std::vector<SessionGap> session_gaps(const History& history) {
  std::vector<SessionGap> gaps;
  if (history.columns().sno.empty()) return gaps;
  std::vector<TxnId> last(history.session_count(), kNoTxn);
  for (std::uint32_t t = 0; t < history.txn_count(); ++t) {
    const TxnId before = std::exchange(last[raw(history.session(TxnId{t}))], TxnId{t});
    if (before == kNoTxn || !is_numbered_apart(history.sno(before), history.sno(TxnId{t}))) continue;
    gaps.push_back({before, TxnId{t}});
  }
  return gaps;
}

}  // namespace isolde
