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

void blur_commits(Trace& trace, const std::vector<TxnMoments>& moments, int width, Rng& rng) {
  for (std::size_t t = 0; t < trace.txns.size(); ++t) {
    TraceTxn& txn = trace.txns[t];
    const TxnMoments& real = moments[t];
    if (rng.chance(0.4)) continue;
    const bool answered = txn.status != Status::kUnknown || (txn.end != kForever && rng.chance(0.3));
    const bool pipelined = !txn.ops.empty() && rng.chance(0.2);
    std::int64_t earliest = txn.begin;
    if (!txn.ops.empty()) earliest = pipelined ? txn.ops.back().before : txn.ops.back().after;
    // A transaction may be aborted long before its client asks for it.
    std::int64_t latest = real.end;
    if (txn.status == Status::kAborted && rng.chance(0.5)) latest = std::max(latest, txn.end);
    txn.commit_before = before_of(earliest, std::max(earliest, latest), width, rng);
    if (!answered) continue;
    std::int64_t soonest = std::max(txn.commit_before, txn.status == Status::kUnknown ? earliest : real.end);
    if (!txn.ops.empty()) soonest = std::max(soonest, txn.ops.back().after);
    txn.commit_after = after_of(soonest, txn.end, width, rng);
    if (pipelined) {
      TraceOp& last = txn.ops.back();
      last.after = after_of(last.after, txn.commit_after, width, rng);
    }
  }
}

void change(Trace& trace, Rng& rng) {
  for (int n = static_cast<int>(rng.between(1, 2)); n > 0; --n) {
    TraceTxn& txn = trace.txns[rng.below(trace.txns.size())];
    if (txn.ops.empty()) continue;
    const std::size_t i = rng.below(txn.ops.size());
    TraceOp& op = txn.ops[i];
    switch (rng.below(6)) {
      case 0:
        change_read(op, trace.initial.size(), rng);
        break;
      case 1: {
        const std::int64_t most = txn.commit_before == kNoTime ? op.after : std::min(op.after, txn.commit_before);
        op.before = rng.between(op.before, std::max(op.before, most));
        break;
      }
      case 2:
        op.after = rng.between(op.before, op.after);
        break;
      case 3:
        if (txn.commit_before != kNoTime && txn.commit_after != kForever) {
          txn.commit_before = rng.between(txn.commit_before, txn.commit_after);
        }
        break;
      case 4:
        if (txn.commit_before != kNoTime && txn.commit_after != kForever) {
          const std::int64_t least = std::max(txn.commit_before, txn.ops.back().after);
          txn.commit_after = rng.between(least, txn.commit_after);
        }
        break;
      default: {
        std::int64_t least = txn.ops.back().after;
        if (txn.commit_before != kNoTime) least = std::max(least, txn.commit_before);
        if (txn.commit_before != kNoTime && txn.commit_after != kForever) least = std::max(least, txn.commit_after);
        if (txn.end != kForever) txn.end = rng.between(least, txn.end);
        break;
      }
    }
  }
}

}  // namespace isolde
