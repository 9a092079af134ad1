#include "check/sums/ledger.h"

#include <algorithm>

namespace isolde::sums {
namespace {

// Of one transaction, so far.
struct OwnAmounts {
  std::vector<Amount> adds;

  [[nodiscard]] const Amount* of(std::uint32_t key) const {
    const auto at = std::find_if(adds.begin(), adds.end(), [&](const Amount& a) { return a.key == key; });
    return at == adds.end() ? nullptr : &*at;
  }
  void add(std::uint32_t key, std::int64_t amount) {
    const auto at = std::find_if(adds.begin(), adds.end(), [&](const Amount& a) { return a.key == key; });
    if (at == adds.end()) {
      adds.push_back({key, amount});
    } else {
      at->amount += amount;
    }
  }
};

constexpr std::int64_t kMostSum = INT64_MAX / 4;  // of all amounts of one key, without signs, and of what was read
constexpr const char* kTooLarge = "sums close to 64 bits";

}  // namespace

Ledger::Ledger(const History& h) {
  const HistoryColumns& c = h.columns();
  if (!c.predicates.empty()) lack = "predicates";
  if (!c.version_orders.empty()) lack = "version orders";
  bool any_added = false;
  std::vector<std::int64_t> sum(h.key_count(), 0);
  const auto count = [&](std::uint32_t key, std::int64_t number) {
    const std::int64_t size = number < 0 ? -std::max(number, -kMostSum) : number;
    sum[key] = size > kMostSum - sum[key] ? kMostSum : sum[key] + size;
    if (sum[key] == kMostSum) lack = kTooLarge;
  };
  for (std::uint32_t i = 0; i < h.op_count() && lack.empty(); ++i) {
    const OpHead op = h.op(i);
    if (op.kind() != OpKind::kRead && op.kind() != OpKind::kIncrement)
      lack = "operations other than reads and increments";
    if (op.kind() != OpKind::kIncrement) continue;
    any_added = true;
    count(raw(op.key()), h.values().integer(h.op_value(i)));
  }
  if (lack.empty() && !any_added) lack = "no increments";
  for (std::uint32_t k = 0; k < h.key_count() && lack.empty(); ++k) {
    const ValueId value = h.initial(KeyId{k});
    const ValueType type = h.values().type(value);
    if (type != ValueType::kInteger && type != ValueType::kNull) {
      lack = "keys whose initial value is not a number";
      break;
    }
    Balance first;
    if (type == ValueType::kInteger) first = {h.values().integer(value), true};
    count(k, first.number);
    initial.push_back(first);
  }
  for (std::uint32_t t = 0; t < h.txn_count() && lack.empty(); ++t) {
    if (h.status(TxnId{t}) == Status::kAborted) continue;
    LedgerTxn txn{TxnId{t}, h.status(TxnId{t}) == Status::kCommitted, {}, {}};
    OwnAmounts own;
    for (std::uint32_t i = h.first_op(TxnId{t}); i < h.end_op(TxnId{t}) && lack.empty(); ++i) {
      const std::uint32_t key = raw(h.op(i).key());
      const ValueId value = h.op_value(i);
      if (h.op(i).kind() == OpKind::kIncrement) {
        own.add(key, h.values().integer(value));
        continue;
      }
      const ValueType type = h.values().type(value);
      const Amount* const mine = own.of(key);
      const bool fits = type == ValueType::kInteger || (type == ValueType::kNull && mine == nullptr);
      if (!fits) {
        lack = "reads of something other than a number";
        break;
      }
      BalanceRead read{key, {}, mine != nullptr, OpId{i}};
      if (type == ValueType::kInteger) {
        read.seen = {h.values().integer(value), true};
        if (read.seen.number > kMostSum || read.seen.number < -kMostSum) lack = kTooLarge;
        if (mine != nullptr) read.seen.number -= mine->amount;
      }
      txn.reads.push_back(read);
    }
    txn.adds = std::move(own.adds);
    std::sort(txn.adds.begin(), txn.adds.end(), [](const Amount& a, const Amount& b) { return a.key < b.key; });
    txns.push_back(std::move(txn));
  }
}

}  // namespace isolde::sums
