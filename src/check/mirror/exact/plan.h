// check/mirror/exact/plan.h: a transaction's events under a profile: when each can have been, and what must hold at it.
//
// In, out: a Script, the keys that are looked at, and one way to fill in what the trace leaves open (did an unknown
//          transaction commit, which deletes found nothing) -> TxnPlan; nothing if that way contradicts itself.
// Always:  only what is about the given keys is asked: fewer keys ask less, never more.
// Source:  docs/profiles.md.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "check/mirror/profile.h"
#include "check/mirror/script.h"
#include "check/mirror/taken.h"

namespace isolde::mirror {

inline constexpr std::size_t kMostExactKeys = 8, kMostExactTxns = 16, kMostEvents = 64;
// A state of a key that nobody knows; no value has this fingerprint.
inline constexpr Fingerprint kAnyFingerprint{4};

// What `state` becomes by appends and increments; kAnyFingerprint if that cannot be said.
[[nodiscard]] Fingerprint after_steps(Fingerprint state, const std::vector<TakenStep>& steps);

struct Check {
  std::uint8_t key;      // among those looked at
  bool present = false;  // only that something is there
  bool depends = true;   // its transaction depends on who wrote it
  Fingerprint expected = kNullFingerprint;
  std::vector<TakenStep> own = {};  // its transaction's own, on top of what it sees
  std::uint64_t sources = 0;        // commits that may bring it about (search.cc)
  std::int64_t answered = kNever;   // Reads::kCertified: its version had been sent by then, if that is known
};

enum class EventKind : std::uint8_t {
  kSnapshot,
  kRead,
  kLock,
  kCount,  // Certifier::kSsi: the commit gets its number
  kCommit,
  kRelease,  // of locks, without a commit
};

struct Event {
  EventKind kind;
  std::int64_t lo, hi;
  std::uint32_t place = 0;   // of its statement; kNone32: it may come before or after those of all others
  std::uint64_t before = 0;  // events of the same transaction that come first
  std::vector<Check> checks = {};
  std::uint8_t key = 0;    // kLock
  bool exclusive = false;  // kLock
  bool optional = false;   // it may lie outside of what is looked at
  std::uint8_t txn = 0;    // set by the search
};

struct Change {
  std::uint8_t key;
  bool sets;
  Fingerprint value;             // if it sets
  std::vector<TakenStep> steps;  // else
  std::int64_t sent = kAlways;   // when its last write was
};

struct TxnPlan {
  std::vector<Event> events;
  std::vector<Change> changes;   // made at its commit
  std::vector<Check> certified;  // Reads::kCertified: some version fits
  bool counts = false;           // committed
  bool bound = false;            // by first updater wins and the certifier
  bool wrote = false;            // for certain; also keys that are not looked at
  bool too_large = false;
  std::int64_t begin = 0, end = 0;
};

// How much of a transaction is asked.
enum class Part : std::uint8_t {
  kWhole,
  kChanges,       // only what it leaves behind
  kMaybeChanges,  // … if anything: it may have been before or after what is looked at, or not at all
};

// A value of a key that somebody sent to the database, and since when.
struct Sent {
  Fingerprint key, value;
  std::int64_t lo;
  Fingerprint by = kNullFingerprint;  // id of its transaction
};

struct PlanInput {
  const Mechanisms& profile;
  std::span<const Fingerprint> keys;
  // Reads::kDirty: all that was sent; null: not all of it is known. Reads::kCertified without timestamps: what may have
  // become a version.
  const std::vector<Sent>* sent = nullptr;
};

struct Way {
  bool commits = false;
  // A bit for each write that may change nothing: it does change nothing. Where a delete may look for its row in two
  // states, a second one says in which.
  std::uint32_t idle = 0;
};
// How many such bits: deletes and, at InnoDB's repeatable read, writes of what stands there already.
[[nodiscard]] int idle_choices(const PlanInput& input, const Script& script, Part part);
[[nodiscard]] std::optional<TxnPlan> plan_of(const PlanInput& input, const Script& script, Part part, Way way);

}  // namespace isolde::mirror
