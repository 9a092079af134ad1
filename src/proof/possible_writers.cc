#include "proof/possible_writers.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "proof/operations.h"

namespace isolde::proof {
namespace {

// What the read returned; nothing if there is no such read, or it came after a write of its own transaction.
std::optional<ValueId> value_read(const History& h, const ReadAt& read) {
  if (raw(read.txn) >= h.txn_count() || raw(read.key) >= h.key_count()) return std::nullopt;
  for (const Touch& touch : touches(h, read.txn)) {
    if (touch.key != read.key) continue;
    if (touch.kind != OpKind::kRead) return std::nullopt;
    if (touch.op == read.op) return touch.value;
  }
  return std::nullopt;
}

bool touches_one_of(const History& h, TxnId t, const std::vector<bool>& keys) {
  for (std::uint32_t i = h.first_op(t); i < h.end_op(t); ++i) {
    const OpHead op = h.op(i);
    if (is_predicate(op.kind()) || (op.kind() != OpKind::kRead && keys[raw(op.key())])) return true;
  }
  return false;
}

}  // namespace

std::vector<ReadAt> assumed_reads(const Anomaly& anomaly) {
  std::vector<ReadAt> out;
  for (const Case& one : anomaly.cases) {
    for (const Step& s : one.steps) {
      if (s.ground != Ground::kAssumed) continue;
      if (s.type == StepType::kWr) out.push_back({s.to, s.to_op, s.key});
      if (s.type == StepType::kRw) out.push_back({s.from, s.from_op, s.key});
    }
  }
  return out;
}

PossibleWriters::PossibleWriters(const History& h, std::span<const ReadAt> reads) {
  std::vector<std::pair<ReadAt, ValueId>> wanted;
  std::unordered_map<std::uint64_t, std::vector<TxnId>> left;
  std::vector<bool> keys(h.key_count(), false);
  for (const ReadAt& read : reads) {
    const auto value = value_read(h, read);
    if (!value) continue;
    wanted.emplace_back(read, *value);
    left[pair_id(read.key, *value)];
    keys[raw(read.key)] = true;
  }
  if (wanted.empty()) return;
  std::vector<bool> accumulates(h.key_count(), false);
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    if (!touches_one_of(h, TxnId{t}, keys)) continue;
    const std::vector<Touch> all = touches(h, TxnId{t});
    std::unordered_map<std::uint32_t, ValueId> last;
    for (const Touch& touch : all) {
      if (touch.kind == OpKind::kRead || !keys[raw(touch.key)]) continue;
      if (touch.kind != OpKind::kWrite) accumulates[raw(touch.key)] = true;
      last[raw(touch.key)] = touch.value;
    }
    if (h.status(TxnId{t}) == Status::kAborted) continue;
    for (const auto& [key, value] : last) {
      if (const auto at = left.find(pair_id(KeyId{key}, value)); at != left.end()) at->second.push_back(TxnId{t});
    }
  }
  for (const auto& [read, value] : wanted) {
    if (accumulates[raw(read.key)]) continue;
    std::vector<TxnId> writers = left.at(pair_id(read.key, value));
    std::erase(writers, read.txn);
    if (value == h.initial(read.key)) writers.push_back(kNoTxn);
    writers_.insert_or_assign({read.op, read.key}, std::move(writers));
  }
}

const std::vector<TxnId>* PossibleWriters::of(OpId op, KeyId key) const {
  const auto at = writers_.find({op, key});
  return at == writers_.end() ? nullptr : &at->second;
}

}  // namespace isolde::proof
