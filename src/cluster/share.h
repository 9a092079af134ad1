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
// Always:  the same for everybody who sends: CRC-32 of the key as canonical JSON ("x" with its quotes, 17 without),
//          modulo the number of partitions of keys. So any language can do it with its standard library.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "history/history.h"

namespace isolde::cluster {

// How a stream is dealt out. The order partition comes behind those of keys.
struct Layout {
  std::uint32_t keys = 1;  // partitions of keys; 1: whole transactions
  bool order = false;      // there is an order partition

  [[nodiscard]] std::uint32_t count() const { return keys + (order ? 1 : 0); }
  [[nodiscard]] bool is_order(std::uint32_t partition) const { return order && partition == keys; }
  [[nodiscard]] bool is_whole() const { return keys == 1; }
  friend bool operator==(const Layout&, const Layout&) = default;
};

[[nodiscard]] std::uint32_t partition_of(std::string_view key_json, std::uint32_t keys);

struct Share {
  std::string lines;
  std::uint64_t transactions = 0;
  std::uint64_t unjudged = 0, split = 0;  // as in BatchHead
};

// Adds what each partition gets of one transaction after another. `shares`: one per partition.
class Dealer {
 public:
  Dealer(const History& history, const Layout& layout);
  void deal(TxnId txn, std::vector<Share>& shares);

 private:
  void note_users(TxnId txn);
  void use(std::uint32_t partition);
  void give(TxnId txn, std::uint32_t partition, std::vector<Share>& shares) const;

  const History& history_;
  Layout layout_;
  std::vector<std::uint32_t> owner_;   // by key
  std::vector<std::uint32_t> users_;   // of the transaction at hand
  std::vector<std::uint32_t> marked_;  // by partition: the mark of the transaction that last used it
  std::uint32_t mark_ = 0;
  std::uint64_t predicates_ = 0;
};

}  // namespace isolde::cluster
