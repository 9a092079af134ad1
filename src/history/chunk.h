// history/chunk.h: a piece of a stream: some transactions as a History, with fingerprints that are valid across all
// chunks.
//
// In, out: a History (a piece of a stream, or all of a file) -> a Chunk, whose transactions are Arrivals.
// Always:  a chunk is immutable and shared by those of its transactions that are still needed.
// Cost:    8 bytes per key and per table value, in addition to the history.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "history/fingerprint.h"
#include "history/history.h"

namespace isolde {

// "No transaction of this session that is still to come begins before `time`."
struct Heartbeat {
  Fingerprint session;
  std::int64_t time;
  std::string name = {};  // the session as JSON
};

struct Chunk {
  explicit Chunk(History piece);

  History history;
  std::vector<Fingerprint> key_fingerprint;          // one per key
  std::vector<Fingerprint> table_value_fingerprint;  // one per entry of the value table
  std::vector<Fingerprint> session_fingerprint;      // one per session
  std::vector<Heartbeat> heartbeats;
  bool has_header = false;           // its initial values are those of the stream
  bool columns = false;              // the header says "columns": true: each column of a row is its own item
  std::uint64_t first_line = 1;      // of the input, for messages
  std::uint64_t ignored_fields = 0;  // that the format does not have
  std::vector<TxnId> repeated;       // in order: those that came before and must not be taken again

  [[nodiscard]] std::size_t bytes() const;  // approximate size in memory
  [[nodiscard]] Fingerprint key(KeyId k) const { return key_fingerprint[raw(k)]; }
  [[nodiscard]] Fingerprint value(ValueId v) const {
    if (is_inline_integer(v)) return *exact_fingerprint(raw(v));
    return v == kNullValue ? kNullFingerprint : table_value_fingerprint[raw(v) - kFirstTableValue];
  }
  [[nodiscard]] Fingerprint session(TxnId t) const { return session_fingerprint[raw(history.session(t))]; }
  [[nodiscard]] Fingerprint id(TxnId t) const { return value(history.columns().id[raw(t)]); }
};

// One transaction of a stream.
struct Arrival {
  std::shared_ptr<const Chunk> chunk;
  TxnId txn{0};
  bool late = false;  // others that began later were delivered before it

  [[nodiscard]] const History& history() const { return chunk->history; }
};

}  // namespace isolde
