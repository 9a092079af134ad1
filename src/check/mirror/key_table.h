// check/mirror/key_table.h: what is known of every key: its settled version, and those that are still in motion.
//
// In, out: the fingerprint of a key -> its slot, which stays the same until the key is given up.
// Always:  the versions in motion of a key stand in order of the earliest moment of their commit.
// Cost:    a key is one cache line and 24 to 48 bytes of index; a version in motion 56 bytes. Nothing is allocated an
//          operation: blocks of versions are reused.
//
// The index and the keys themselves may be used by two threads: one seeks and reserves slots, the other one fills them
// and works with them (pipelined.cc). Neither looks at what is the other's, but for find(), which then takes a lock.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/huge_array.h"
#include "base/prefetch.h"
#include "base/state_file.h"
#include "check/mirror/moments.h"
#include "history/fingerprint.h"

namespace isolde::mirror {

using KeySlot = std::uint32_t;
inline constexpr KeySlot kNoKeySlot = 0xffffffffU;

enum VersionFlag : std::uint32_t {
  kInstalled = 1,      // its transaction committed, or counts as committed
  kMaybe = 2,          // its transaction is unknown, and nobody has seen it yet
  kAbortedWrite = 4,   // never installed
  kOverwritten = 8,    // its own transaction overwrote it before commit
  kHoldsLock = 16,     // certainly held the key's lock to its end
  kDelete = 32,        // may have changed nothing, if the row was not there
  kUpdateWins = 64,    // first updater wins applies to it
  kJudged = 128,       // its transaction has been judged
  kStepwise = 256,     // an append or increment: its value is the element or difference
  kAfterBase = 2048,   // comes after the key's base, whatever the clocks leave open
  kOneStep = 4096,     // a kStepwise whose `value` is all that it adds
  kAppends = 8192,     // … to a list
  kGrown = 16384,      // was a kStepwise, and its value is now what the key held then
  kDoubted = 1024,     // a kDelete that may have found no row: decided, once
  kStateUnsure = 512,  // … whose state is not known
};

struct Version {
  Fingerprint value;
  std::int64_t lo, hi;       // its commit, as measured
  std::int64_t lock_hi;      // `after` of the statement that took the lock; of a kDelete: its begin
  Fingerprint txn;           // id
  NodeId node;               // its commit, while that is in motion
  std::uint32_t generation;  // of the node
  std::uint32_t flags;
  std::uint32_t slot;  // its transaction's, while the node is in motion

  [[nodiscard]] bool has(std::uint32_t f) const { return (flags & f) != 0; }
};
static_assert(sizeof(Version) == 56);

enum KeyFlag : std::uint8_t {
  kBaseUnknown = 1,   // what it held at first is not known: it was given up before, or never told
  kBaseGone = 2,      // one of the versions in motion has certainly replaced the base
  kDropped = 4,       // some older version is no longer held
  kLossy = 8,         // too much was open: what does not fit is left unchecked
  kRecent = 16,       // touched since the hand passed
  kOpen = 128,        // something about its versions is open (exact/look_back.cc)
  kHasDeletes = 64,   // some version may be a delete that found no row
  kBaseInitial = 32,  // the base is what the key held before the stream
};

struct alignas(64) KeyState {
  Fingerprint key;
  Fingerprint base;       // the last version that every transaction to come finds committed
  std::int64_t base_hi;   // its commit came no later
  Fingerprint base_txn;   // id
  std::uint32_t touched;  // number of the last transaction that used it
  std::uint32_t own;      // number of the transaction whose write `own_at` is
  std::uint32_t own_at;
  std::uint32_t block;  // of versions in motion
  std::uint16_t count;
  std::uint16_t capacity;  // of the block; 0: none
  std::uint8_t flags;
  bool live;
  std::uint32_t shared;   // first of its locks without a version (core.h); 0: none
  std::uint32_t readers;  // first of its readers, for certifiers

  [[nodiscard]] bool has(std::uint8_t f) const { return (flags & f) != 0; }
};
static_assert(sizeof(KeyState) == 64);

// More versions of one key in motion than this make it lossy.
inline constexpr std::uint16_t kMaxVersions = 4096;

class KeyTable {
 public:
  KeyTable();

