#include "cluster/share.h"

#include <fmt/format.h>
#include <zlib.h>

#include <utility>

#include "cluster/batch.h"
#include "format/native_write.h"

namespace isolde::cluster {

std::uint32_t partition_of(std::string_view key_json, std::uint32_t keys) {
  if (keys == 1) return 0;
  const uLong sum = ::crc32(0, reinterpret_cast<const Bytef*>(key_json.data()), static_cast<uInt>(key_json.size()));
  return static_cast<std::uint32_t>(sum % keys);
}

// ---- shares ---------------------------------------------------------------------------------------------------------

void Share::close() {
  if (!section_.empty()) {
    const std::uint64_t count = section_.count();
    append_section(count, section_.take(), sections_);
  }
  if (!lines_.empty()) append_section(0, std::exchange(lines_, {}), sections_);
}

std::string& Share::lines() {
  if (!section_.empty()) close();
  return lines_;
}

PackedSection& Share::section() {
  if (!lines_.empty()) close();
  return section_;
}

std::string Share::take(bool& packed) {
  packed = !section_.empty() || !sections_.empty();
  transactions = unjudged = split = 0;
  if (!packed) return std::exchange(lines_, {});
  close();
  return std::exchange(sections_, {});
}

// ---- dealing --------------------------------------------------------------------------------------------------------

Dealer::Dealer(const History& history, const Layout& layout)
    : history_(history), layout_(layout), marked_(layout.keys, 0), wrote_(layout.keys, 0) {
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

void Dealer::note_writes(TxnId txn) {
  writes_ = reads_ = false;
  for (std::uint32_t i = history_.first_op(txn); i < history_.end_op(txn); ++i) {
    const OpHead op = history_.op(i);
    if (op.kind() == OpKind::kRead || op.kind() == OpKind::kScan || op.kind() == OpKind::kAggregate) {
      reads_ = true;
      continue;
    }
    writes_ = true;
    if (op.kind() != OpKind::kUpdate) {
      wrote_[owner_[raw(op.key())]] = mark_;
    } else {
      for (const Item& made : history_.items(history_.predicate(op.predicate()))) wrote_[owner_[raw(made.key)]] = mark_;
    }
  }
  const std::int64_t commit = history_.commit_ts(txn);
  marks_writer_ = writes_ && (commit == kNoTime || (!layout_.serial && history_.start_ts(txn) == commit));
}

bool Dealer::is_split(TxnId txn) const {
  if (users_.size() + (layout_.order ? 1 : 0) < 2 || history_.status(txn) == Status::kAborted) return false;
  if (history_.status(txn) == Status::kUnknown) return writes_;
  const bool has_start = history_.start_ts(txn) != kNoTime;
  const bool has_commit = history_.commit_ts(txn) != kNoTime || (has_start && !writes_);
  return !has_commit || (!layout_.serial && !has_start && reads_);
}

namespace {

// A key that nobody reads. There are some of them, so that transactions of one time seldom share one.
std::string mark_key(const History& h, TxnId txn) {
  constexpr std::uint32_t kMarks = 1024;
  return fmt::format("isolde:elsewhere:{}", partition_of(h.value_text(h.columns().id[raw(txn)]), kMarks));
}

}  // namespace

void Dealer::give_line(TxnId txn, std::uint32_t partition, std::vector<Share>& shares) const {
  std::string& lines = shares[partition].lines();
  if (layout_.is_whole() && !layout_.is_order(partition)) {
    append_native_line(history_, txn, lines);
  } else {
    append_native_share(history_, txn, owner_, partition, lines);  // no key belongs to the order partition
  }
  if (needs_mark(partition)) {
    lines.resize(lines.size() - 2);  // "]}"
    lines += fmt::format(R"({}["w","{}",1]]}})", lines.back() == '[' ? "" : ",", mark_key(history_, txn));
  }
  lines += '\n';
}

void Dealer::give_packed(TxnId txn, std::vector<Share>& shares) const {
  for (const std::uint32_t partition : users_) shares[partition].section().begin(history_, txn);
  for (std::uint32_t i = history_.first_op(txn); i < history_.end_op(txn); ++i)
    shares[owner_[raw(history_.op(i).key())]].section().operation(history_, i);
  if (layout_.order) shares[layout_.keys].section().begin(history_, txn);
  const auto end = [&](std::uint32_t partition) {
    if (needs_mark(partition)) shares[partition].section().write(mark_key(history_, txn));
    shares[partition].section().end();
  };
  for (const std::uint32_t partition : users_) end(partition);
  if (layout_.order) end(layout_.keys);
}

void Dealer::deal(TxnId txn, std::vector<Share>& shares) {
  if (layout_.is_whole()) {
    give_line(txn, 0, shares);
    ++shares[0].transactions;
    return;
  }
  note_users(txn);
  note_writes(txn);
  Share& counted = shares[users_.empty() ? 0 : users_.front()];
  counted.unjudged += predicates_;
  if (is_split(txn)) ++counted.split;
  for (const std::uint32_t partition : users_) ++shares[partition].transactions;
  if (layout_.order) ++shares[layout_.keys].transactions;
  if (predicates_ == 0 && can_be_packed(history_, txn)) return give_packed(txn, shares);
  for (const std::uint32_t partition : users_) give_line(txn, partition, shares);
  if (layout_.order) give_line(txn, layout_.keys, shares);
}

}  // namespace isolde::cluster
