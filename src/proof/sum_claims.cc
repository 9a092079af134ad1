#include "proof/sum_claims.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace isolde::proof {
namespace {

using Sum = __int128;
using SumsByRead = std::vector<Sum>;  // one a read that is named

constexpr std::size_t kMostSetMembers = 16;

bool comes_before(const History& h, AddedOrder added, TxnId a, TxnId b) {
  if (added == AddedOrder::kNone || h.status(a) != Status::kCommitted) return false;
  if (h.session(a) == h.session(b)) return a < b;
  return added == AddedOrder::kRealTime && h.end(a) != kNoTime && h.begin(b) != kNoTime && h.end(a) < h.begin(b);
}

// Whether some of them, or none, add up to it.
bool some_add_up(const std::vector<SumsByRead>& members, std::size_t from, SumsByRead& left) {
  if (std::all_of(left.begin(), left.end(), [](Sum s) { return s == 0; })) return true;
  for (std::size_t i = from; i < members.size(); ++i) {
    for (std::size_t d = 0; d < left.size(); ++d) left[d] -= members[i][d];
    const bool found = some_add_up(members, i + 1, left);  // at most as deep as there are members
    for (std::size_t d = 0; d < left.size(); ++d) left[d] += members[i][d];
    if (found) return true;
  }
  return false;
}

bool may_reach(const std::vector<Sum>& amounts, Sum wanted) {
  Sum down = 0, up = 0, divisor = 0;
  for (Sum amount : amounts) {
    if (amount < 0) {
      down += amount;
      amount = -amount;
    } else {
      up += amount;
    }
    while (amount != 0) divisor = std::exchange(amount, divisor % amount);
  }
  return down <= wanted && wanted <= up && (divisor == 0 || wanted % divisor == 0);
}

}  // namespace

Fault sum_fault(const History& h, const Verdict& verdict, const Anomaly& a) {
  constexpr const char* kNotProved = "cannot be proved: too many transactions to try every order";
  if (a.unexplained.empty() || verdict.given != Given::kVersionOrders || verdict.level == Level::kReadUncommitted)
    return kNotProved;
  const bool together = asks_for_one_order(verdict.level);
  const TxnId reader = h.txn_of(a.unexplained.front());
  if (h.status(reader) != Status::kCommitted) return "the transaction does not count as committed";
  if (!together && a.unexplained.size() > 1) return "at this level reads need not be of one state";
  std::vector<KeyId> keys;
  SumsByRead wanted;
  for (const OpId op : a.unexplained) {
    const OpHead head = h.op(raw(op));
    if (h.txn_of(op) != reader || head.kind() != OpKind::kRead) return kNotProved;
    const auto number = [&](ValueId value) -> std::optional<Sum> {
      if (value == kNullValue) return Sum{0};
      if (h.values().type(value) != ValueType::kInteger) return std::nullopt;
      return Sum{h.values().integer(value)};
    };
    const auto seen = number(h.op_value(raw(op))), first = number(h.initial(head.key()));
    if (!seen || !first) return kNotProved;
    keys.push_back(head.key());
    wanted.push_back(*seen - *first);
    // What it had added itself.
    for (std::uint32_t i = h.first_op(reader); i < raw(op); ++i) {
      if (h.op(i).kind() == OpKind::kIncrement && h.op(i).key() == head.key())
        wanted.back() -= h.values().integer(h.op_value(i));
    }
  }
  const AddedOrder added = together ? info(verdict.level).order : AddedOrder::kNone;
  std::vector<SumsByRead> members;
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    const TxnId txn{t};
    if (h.status(txn) == Status::kAborted) continue;
    SumsByRead adds(keys.size(), 0);
    for (std::uint32_t i = h.first_op(txn); i < h.end_op(txn); ++i) {
      const OpHead op = h.op(i);
      if (is_predicate(op.kind())) return kNotProved;
      for (std::size_t d = 0; d < keys.size(); ++d) {
        if (op.kind() == OpKind::kRead || op.key() != keys[d]) continue;
        if (op.kind() != OpKind::kIncrement) return kNotProved;
        adds[d] += h.values().integer(h.op_value(i));
      }
    }
    if (txn == reader || comes_before(h, added, reader, txn)) continue;
    if (std::all_of(adds.begin(), adds.end(), [](Sum s) { return s == 0; })) continue;
    if (comes_before(h, added, txn, reader)) {
      for (std::size_t d = 0; d < keys.size(); ++d) wanted[d] -= adds[d];
    } else {
      members.push_back(std::move(adds));
    }
  }
  if (members.size() <= kMostSetMembers)
    return holds(!some_add_up(members, 0, wanted), "some transactions add up to what it read");
  const auto reaches = [&](auto&& of) {
    std::vector<Sum> amounts;
    for (const SumsByRead& member : members) amounts.push_back(of(member));
    return may_reach(amounts, of(wanted));
  };
  bool all = reaches([](const SumsByRead& sums) { return std::accumulate(sums.begin(), sums.end(), Sum{0}); });
  for (std::size_t d = 0; d < keys.size(); ++d) {
    all = all && reaches([d](const SumsByRead& sums) { return sums[d]; });
  }
  return holds(!all, "what it read may be a sum of what others add");
}

}  // namespace isolde::proof