  // kNoKeySlot: it is not there, or was reserved and not begun.
  [[nodiscard]] KeySlot find(Fingerprint key) const;
  // A new key has no flags and null as its base. Requires: it is not there.
  KeySlot add(Fingerprint key) {
    const KeySlot slot = reserve(key);
    begin(slot, key);
    return slot;
  }
  // The two halves of add(). Fresh slots are begun in the order in which they were reserved.
  KeySlot reserve(Fingerprint key);
  void begin(KeySlot slot, Fingerprint key);
  [[nodiscard]] KeySlot seek(Fingerprint key) const;  // reserved is enough
  // Until it is set to null again, find() takes it: another thread reserves slots under it.
  void set_guard(std::mutex* guard) { guard_ = guard; }
  // Three steps for many keys at once: the lines of the index, then those of the keys, then find().
  void prefetch_index(Fingerprint key) const { isolde::prefetch(&index_[home(key)]); }
  void prefetch_found(Fingerprint key) const {
    if (const KeySlot slot = seek(key); slot != kNoKeySlot) prefetch(slot);
  }
  void prefetch(KeySlot k) const { isolde::prefetch(&(*this)[k]); }
  // Of slots that may not have been begun.
  void prefetch_reserved(KeySlot k) const {
    if ((k >> kStateBits) < states_.size()) prefetch(k);
  }
  void prefetch_versions_reserved(KeySlot k) const {
    if (k < begun_) prefetch_versions(k);
  }
  void prefetch_versions(KeySlot k) const {
    const KeyState& state = (*this)[k];
    if (state.count != 0) isolde::prefetch(&version(state.block));
  }

  KeyState& operator[](KeySlot k) { return states_[k >> kStateBits][k & kStateMask]; }
  const KeyState& operator[](KeySlot k) const { return states_[k >> kStateBits][k & kStateMask]; }
  [[nodiscard]] std::span<Version> versions(KeySlot k) {
    const KeyState& state = (*this)[k];
    return {state.count == 0 ? nullptr : &version(state.block), state.count};
  }

  // Puts it at its place; the key is full if this is null. Pointers into the key's versions end here.
  Version* insert(KeySlot k, const Version& version);
  // Drops the versions for which `gone` says so.
  template <typename Gone>
  void drop_versions(KeySlot k, Gone&& gone) {
    KeyState& state = (*this)[k];
    Version* const first = state.count == 0 ? nullptr : &version(state.block);
    std::uint16_t left = 0;
    for (std::uint16_t i = 0; i < state.count; ++i) {
      if (gone(first[i])) continue;
      if (left != i) first[left] = first[i];
      ++left;
    }
    state.count = left;
    if (left == 0) release(state);
  }
  void remove(KeySlot k);

  [[nodiscard]] std::uint32_t size() const { return used_; }
  [[nodiscard]] KeySlot slots() const { return begun_; }  // live or not
  [[nodiscard]] std::size_t bytes() const {
    return index_.size() * sizeof(Entry) + states_.size() * sizeof(KeyState) * kStatesAChunk +
           arenas_.size() * sizeof(Version) * kArena;
  }
  void save(StateWriter& out) const;
  [[nodiscard]] bool load(StateReader& in);

 private:
  // An entry has all of its key, so that nothing here looks at the keys themselves.
  struct Entry {
    Fingerprint key;
    KeySlot slot;
  };
  static constexpr Entry kEmpty{kNullFingerprint, kNoKeySlot};
  static constexpr std::uint32_t kStateBits = 15, kStatesAChunk = 1U << kStateBits, kStateMask = kStatesAChunk - 1;
  static constexpr std::uint32_t kArenaBits = 12, kArena = 1U << kArenaBits, kArenaMask = kArena - 1;

  [[nodiscard]] std::uint64_t home(Fingerprint key) const {
    return (mix64(raw64(key) + 0x9e3779b97f4a7c15ULL) >> 32) & mask_;
  }
  Version& version(std::uint32_t v) { return arenas_[v >> kArenaBits][v & kArenaMask]; }
  [[nodiscard]] const Version& version(std::uint32_t v) const { return arenas_[v >> kArenaBits][v & kArenaMask]; }
  std::uint32_t take_block(std::uint16_t capacity);
  void release(KeyState& state);
  void place(Fingerprint key, KeySlot slot);
  void grow();

  HugeArray<Entry> index_;
  std::uint64_t mask_ = 0;
  std::uint32_t used_ = 0;
  std::uint64_t next_state_ = 0;  // reserved
  KeySlot begun_ = 0;             // those before are in use, or were
  std::mutex* guard_ = nullptr;
  std::vector<HugeArray<KeyState>> states_;
  std::vector<KeySlot> free_states_;
  std::vector<HugeArray<Version>> arenas_;
  std::uint32_t next_version_ = 0;
  std::vector<std::uint32_t> free_blocks_[kArenaBits + 1];  // by the logarithm of their size
};

}  // namespace isolde::mirror
