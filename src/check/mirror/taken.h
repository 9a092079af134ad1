// check/mirror/taken.h: one transaction of the stream as the mirror holds it: its windows, what it read from others,
// and what it left behind.
//
// In, out: an Arrival -> Taken: reads of others' versions, each with the moment it was made at; one last write a key;
//          locks; own reads are compared here and gone.
// Always:  a window contains the real moment whatever the clocks' unit: readings out of order widen it.
// Cost:    linear in its operations; buffers are reused.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "check/mirror/dependency_order.h"
#include "check/mirror/key_table.h"
#include "check/mirror/moments.h"
#include "check/mirror/predicate_looks.h"
#include "check/mirror/profile.h"
#include "check/mirror/recent.h"
#include "history/chunk.h"

namespace isolde::mirror {

using TxnSlot = std::uint32_t;
inline constexpr TxnSlot kNoTxnSlot = 0xffffffffU;

// A moment at which something was read.
struct ReadMoment {
  std::int64_t lo, hi;
  NodeId node;         // kNoNode: nothing else shares it
  std::uint32_t rows;  // reads made at it, also of keys of other partitions
  std::uint32_t at = kUnnamedMoment;
};

enum ReadFlag : std::uint32_t {
  kLockingRead = 1,
  kRefused = 2,        // told as a violation, or not to be judged
  kTraced = 4,         // its version is certain: `from`
  kNoDependency = 16,  // a write that found nothing to change looked there
  kFromBase = 8,       // … and is the settled one
  kPresence = 32,      // only that a row was there
  kLeftOpen = 64,      // several versions explain it so far
};

struct TakenRead {
  Fingerprint value;
  Fingerprint from;  // id of the transaction that wrote it, if traced
  KeySlot key;
  std::uint32_t moment;  // in Taken::moments
  std::uint32_t flags;
  std::uint32_t from_slot;  // of that transaction while it is held
};

struct TakenWrite {
  Fingerprint value;
  std::int64_t lock_lo, lock_hi;
  KeySlot key;
  std::uint32_t flags;       // VersionFlag bits
  std::uint32_t first_step;  // kStepwise: in Taken::steps; linked
  std::uint32_t last_step;
  std::uint32_t lock_moment;  // in Taken::moments: a read of what was there when the lock was taken; or kNone32
};

// One append or increment.
struct TakenStep {
  Fingerprint value;
  std::uint32_t next;  // kNone32: the last
  bool appends;
};
// What `state` becomes; nothing if it is no list, or no number that fits.
[[nodiscard]] std::optional<Fingerprint> after_step(Fingerprint state, const TakenStep& step);

// A scan of a range of keys: what is known there and not in its result was absent.
struct TakenRange {
  std::int64_t low, high;
  std::uint32_t moment;           // in Taken::moments
  std::uint32_t first_key, keys;  // in Taken::range_keys: those that it says something of already
  std::uint32_t alone;            // each row has a moment of its own
};

// A lock on a key that the transaction does not write, or holds before it writes.
struct TakenLock {
  std::int64_t lock_hi;
  KeySlot key;
  std::uint32_t exclusive;
  std::uint32_t moment;  // of the read that took it, if that is the lock's own; else kNone32
};

// An anti-dependency from or to another transaction that is held.
struct RwEdge {
  TxnSlot slot;
  std::uint32_t number;
  Fingerprint key;
};

struct Taken {
  std::int64_t begin = 0, end = 0;
  std::int64_t commit_lo = 0, commit_hi = 0;      // or release, if aborted
  std::int64_t snapshot_lo = 0, snapshot_hi = 0;  // hi < lo: none is taken
  std::uint32_t number = 0;
  // When its reads were settled: at its end. An unknown transaction has none: when its last answer came, which may be
  // after its commit was sent. The same in every partition.
  std::int64_t settled = 0;
  Status status = Status::kCommitted;
  bool live = false, judged = false, late = false;
  bool counts = false;     // committed, or unknown and seen
  bool left_open = false;  // the rules do not cover all of it: it is for the exact search
  bool lost_edge = false;  // Certifier::kSsi: it had an anti-dependency to somebody who is closed
  // Where the keys are dealt out to partitions (partition.h).
  bool guest = false;            // another partition answers for it as a whole
  bool wrote_elsewhere = false;  // certainly left a version of a key of another partition
  std::uint32_t named_in = 0;    // the last summary that describes it
  Fingerprint id = kNullFingerprint, session = kNullFingerprint;
  NodeId commit = kNoNode;
  NodeId stamp = kNoNode;                                // Certifier::kTimestampOrder
  DependencyOrder::Node place = DependencyOrder::kNone;  // Certifier::kCycles
  std::vector<RwEdge> rw_out, rw_in;                     // Certifier::kSsi
  RecentTxn source;                                      // until it is judged
  std::vector<ReadMoment> moments;
  std::vector<TakenRead> reads;
  std::vector<TakenWrite> writes;
  std::vector<TakenLock> locks;
  std::vector<TakenStep> steps;
  std::vector<TakenRange> ranges;
  std::vector<KeySlot> range_keys;
  std::vector<TakenLook> looks;
  std::vector<LookRow> look_rows;
  std::vector<KeySlot> look_readers;  // keys that have it among their readers by a look

  // Whether it certainly left a version.
  [[nodiscard]] bool wrote() const {
    if (wrote_elsewhere) return true;
    for (const TakenWrite& write : writes) {
      if ((write.flags & (kOverwritten | kDelete)) == 0) return true;
    }
    return false;
  }
  // Held for it, with its versions.
  [[nodiscard]] std::size_t bytes() const {
    return 512 + moments.size() * sizeof(ReadMoment) + reads.size() * (sizeof(TakenRead) + 24) +
           writes.size() * (sizeof(TakenWrite) + 2 * sizeof(Version)) + locks.size() * (sizeof(TakenLock) + 64) +
           steps.size() * sizeof(TakenStep) + ranges.size() * sizeof(TakenRange) + range_keys.size() * sizeof(KeySlot) +
           looks.size() * sizeof(TakenLook) + look_rows.size() * sizeof(LookRow);
  }
  [[nodiscard]] bool has_snapshot() const { return snapshot_lo <= snapshot_hi; }
};

}  // namespace isolde::mirror
