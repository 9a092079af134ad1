// cluster/share.h: which partition answers for a key, and what each partition gets of a transaction.
//
// Timestamps decide every read and every write conflict by the versions of one key, so keys can be judged apart
// (check/timeline). A transaction is cut up: each partition that owns one of its keys gets a line with the operations
// on those keys. At levels that add session order or real time there is one more partition, the *order partition*: it
// gets every transaction, without its operations, and judges that order. Whatever is about several keys at once
// (predicates; whether an unknown transaction committed) is counted, and the verdict says that it was not judged.
//
// The clients' clocks (check/mirror) tie all keys together. There the stream has a single partition, which gets every
// transaction whole.
//
// A transaction that writes, and whose timestamps are equal or lack, stands elsewhere than one that only reads. A share
// without a write of it gets one of a key that nobody reads, so that every partition puts it at the same place.
//
// Always:  the same for everybody who sends: CRC-32 of the key as canonical JSON ("x" with its quotes, 17 without),
//          modulo the number of partitions of keys. So any language can do it with its standard library.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/packed.h"
#include "history/history.h"

namespace isolde::cluster {

// How a stream is dealt out. The order partition comes behind those of keys.
struct Layout {
  std::uint32_t keys = 1;  // partitions of keys; 1: whole transactions
  bool order = false;      // there is an order partition
  bool serial = false;     // commit_ts alone says where a transaction stands; else start_ts too

  [[nodiscard]] std::uint32_t count() const { return keys + (order ? 1 : 0); }
  [[nodiscard]] bool is_order(std::uint32_t partition) const { return order && partition == keys; }
  [[nodiscard]] bool is_whole() const { return keys == 1; }
  friend bool operator==(const Layout&, const Layout&) = default;
};

[[nodiscard]] std::uint32_t partition_of(std::string_view key_json, std::uint32_t keys);

// What a partition gets next: lines, or sections of a packed batch (cluster/batch.h).
class Share {
 public:
  std::uint64_t transactions = 0;
  std::uint64_t unjudged = 0, split = 0;  // as in BatchHead

  // The lines that the caller goes on to write.
  [[nodiscard]] std::string& lines();
  [[nodiscard]] PackedSection& section();
  [[nodiscard]] bool empty() const { return lines_.empty() && section_.empty() && sections_.empty(); }
  // The body of a batch. `packed`: it has sections. Afterwards there is nothing left.
  [[nodiscard]] std::string take(bool& packed);

 private:
  void close();
  std::string sections_, lines_;
  PackedSection section_;
};

// Adds what each partition gets of one transaction after another. `shares`: one per partition.
class Dealer {
 public:
  Dealer(const History& history, const Layout& layout);
  void deal(TxnId txn, std::vector<Share>& shares);

 private:
  void note_users(TxnId txn);
  void note_writes(TxnId txn);
  // Whether several partitions choose where it stands.
  [[nodiscard]] bool is_split(TxnId txn) const;
  [[nodiscard]] bool needs_mark(std::uint32_t partition) const {
    return marks_writer_ && (layout_.is_order(partition) || wrote_[partition] != mark_);
  }
  void use(std::uint32_t partition);
  void give_line(TxnId txn, std::uint32_t partition, std::vector<Share>& shares) const;
  void give_packed(TxnId txn, std::vector<Share>& shares) const;

  const History& history_;
  Layout layout_;
  std::vector<std::uint32_t> owner_;   // by key
  std::vector<std::uint32_t> users_;   // of the transaction at hand
  std::vector<std::uint32_t> marked_;  // by partition: the mark of the transaction that last used it
  std::vector<std::uint32_t> wrote_;   // … that last wrote there
  bool writes_ = false, reads_ = false, marks_writer_ = false;
  std::uint32_t mark_ = 0;
  std::uint64_t predicates_ = 0;
};

}  // namespace isolde::cluster
