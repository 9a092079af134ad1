// check/cycles/trace.h: which version of its key every read returned.
//
// In, out: a History and a level -> the transactions that count, their versions, and for each read that is not of the
//          reader's own write the version that it returned; for lists, the chain of versions that the longest read
//          shows.
// Always:  a version is the last state that a transaction leaves in a key. A read is traced only if exactly one version
//          explains it; otherwise it is listed as bad (nothing explains it) or `untraceable` says why (several do).
//          Unknown transactions count exactly if one that counts saw a write of theirs.
// Cost:    one hash look-up a write, a register read and an element of the longest list of each key; linear in the
//          elements of all lists that were read.
// Source:  Elle (traceability), Emme section 4.1.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "anomaly/anomaly.h"
#include "anomaly/level.h"
#include "base/limits.h"
#include "history/history.h"

namespace isolde::graph {

using Version = std::uint32_t;  // place in Trace::versions
inline constexpr Version kInitialVersion = kNone32;
inline constexpr Version kNoVersion = kNone32 - 1;

struct VersionInfo {
  TxnId txn;
  KeyId key;
};

struct TracedRead {
  TxnId txn;
  OpId op;
  KeyId key;
  Version version;  // kNoVersion: bad, or not asked for at this level
};

// What the longest read of a list key shows: the first `count` versions of the key, in their order.
struct ListChain {
  KeyId key;
  OpId seen_by;
  std::uint32_t first, count;  // in Trace::chain_entries
};
struct ChainEntry {
  Version version;
  std::uint32_t end;  // length of the list with it
};

// A read of a register whose value several wrote, or somebody wrote what the key started with.
struct OpenRead {
  TxnId txn;
  OpId op;
  KeyId key;
  ValueId value;
};

// A read that no state of the key explains.
struct BadRead {
  AnomalyKind kind;
  ReadSource source;
  TxnId txn;
  OpId op;
  KeyId key;
  TxnId other = kNoTxn;   // whose write it is about
  OpId other_op = kNoOp;  // kIncompatibleOrder: the other read
};

struct Trace {
  std::vector<std::uint8_t> counts;  // by transaction
  std::vector<VersionInfo> versions;
  std::vector<std::uint32_t> first_version;         // by transaction, one more; versions of one transaction: by key
  std::vector<TracedRead> reads;                    // of one transaction: together, in program order
  std::vector<std::uint32_t> read_begin, read_end;  // by transaction
  std::vector<ListChain> chains;
  std::vector<ChainEntry> chain_entries;
  bool breaks_a_rule = false;      // the read rules will name it
  std::vector<BadRead> bad_reads;  // beside those that the read rules name
  std::string untraceable;         // empty: every read that nothing is wrong with has its version
  std::vector<OpenRead> open;      // of one transaction: in program order
  bool only_open = false;          // nothing but these makes it untraceable
  bool cut_short = false;          // the limits ran out
  std::uint64_t repeated = 0;      // values that more than one transaction wrote to one key

  [[nodiscard]] Version version_of(TxnId t, KeyId key) const;  // kNoVersion: it does not write the key
  [[nodiscard]] bool is_counted(TxnId t) const { return counts[raw(t)] != 0; }
  [[nodiscard]] std::span<const TracedRead> reads_of(TxnId t) const {
    return std::span(reads).subspan(read_begin[raw(t)], read_end[raw(t)] - read_begin[raw(t)]);
  }
};

// Levels of one kind have the same trace.
enum class TraceKind : std::uint8_t {
  kUnread,     // reads need no explanation
  kManyViews,  // two reads of one key may differ
  kOneView,
};
[[nodiscard]] TraceKind trace_kind(Level level);

[[nodiscard]] Trace trace_reads(const History& history, Level level, const Limits& limits);

}  // namespace isolde::graph
