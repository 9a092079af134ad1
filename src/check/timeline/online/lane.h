// check/timeline/online/lane.h: what one thread works with while gathered arrivals are put into the index, and what it
// found there.
//
// The index is by key, and what an operation does to its key concerns that key alone. So keys are dealt out to lanes,
// each with a thread: every lane goes through all gathered transactions in the order of their times and puts the
// operations on its own keys into the index. What concerns more than the key (verdicts of reads that changed,
// violations, values that were overwritten at once) is noted in the lane, with its place in the whole of the work.
// When all lanes are done, one thread takes the notes over in the order of their places.
//
// Always:  a lane writes to nothing that another lane reads. What is taken over, and in which order, is the same for
//          any number of lanes and however keys were dealt out.
// Cost:    each lane looks at all operations, some nanoseconds each, and works on its own.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "anomaly/anomaly.h"
#include "base/ids.h"
#include "check/timeline/online/key_index.h"
#include "check/timeline/online/shadows.h"
#include "check/timeline/online/window.h"

namespace isolde::timeline {

// What the transaction being put has made of a key so far.
struct Local {
  KeyTimeline* key;
  std::uint32_t step;           // of its first access
  std::uint32_t own = kNone32;  // index of its appends and increments since it last read or overwrote
  State value = {};             // what it last read or wrote
  bool from_snapshot = false;   // its appends stand on the snapshot
  bool written = false;         // by a plain write, of `last`
  State last = {};
  std::uint32_t written_op = kNone32;
  std::uint32_t extras = 0;  // appends and increments behind that
};

// An append or increment to be installed.
struct Extra {
  std::uint32_t local;
  EntryKind kind;
  std::uint64_t value;
  std::uint32_t op, step;
};

// A read that was judged, and then one came that it should have seen: judged again when that one is.
struct Broken {
  std::uint32_t by, key;
  std::uint32_t reader_txn;  // its number, as its entry has it; kNone32: it is spilled
  std::int64_t time;         // where it read
  std::uint64_t reader;      // fingerprint of its id
  Fingerprint value;
  std::uint8_t order;
  AnomalyKind kind;        // the anomaly that it is reported as
  std::uint8_t unused[6];  // no bytes of chance in a checkpoint
};

struct Lane {
  // One access of a transaction to a key of this lane.
  struct Touch {
    KeyTimeline* key;
    ValueId value;
    std::uint32_t op;
    std::uint32_t step;  // its number among all accesses of the transaction
    OpKind kind;         // kRead, kWrite, kAppend or kIncrement
  };

  // Keys are dealt out in 64 groups, by their numbers.
  [[nodiscard]] static constexpr std::uint32_t group_of(std::uint32_t key) { return key % 64; }
  [[nodiscard]] bool has(std::uint32_t key) const { return ((groups >> group_of(key)) & 1) != 0; }

  KeyStore* store = nullptr;
  std::uint64_t groups = ~std::uint64_t{0};

  // of the transaction being put
  std::uint32_t txn = 0;
  std::uint32_t stamp = 0;  // what KeyTimeline::stamp is set to
  const Window::Held* held = nullptr;
  std::vector<Local> locals;
  std::vector<Extra> extras;
  std::vector<OwnTop> owns;
  std::size_t owns_used = 0;
  bool was_late = false;
  bool could_compare = true;  // with all that it has to do with
  std::uint64_t order = 0;    // of the access being put

  // Orders: by transaction; then reads, plain writes, appends and increments; then by access.
  static constexpr std::uint64_t kReads = 0, kWrites = std::uint64_t{1} << 30, kExtras = std::uint64_t{2} << 30;
  [[nodiscard]] static constexpr std::uint64_t order_of(std::uint32_t place, std::uint64_t phase, std::uint32_t step) {
    return (std::uint64_t{place} << 32) + phase + step;
  }

  // Accesses of those that come next, while their keys come into the cache.
  static constexpr std::size_t kAhead = 16;
  std::array<std::vector<Touch>, kAhead> ahead;

  // What was found
  struct Change {  // of a read's verdict
    std::uint64_t order;
    Fingerprint key;
    std::uint32_t txn;
    bool wrong;
    bool flips;  // else it is its first
  };
  struct Finding {
    enum class Kind : std::uint8_t { kConflict, kInternal };
    std::uint64_t order;
    Kind kind;
    std::uint32_t txn;
    const KeyTimeline* key;
    std::uint64_t other;  // kConflict: who wrote the key, too, and when it committed
    std::int64_t time;
    ValueId read;  // kInternal
    State expected;
  };
  struct NotedShadow {
    std::uint64_t order;
    std::uint64_t of;
    Shadow shadow;
  };
  struct NotedBroken {
    std::uint64_t order;
    Broken broken;
  };
  std::vector<Change> changes;
  std::vector<Finding> findings;
  std::vector<NotedShadow> shadows;
  std::vector<NotedBroken> broken;
  std::vector<std::uint32_t> late, uncompared;  // places of transactions
  std::uint64_t unchecked = 0;

  void clear_found() {
    changes.clear();
    findings.clear();
    shadows.clear();
    broken.clear();
    late.clear();
    uncompared.clear();
    unchecked = 0;
  }
};

}  // namespace isolde::timeline
