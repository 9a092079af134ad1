#include "cluster/share.h"

#include <zlib.h>

#include "format/native_write.h"

namespace isolde::cluster {

std::uint32_t partition_of(std::string_view key_json, std::uint32_t keys) {
  if (keys == 1) return 0;
  const uLong sum = ::crc32(0, reinterpret_cast<const Bytef*>(key_json.data()), static_cast<uInt>(key_json.size()));
  return static_cast<std::uint32_t>(sum % keys);
}

Dealer::Dealer(const History& history, const Layout& layout)
    : history_(history), layout_(layout), marked_(layout.keys, 0) {
  for (const ValueId name : history.columns().key_name) {
    owner_.push_back(partition_of(history.value_text(name), layout.keys));
  }
}

void Dealer::use(std::uint32_t partition) {
  if (marked_[partition] == mark_) return;
  marked_[partition] = mark_;
  users_.push_back(partition);
}

void Dealer::note_users(TxnId txn) {
  users_.clear();
  ++mark_;
  predicates_ = 0;
  for (std::uint32_t i = history_.first_op(txn); i < history_.end_op(txn); ++i) {
    const OpHead op = history_.op(i);
    if (!is_predicate(op.kind())) {
      use(owner_[raw(op.key())]);
      continue;
    }
    ++predicates_;
    if (op.kind() != OpKind::kUpdate) continue;
    for (const Item& made : history_.items(history_.predicate(op.predicate()))) use(owner_[raw(made.key)]);
  }
}

void Dealer::give(TxnId txn, std::uint32_t partition, std::vector<Share>& shares) const {
  Share& share = shares[partition];
  if (layout_.is_whole() && !layout_.is_order(partition)) {
    append_native_line(history_, txn, share.lines);
  } else {
    append_native_share(history_, txn, owner_, partition, share.lines);  // no key belongs to the order partition
  }
  share.lines += '\n';
  ++share.transactions;
}

void Dealer::deal(TxnId txn, std::vector<Share>& shares) {
  if (layout_.is_whole()) {
    give(txn, 0, shares);
  } else {
    note_users(txn);
    Share& counted = shares[users_.empty() ? 0 : users_.front()];
    counted.unjudged += predicates_;
    if (history_.status(txn) == Status::kUnknown && users_.size() > 1) ++counted.split;
    for (const std::uint32_t partition : users_) give(txn, partition, shares);
  }
  if (layout_.order) give(txn, layout_.keys, shares);
}

}  // namespace isolde::cluster
