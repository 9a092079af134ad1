#include "report/page/key_versions.h"

#include <algorithm>
#include <unordered_map>

namespace isolde {
namespace {

// What one pass over the history finds of a key.
struct Found {
  std::unordered_map<std::uint32_t, std::uint32_t>
      writer_of;  // by value: the first who wrote it and may have committed
  std::unordered_map<std::uint32_t, std::uint32_t> last_written;  // by transaction: the value that it left
  std::vector<std::pair<std::int64_t, KeyVersion>> by_commit;
  ValueId longest_list = kNullValue;
  std::size_t elements = 0;
};

TxnId writer_of(const Found& found, ValueId value) {
  const auto writer = found.writer_of.find(raw(value));
  return writer == found.writer_of.end() ? kNoTxn : TxnId{writer->second};
}

void look_at(const History& h, TxnId t, std::uint32_t op, Found& found) {
  const OpHead head = h.op(op);
  const ValueId value = h.op_value(op);
  if (head.kind() == OpKind::kRead) {
    const auto list = h.values().elements(value);
    if (!list || list->size() <= found.elements) return;
    found.elements = list->size();
    found.longest_list = value;
    return;
  }
  if (h.status(t) == Status::kAborted) return;
  found.writer_of.try_emplace(raw(value), raw(t));
  found.last_written[raw(t)] = raw(value);
  if (h.status(t) == Status::kCommitted && h.commit_ts(t) != kNoTime)
    found.by_commit.emplace_back(h.commit_ts(t), KeyVersion{value, t});
}

const VersionOrder* given_order(const History& h, KeyId k) {
  const VersionOrder* longest = nullptr;
  for (const VersionOrder& order : h.columns().version_orders) {
    if (order.key == k && order.count > 0 && (longest == nullptr || order.count > longest->count)) longest = &order;
  }
  return longest;
}

VersionsOfKey by_given_order(const History& h, const VersionOrder& order, const Found& found) {
  VersionsOfKey out{.by = "as the history gives them", .versions = {}};
  for (const std::uint32_t entry : h.columns().version_entries.subspan(order.first, order.count)) {
    if (order.by_txn == 0) {
      out.versions.push_back({ValueId{entry}, writer_of(found, ValueId{entry})});
    } else {
      const auto left = found.last_written.find(entry);
      out.versions.push_back({left == found.last_written.end() ? kNullValue : ValueId{left->second}, TxnId{entry}});
    }
  }
  return out;
}

VersionsOfKey ordered(const History& h, KeyId k, Found& found) {
  if (const VersionOrder* const order = given_order(h, k)) return by_given_order(h, *order, found);
  if (found.elements > 0) {
    VersionsOfKey out{.by = "by the longest list that was read", .versions = {}};
    for (const ValueId element : h.values().list(found.longest_list))
      out.versions.push_back({element, writer_of(found, element)});
    return out;
  }
  std::ranges::stable_sort(found.by_commit, {}, [](const auto& one) { return one.first; });
  VersionsOfKey out{.by = "by commit timestamp", .versions = {}};
  for (const auto& [at, version] : found.by_commit) out.versions.push_back(version);
  return out;
}

}  // namespace

std::vector<VersionsOfKey> versions_of(const History& h, std::span<const KeyId> keys) {
  std::vector<Found> found(keys.size());
  std::vector<std::uint32_t> place(keys.empty() ? 0 : h.key_count(), kNone32);
  for (std::size_t i = 0; i < keys.size(); ++i) place[raw(keys[i])] = static_cast<std::uint32_t>(i);
  for (std::uint32_t t = 0; t < h.txn_count() && !keys.empty(); ++t) {
    for (std::uint32_t op = h.first_op(TxnId{t}); op < h.end_op(TxnId{t}); ++op) {
      if (is_predicate(h.op(op).kind())) continue;
      if (const std::uint32_t at = place[raw(h.op(op).key())]; at != kNone32) look_at(h, TxnId{t}, op, found[at]);
    }
  }
  std::vector<VersionsOfKey> out;
  out.reserve(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) out.push_back(ordered(h, keys[i], found[i]));
  return out;
}

}  // namespace isolde
