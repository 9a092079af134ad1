// check/timeline/sweep.h: replays the events in order and compares every read with what it should have returned.
//
// In, out: a History and its Schedule -> findings: reads that differ, writers that overlapped.
// Always:  every read of every counted transaction that has a place is compared; a finding that depends on a
// transaction
//          without a sure place is marked as not forced.
// Cost:    linear in operations (and in list elements read); 32 bytes a key. With many keys and Limits::threads > 1 the
//          keys are shared out among threads; the findings are the same.
// Source:  Chronos, algorithm 2 (INT, EXT, NOCONFLICT).
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/limits.h"
#include "check/timeline/key_state.h"
#include "check/timeline/schedule.h"
#include "history/history.h"

namespace isolde::timeline {

struct Finding {
  enum class Type : std::uint8_t {
    kExternal,  // EXT: not what the snapshot holds
    kInternal,  // INT: not what the transaction itself last read or wrote
    kConflict,  // NOCONFLICT: `other` wrote the key and is not in the snapshot
  };
  Type type;
  bool forced;         // no placing of the transactions without a sure place explains it
  bool expected_rich;  // the expected content is a list or counter, no value id
  TxnId txn;
  std::uint32_t rank;  // of the event, from 1
  std::uint32_t op;    // the read, or the write of a conflict
  KeyId key;
  ValueId read;
  ValueId expected;
  TxnId other;  // writer of the expected version (kNoTxn: initial or the transaction itself), or the one in conflict
  std::vector<ValueId> expected_elements;  // of a list
  std::string expected_text;               // of a counter or list
};

// One committed version, kept only for keys that transactions without a known snapshot read.
struct VersionRecord {
  KeyId key;
  ValueId value;       // of a register
  std::uint32_t rank;  // of the commit
  TxnId writer;
  std::uint32_t length;  // of a list
  std::int64_t number;   // of a counter
};

// What may have been written at another moment than the schedule says, or not at all. Each maps to the transaction that
// wrote it, or to kNoTxn if there are several: a transaction's own write does not explain its own read of the snapshot.
struct Uncertain {
  std::unordered_map<std::uint64_t, TxnId> writes;     // (key, value) of plain writes
  std::unordered_map<std::uint32_t, TxnId> keys;       // all their keys
  std::unordered_map<std::uint32_t, TxnId> rich_keys;  // those that they append to or increment
  std::unordered_set<std::uint32_t> in_ties;           // transactions whose own place is open within a tie group

  [[nodiscard]] static std::uint64_t id(KeyId key, ValueId value) {
    return (std::uint64_t{raw(key)} << 32) | raw(value);
  }
  void add_writes_of(const History& history, TxnId txn);
  // Whether such a write may be why `reader` saw `value`. `is_rich`: the key is a list or counter.
  [[nodiscard]] bool may_explain(TxnId reader, KeyId key, ValueId value, bool is_rich) const {
    const auto by_other = [reader](const auto& map, auto at) {
      const auto found = map.find(at);
      return found != map.end() && found->second != reader;
    };
    if (is_rich) return by_other(keys, raw(key));
    return by_other(rich_keys, raw(key)) || by_other(writes, id(key, value));
  }
};

struct SweepResult {
  std::vector<Finding> findings;
  std::vector<VersionRecord> versions;     // of the recorded keys, in commit order
  std::vector<std::uint32_t> start_rank;   // one a transaction: place of its start among the events, from 1; 0: none
  std::vector<std::uint32_t> commit_rank;  // the same of its commit
  std::vector<KeyState> keys;
  std::vector<Rich> rich;
  bool cut_short = false;  // the limits ran out
};

// `record`: keys whose versions are kept (empty: none).
// Ensures: `schedule.events` is put into the order that explains most inside its tie groups.
[[nodiscard]] SweepResult sweep(const History& history, Schedule& schedule, LevelFamily family, AddedOrder order,
                                const Uncertain& uncertain, const std::vector<bool>& record, const Limits& limits);

}  // namespace isolde::timeline
