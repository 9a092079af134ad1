// check/timeline/online/entry.h: what the index holds of one read or write, and how a key's state goes on from write to
// write.
//
// Always: states are fingerprints (history/fingerprint.h) or, of counters, numbers; they follow the rules of
//         check/timeline/key_state.h: a key is a list or counter from its first append or increment on, until it is
//         overwritten.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "base/state_file.h"
#include "history/chunk.h"
#include "history/fingerprint.h"
#include "history/history.h"

namespace isolde::timeline {

enum class StateKind : std::uint8_t {
  kPlain,     // the fingerprint of a value
  kBig,       // … of an integer that its fingerprint does not tell
  kList,      // grown by appends: the fingerprint of the list
  kCounter,   // the number itself
  kNoNumber,  // incremented, but what was there before is no number
  kOpaque,    // incremented on top of kBig: nothing that is read can be judged
};

struct State {
  std::uint64_t bits = 0;
  StateKind kind = StateKind::kPlain;

  [[nodiscard]] bool rich() const { return kind >= StateKind::kList; }
  friend bool operator==(const State&, const State&) = default;
};

enum class EntryKind : std::uint8_t { kRead, kReadOnOwn, kWrite, kAppend, kIncrement };

enum EntryFlag : std::uint8_t {
  kWrong = 1,         // a read that does not show the state
  kLastWrite = 2,     // the transaction's last write of the key
  kConflictTold = 4,  // its overlap with another writer was told
};

// One read of the snapshot, or one write, of one key.
struct Entry {
  std::int64_t time;
  std::uint64_t value;   // kRead, kWrite, kAppend: fingerprint; kIncrement: the number; kReadOnOwn: index of its OwnTop
  std::uint64_t state;   // of the key behind this entry; with state_kind
  std::uint64_t writer;  // fingerprint of the transaction's id
  std::uint32_t txn;     // its number in the order of arrival
  std::uint8_t order;    // place among the entries of one time
  EntryKind kind;
  StateKind state_kind;
  std::uint8_t flags;

  [[nodiscard]] bool is_write() const { return kind >= EntryKind::kWrite; }
  [[nodiscard]] bool is_wrong() const { return (flags & kWrong) != 0; }
  [[nodiscard]] State behind() const { return {state, state_kind}; }
  void set_behind(State s) {
    state = s.bits;
    state_kind = s.kind;
  }
};
static_assert(sizeof(Entry) == 40);

// What a transaction had appended or added itself before it read the key.
struct OwnTop {
  Fingerprint read = kNullFingerprint;
  bool is_counter = false;
  bool ends_with_own = true;  // what was read ends with the own elements
  std::int64_t delta = 0;
  std::vector<Fingerprint> appended;

  void save(StateWriter& out) const;
  [[nodiscard]] static OwnTop load(StateReader& in);
};

// Where entries of one time stand: first commits, then blocks whose start is not known, then writers that start and
// commit at that time, then those that were placed by looking at who saw them, then starts. Serial orders: reads before
// own writes.
inline constexpr std::uint8_t kCommitOrder = 0, kUnknownStartRead = 2, kUnknownStartWrite = 3, kInstantRead = 4,
                              kInstantWrite = 5, kPlacedWrite = 6, kStartRead = 7;
inline constexpr std::uint8_t kSerialPlacedWrite = 0, kSerialRead = 2, kSerialWrite = 3;

[[nodiscard]] Fingerprint fingerprint_of_number(std::int64_t number);
[[nodiscard]] State state_of(const Chunk& chunk, ValueId value);

// The state behind a write.
[[nodiscard]] State behind(State before, const Entry& write);
// As a list or counter, whatever it was.
[[nodiscard]] State as_rich(State state, bool counter);
// Whether a read shows that state.
[[nodiscard]] bool shows(State state, Fingerprint read);
[[nodiscard]] bool shows(State state, const OwnTop& own);
[[nodiscard]] State with_own(State state, const OwnTop& own);

}  // namespace isolde::timeline
