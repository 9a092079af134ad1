#include "tests/mirror/blur.h"

#include <algorithm>

namespace isolde {
namespace {

constexpr std::int64_t kShort = 2;

// Somewhere in [low, high], near `low`.
std::int64_t after_of(std::int64_t low, std::int64_t high, int width, Rng& rng) {
  if (width == 0) return low;
  if (width == 1) return rng.between(low, std::min(high, low + kShort));
  return rng.between(low, high);
}
std::int64_t before_of(std::int64_t low, std::int64_t high, int width, Rng& rng) {
  if (width == 0) return high;
  if (width == 1) return rng.between(std::max(low, high - kShort), high);
  return rng.between(low, high);
}

void change_read(TraceOp& op, std::size_t keys, Rng& rng) {
  const auto other = [&] { return rng.chance(0.2) ? DraftValue{} : DraftValue::of(rng.between(0, 5)); };
  if (op.kind == OpKind::kRead && op.value.type != DraftValue::Type::kList) op.value = other();
  if (op.kind == OpKind::kAggregate) op.value = DraftValue::of(rng.between(0, 3));
  if (op.kind != OpKind::kScan) return;
  if (!op.rows.empty() && rng.chance(0.5)) {
    op.rows.erase(op.rows.begin() + static_cast<std::ptrdiff_t>(rng.below(op.rows.size())));
  } else if (op.rows.size() < keys) {
    const int key =
        static_cast<int>(op.by_value ? rng.below(keys) : static_cast<std::uint64_t>(rng.between(op.low, op.high)));
    if (std::none_of(op.rows.begin(), op.rows.end(), [&](const auto& row) { return row.first == key; }))
      op.rows.emplace_back(key, DraftValue::of(rng.between(0, 5)));
  }
}

}  // namespace

void blur(Trace& trace, const std::vector<TxnMoments>& moments, int width, bool begin_counts, Rng& rng) {
  constexpr std::int64_t kFar = 12;
  for (std::size_t t = 0; t < trace.txns.size(); ++t) {
    TraceTxn& txn = trace.txns[t];
    const TxnMoments& real = moments[t];
    std::int64_t last = real.begin;
    if (!begin_counts && !real.ops.empty()) last = real.asked.front();
    txn.begin = before_of(last - kFar, last, width, rng);
    std::int64_t answered = begin_counts ? real.begin : txn.begin;
    for (std::size_t i = 0; i < txn.ops.size(); ++i) {
      const std::int64_t next = i + 1 < real.ops.size() ? real.asked[i + 1] : real.end;
      txn.ops[i].before = before_of(answered, real.asked[i], width, rng);
      txn.ops[i].after = after_of(real.ops[i], next, width, rng);
      answered = txn.ops[i].after;
    }
    txn.end = after_of(real.end, real.end + kFar, width, rng);
    if (txn.status == Status::kUnknown && rng.chance(0.5)) txn.end = kForever;
  }
}

void change(Trace& trace, Rng& rng) {
  for (int n = static_cast<int>(rng.between(1, 2)); n > 0; --n) {
    TraceTxn& txn = trace.txns[rng.below(trace.txns.size())];
    if (txn.ops.empty()) continue;
    const std::size_t i = rng.below(txn.ops.size());
    TraceOp& op = txn.ops[i];
    switch (rng.below(4)) {
      case 0:
        change_read(op, trace.initial.size(), rng);
        break;
      case 1:
        op.before = rng.between(op.before, op.after);
        break;
      case 2:
        op.after = rng.between(op.before, op.after);
        break;
      default:
        if (txn.end != kForever) txn.end = rng.between(txn.ops.back().after, txn.end);
        break;
    }
  }
}

}  // namespace isolde
