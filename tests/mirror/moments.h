// tests/mirror/moments.h: the moments of a trace under a profile, with their windows and what must hold at each.
//
// In, out: Trace, Profile, and a choice of all that has two ways -> Plan; nothing if the choice contradicts itself.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "check/mirror/profile.h"
#include "tests/mirror/trace.h"

namespace isolde::moments {

inline constexpr std::size_t kMaxTxns = 6, kMaxKeys = 4, kMaxMoments = 64;

using State = std::int16_t;  // kNullState: absent
inline constexpr State kNullState = 0;
inline constexpr State kUnsaid = -2;  // nothing says what it is, until somebody reads it
inline constexpr State kBroken = -1;  // a list plus a number, and so on: equals nothing that was read

// What keys hold, as small numbers.
class StateTable {
 public:
  StateTable() : contents_{DraftValue{}} {}
  State of(const DraftValue& value);
  // After an append, an increment or a write.
  State apply(State before, const TraceOp& op);
  [[nodiscard]] const DraftValue& content(State state) const { return contents_[static_cast<std::size_t>(state)]; }

 private:
  std::vector<DraftValue> contents_;
};

using OwnOps = std::vector<const TraceOp*>;  // a transaction's own changes of one key, in program order

// What a predicate operation says of a version: whether it matches; or of all, by their aggregate.
enum class Look : std::uint8_t { kNone, kMatches, kDoesNot, kAggregate };

// The state of `key`, changed by `own`, is `expected` (or only: is not absent; or: matches, or does not).
struct Check {
  int key;
  OwnOps own;
  State expected;
  bool only_present = false;
  bool is_read = true;  // it makes its transaction depend on the version's writer
  Look look = Look::kNone;
  // Reads::kCertified: the version's write had been sent by then; kForever: or was not.
  std::int64_t answered = kForever;
  // kAggregate:
  const TraceOp* aggregate = nullptr;
  std::array<OwnOps, kMaxKeys> owns = {};
};

struct Moment {
  enum class Kind : std::uint8_t { kSnapshot, kRead, kLock, kPrepare, kCommit, kRelease } kind;
  std::size_t txn;
  std::int64_t before, after;
  std::uint64_t earlier = 0;  // moments of the same transaction that come before it, by their places
  std::vector<Check> checks = {};
  int key = 0;             // kLock
  bool exclusive = false;  // kLock
};

struct Install {
  int key;
  OwnOps own;
  bool unsaid = false;  // appends and increments to something that no mechanism names
};

struct PlannedTxn {
  bool counts = false;
  std::int64_t begin = 0, end = kForever;
  std::vector<Install> installs = {};
  std::vector<Check> certified = {};  // Reads::kCertified: some version fits
};

struct Plan {
  std::vector<Moment> moments;
  std::vector<PlannedTxn> txns;
  std::deque<TraceOp> made;  // the rows of predicate updates, as writes
  bool too_large = false;
};

// What is chosen: bit t of `unknown`: the unknown transaction t committed; bit i of `idle`: the i-th write that may
// change nothing does change nothing.
struct Choice {
  std::uint32_t unknown = 0, idle = 0;
};
// How many writes may change nothing: deletes, and at InnoDB's repeatable read writes of what stands there already.
[[nodiscard]] int idle_choices(const Trace& trace, const mirror::Profile& profile);
[[nodiscard]] std::optional<Plan> plan(const Trace& trace, const mirror::Profile& profile, Choice choice,
                                       StateTable& states);

}  // namespace isolde::moments
