#include "history/history.h"

#include <algorithm>

namespace isolde {

const Snapshot* History::snapshot(TxnId t) const {
  const auto at = std::lower_bound(c_.snapshots.begin(), c_.snapshots.end(), t,
                                   [](const Snapshot& s, TxnId txn) { return s.txn < txn; });
  return at != c_.snapshots.end() && at->txn == t ? &*at : nullptr;
}

TxnId History::txn_of(OpId op) const {
  const auto after = std::upper_bound(c_.first_op.begin(), c_.first_op.end(), raw(op));
  return TxnId{static_cast<std::uint32_t>(after - c_.first_op.begin() - 1)};
}

History::Interval History::at(TxnId txn, OpId op) const {
  if (c_.op_before.empty() || c_.op_length[raw(op)] == kNone32) return {kNoTime, kNoTime};
  const std::uint32_t offset = c_.op_before[raw(op)];
  if (offset == kNone32) {
    const auto at = std::lower_bound(c_.wide_intervals.begin(), c_.wide_intervals.end(), op,
                                     [](const WideInterval& w, OpId id) { return w.op < id; });
    if (at == c_.wide_intervals.end() || at->op != op) return {kNoTime, kNoTime};
    return {at->before, at->after};
  }
  const std::int64_t base = begin(txn) == kNoTime ? 0 : begin(txn);
  return {base + offset, base + offset + c_.op_length[raw(op)]};
}

History::Interval History::commit_interval(TxnId txn) const {
  if (c_.commit_length.empty() || c_.commit_length[raw(txn)] == kNone32) return {kNoTime, kNoTime};
  const std::uint32_t offset = c_.commit_before[raw(txn)];
  if (offset == kNone32) {
    const auto at = std::lower_bound(c_.wide_commits.begin(), c_.wide_commits.end(), txn,
                                     [](const WideCommit& w, TxnId id) { return w.txn < id; });
    if (at == c_.wide_commits.end() || at->txn != txn) return {kNoTime, kNoTime};
    return {at->before, at->after};
  }
  const std::int64_t before = (begin(txn) == kNoTime ? 0 : begin(txn)) + offset;
  const std::uint32_t length = c_.commit_length[raw(txn)];
  return {before, length == kOpenCommit ? kNoTime : before + length};
}

std::string History::plain(ValueId v) const {
  if (values_.type(v) != ValueType::kString) return values_.json(v);
  const std::string_view text = values_.string(v);
  const bool simple = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == ':' || c == '.' || c == '/';
  });
  const bool looks_like_number = !text.empty() && (text[0] == '-' || (text[0] >= '0' && text[0] <= '9'));
  return simple && !looks_like_number ? std::string(text) : values_.json(v);
}

}  // namespace isolde
