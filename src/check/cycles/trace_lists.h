// check/cycles/trace_lists.h: which version of its key a read of a list returned.
//
// In, out: the reads of list keys, one by one -> their versions, and the chain of versions that the longest read shows.
// Always:  the longest read of a key is cut into blocks, each all that one transaction appended; every other read must
//          be its start, and end where a block ends. What a read shows of unknown transactions makes them count.
// Cost:    one hash look-up an element of the longest list of each key; linear in the elements of all lists read.
// Source:  Elle (traceability), Emme section 4.1.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "check/accesses.h"
#include "check/cycles/seen_writers.h"
#include "check/cycles/trace.h"
#include "check/read_rules/write_index.h"

namespace isolde::graph {

// How a key is changed, by any transaction.
enum KeyUse : std::uint8_t { kWritten = 1, kAppended = 2, kIncremented = 4 };

// What the transaction at hand did to a key so far.
struct KeyView {
  std::uint32_t stamp = kNone32;  // the transaction
  bool wrote = false;
  bool has_read = false;
  ValueId value = kNullValue;  // its own write, or what it read last
  std::uint32_t length = 0;    // of the list that it read last, without its own elements
  std::uint32_t own = 0;       // elements that it appended
};

class ListTracer {
 public:
  // `uses`: a KeyUse a key.
  ListTracer(const History& history, TraceKind kind, const WriteIndex& index, std::span<const std::uint8_t> uses,
             Trace& out, SeenWriters& seen)
      : h_(history),
        explains_(kind != TraceKind::kUnread),
        twice_(kind == TraceKind::kManyViews),
        index_(index),
        uses_(uses),
        out_(out),
        seen_(seen),
        longest_(history.key_count()) {}

  void read(TxnId t, const Access& a, KeyView& view);
  // Cuts the lists that grew since the last call into blocks; false if none did. It may see further transactions.
  bool resolve_grown();
  // After the last read.
  void finish();

 private:
  struct Longest {
    std::uint32_t length = 0;
    ValueId value = kNullValue;
    OpId op = kNoOp;
    bool queued = false;
    bool broken = false;
    std::vector<ChainEntry> chain;
  };
  struct ListRead {
    TxnId txn;
    OpId op;
    KeyId key;
    ValueId value;
    std::uint32_t length;
    std::uint32_t read;  // in out_.reads; kNone32: only to be compared
  };

  // A read that its own transaction contradicts. It tells nothing but whose writes were seen.
  void break_list(const Access& a, KeyView& view);
  [[nodiscard]] bool ends_with_own(TxnId t, const Access& a, std::span<const ValueId> elements,
                                   std::uint32_t own) const;
  // The blocks of elements that the longest read shows, each all that one transaction appended.
  void resolve_chain(KeyId key);
  // Where reads need no explanation, lists still tell the order of the appends of transactions that count.
  void resolve_plainly(KeyId key, Longest& longest, std::span<const ValueId> elements);
  bool has_twice(std::span<const ValueId> elements);
  // Whether an element stands there more often than its transaction appended it.
  bool has_one_append_twice(KeyId key, std::span<const ValueId> elements);
  // Every read of a key must be the start of the longest.
  void compare_lists();
  void store_chains();
  void resolve_list_reads();
  void bad(AnomalyKind kind, ReadSource source, OpId op, KeyId key, TxnId other = kNoTxn);

  const History& h_;
  const bool explains_;  // reads must be explained
  const bool twice_;     // two reads of a key may differ
  const WriteIndex& index_;
  const std::span<const std::uint8_t> uses_;  // by key
  Trace& out_;
  SeenWriters& seen_;
  std::vector<Longest> longest_;  // by key
  std::vector<ListRead> list_reads_;
  std::vector<KeyId> grown_;
  std::vector<ValueId> scratch_;
  std::vector<std::uint32_t> in_chain_;  // by version: the number of the chain that it was last seen in
  std::uint32_t chain_number_ = 0;
};

}  // namespace isolde::graph
