// proof/list_claims.cc: claims that no state of a list explains what was read.
#include <algorithm>

#include "proof/cycle_claims.h"

namespace isolde::proof {
namespace {

// Whether the list, from there on, is made of pieces each of which is all that one transaction appended.
bool can_be_cut(const History& h, KeyId key, std::span<const ValueId> list, std::size_t from) {
  std::unordered_map<std::uint32_t, std::vector<std::vector<ValueId>>> pieces;  // by their first element
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    if (h.status(TxnId{t}) == Status::kAborted) continue;
    std::vector<ValueId> piece;
    for (const Touch& touch : touches(h, TxnId{t})) {
      if (touch.kind == OpKind::kAppend && touch.key == key) piece.push_back(touch.value);
    }
    if (!piece.empty()) pieces[raw(piece[0])].push_back(std::move(piece));
  }
  std::vector<bool> reached(list.size() + 1, false);
  reached[from] = true;
  for (std::size_t i = from; i < list.size(); ++i) {
    const auto at = reached[i] ? pieces.find(raw(list[i])) : pieces.end();
    if (at == pieces.end()) continue;
    for (const auto& piece : at->second) {
      if (piece.size() <= list.size() - i &&
          std::equal(piece.begin(), piece.end(), list.begin() + static_cast<std::ptrdiff_t>(i)))
        reached[i + piece.size()] = true;
    }
  }
  return reached[list.size()];
}

}  // namespace

Fault CycleClaims::list_fault(const Anomaly& a) const {
  const KeyOrder* const order = a.key == kNoKey ? nullptr : key(a.key);
  if (order == nullptr || a.steps.empty()) return "names no key";
  const KeyOrder::Read* const read = order->read(a.transactions.front(), a.op);
  if (read == nullptr) return "there is no such read";
  const auto found = order->others(*read);
  if (!found) return "it does not end with what the reader itself appended";
  const auto list = *found;
  const auto is_start = [](std::span<const ValueId> x, std::span<const ValueId> y) {
    return x.size() <= y.size() && std::equal(x.begin(), x.end(), y.begin());
  };
  if (a.kind == AnomalyKind::kIncompatibleOrder && a.steps.size() > 1) {
    const KeyOrder::Read* const other = order->read(a.steps[1].from, a.steps[1].from_op);
    if (other == nullptr) return "there is no such other read";
    const auto second = order->others(*other);
    return holds(second && !is_start(list, *second) && !is_start(*second, list), "one list is a prefix of the other");
  }
  if (a.kind == AnomalyKind::kIncompatibleOrder) {
    const auto initial = h_.values().elements(h_.initial(a.key));
    return holds(!initial || !is_start(*initial, list), "it starts with the initial value of the key");
  }
  const KeyOrder::Writer* const writer = a.source_writer == kNoTxn ? nullptr : order->writer(a.source_writer);
  if (a.kind == AnomalyKind::kDuplicateWrite) {
    for (const ValueId element : list) {
      std::size_t appended = 0;
      for (std::uint32_t t = 0; t < h_.txn_count(); ++t) {
        if (h_.status(TxnId{t}) == Status::kAborted) continue;
        for (const Touch& touch : touches(h_, TxnId{t})) {
          appended += touch.kind != OpKind::kRead && touch.key == a.key && touch.value == element ? 1 : 0;
        }
      }
      if (static_cast<std::size_t>(std::count(list.begin(), list.end(), element)) > appended) return std::nullopt;
    }
    return "no element occurs more often than it was appended";
  }
  // A part of what a transaction appended, or all of it but not in one piece.
  if (writer == nullptr) return "it names no transaction whose elements these are";
  std::vector<ValueId> whole;
  for (const Touch& touch : writer->writes) whole.push_back(touch.value);
  const auto initial = h_.values().elements(h_.initial(a.key));
  const auto from = initial && is_start(*initial, list) ? static_cast<std::ptrdiff_t>(initial->size()) : 0;
  const auto at = std::search(list.begin() + from, list.end(), whole.begin(), whole.end());
  const bool own_last = !list.empty() && a.source == ReadSource::kOwnLater && writer->txn == a.transactions.front() &&
                        std::find(whole.begin(), whole.end(), list.back()) != whole.end();
  return holds(own_last || at == list.end() || !can_be_cut(h_, a.key, list, static_cast<std::size_t>(from)),
               "it holds all that the transaction appended, in one piece");
}

}  // namespace isolde::proof
