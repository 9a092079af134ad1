#include "format/recording_orders.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace isolde {
namespace {

constexpr std::uint32_t kNoRank = 0xffffffffU;

// A writer of a key by its rank in the order of commits; those without one stand last.
using WriterPlace = std::pair<std::uint32_t, std::uint32_t>;  // key, rank

void add_writers(const OwnedColumns& c, std::uint32_t txn, std::uint32_t rank, std::vector<WriterPlace>& out) {
  for (std::uint32_t i = c.first_op[txn]; i < c.first_op[txn + 1]; ++i) {
    const OpHead op = c.op[i];
    if (is_item_write(op.kind())) out.emplace_back(raw(op.key()), rank);
    if (op.kind() != OpKind::kUpdate) continue;
    const Predicate& predicate = c.predicates[raw(op.predicate())];
    for (std::uint32_t k = 0; k < predicate.item_count; ++k) {
      out.emplace_back(raw(c.items[predicate.items + k].key), rank);
    }
  }
}

}  // namespace

std::optional<JournalFindings::Place> add_orders(JournalFindings& findings, HistoryBuilder& builder) {
  auto& places = findings.places;
  if (places.empty()) return std::nullopt;
  std::sort(places.begin(), places.end(),
            [](const auto& a, const auto& b) { return std::tie(a.place, a.txn) < std::tie(b.place, b.txn); });
  const auto twice =
      std::adjacent_find(places.begin(), places.end(), [](const auto& a, const auto& b) { return a.place == b.place; });
  if (twice != places.end()) return *(twice + 1);

  const OwnedColumns& c = builder.columns();
  std::vector<std::uint32_t> rank(builder.txn_count(), kNoRank);
  for (std::uint32_t i = 0; i < places.size(); ++i) rank[places[i].txn] = i;
  std::vector<WriterPlace> writers;
  for (std::uint32_t txn = 0; txn < rank.size(); ++txn) {
    if (c.status[txn] != Status::kAborted) add_writers(c, txn, rank[txn], writers);
  }
  std::sort(writers.begin(), writers.end());
  writers.erase(std::unique(writers.begin(), writers.end()), writers.end());

  std::vector<ValueId> ids;
  for (std::size_t i = 0; i < writers.size();) {
    const std::uint32_t key = writers[i].first;
    ids.clear();
    bool complete = true;
    for (; i < writers.size() && writers[i].first == key; ++i) {
      if (writers[i].second == kNoRank) {
        complete = false;
      } else {
        ids.push_back(c.id[places[writers[i].second].txn]);
      }
    }
    if (complete || ids.size() > 1) builder.version_order_by_txn(KeyId{key}, ids, complete);
  }
  return std::nullopt;
}

std::size_t drop_partial_order(HistoryBuilder& builder) {
  const OwnedColumns& c = builder.columns();
  if (c.order.empty()) return 0;
  std::size_t left_out = 0;
  std::vector<WriterPlace> writes;
  for (std::uint32_t txn = 0; txn < builder.txn_count(); ++txn) {
    const bool has_order = txn < c.order.size() && c.order[txn] != kNoTime;
    if (has_order || c.status[txn] == Status::kAborted) continue;
    writes.clear();
    add_writers(c, txn, kNoRank, writes);
    left_out += writes.empty() ? 0 : 1;
  }
  if (left_out > 0) builder.drop_order();
  return left_out;
}

}  // namespace isolde
