#include "check/read_rules/write_index.h"

#include <bit>

#include "check/accesses.h"

namespace isolde {

WriteIndex::WriteIndex(const History& h) {
  std::size_t writes = 0;
  for (const OpHead op : h.columns().op) writes += is_item_write(op.kind()) ? 1 : 0;
  writes += h.columns().items.size();
  slots_.resize(std::bit_ceil(writes + writes / 2 + 16));
  // A write is final if no later one of its transaction has its key: seen by walking backwards.
  std::vector<std::uint32_t> last_txn(h.key_count(), kNone32);
  std::vector<Access> accesses;
  for (std::uint32_t t = 0; t < h.txn_count(); ++t) {
    accesses.clear();
    for_each_access(h, TxnId{t}, [&](const Access& a) {
      if (a.kind != OpKind::kRead && a.kind != OpKind::kIncrement) accesses.push_back(a);
    });
    for (std::size_t i = accesses.size(); i-- > 0;) {
      const Access& a = accesses[i];
      const bool final = last_txn[raw(a.key)] != t;
      last_txn[raw(a.key)] = t;
      add(id(a.key, a.value), TxnId{t},
          h.status(TxnId{t}) == Status::kAborted ? kAborted
          : final                                ? kFinal
                                                 : kIntermediate);
    }
  }
}

void WriteIndex::add(std::uint64_t key, TxnId txn, Kind kind) {
  const std::uint64_t mask = slots_.size() - 1;
  std::uint64_t i = mix64(key) & mask;
  while (slots_[i].id != kFree && slots_[i].id != key) i = (i + 1) & mask;
  Entry& entry = slots_[i];
  const bool fresh = entry.id == kFree;
  const auto best = static_cast<std::uint8_t>(entry.kinds & (kFinal | kIntermediate | kAborted));
  if (!fresh && kind != kAborted && (best & (kFinal | kIntermediate)) != 0 && entry.txn != txn &&
      (entry.kinds & kSeveral) == 0) {
    entry.kinds |= kSeveral;
    ++repeated_;
  }
  // The smaller the bit, the better the kind.
  const auto lowest = static_cast<std::uint8_t>(best & -best);
  if (fresh || kind < lowest) entry.txn = txn;
  entry.id = key;
  entry.kinds |= kind;
}

const WriteIndex::Entry* WriteIndex::find(KeyId key, ValueId value) const {
  const std::uint64_t wanted = id(key, value);
  const std::uint64_t mask = slots_.size() - 1;
  for (std::uint64_t i = mix64(wanted) & mask;; i = (i + 1) & mask) {
    if (slots_[i].id == wanted) return &slots_[i];
    if (slots_[i].id == kFree) return nullptr;
  }
}

}  // namespace isolde
