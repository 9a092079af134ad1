// check/mirror/exact/database.h: the small database that the exact search carries events out on.
//
// In, out: an event and the database before it -> the database after it, or "that cannot be".
// Always:  plain bytes, so that equal databases are known by their hash.
// Source:  docs/profiles.md.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "check/mirror/exact/plan.h"

namespace isolde::mirror {

using TxnSet = std::uint16_t;
constexpr TxnSet txn_bit(std::size_t t) { return static_cast<TxnSet>(1U << t); }
using Relation = std::array<TxnSet, kMostExactTxns>;  // [b] has a: a stands before b

struct Database {
  std::uint64_t done;                                     // events
  std::array<Fingerprint, kMostExactKeys> state;          // committed
  std::array<std::int8_t, kMostExactKeys> writer, owner;  // of the latest version, of the lock; -1: nobody
  std::array<TxnSet, kMostExactKeys> sharers, readers;    // of the lock, of the latest version
  std::array<std::uint8_t, kMostExactTxns> newer;         // keys with a version that its snapshot does not have
  TxnSet stale, snapped, counted, committed;
  Relation depends, rw;
  Relation snapped_before, counted_before, counted_before_snapshot;  // … its commit, its own count, its snapshot
  // Reads::kCertified: who wrote each version, in order.
  std::array<std::array<std::int8_t, kMostExactTxns>, kMostExactKeys> versions;
  std::array<std::uint8_t, kMostExactKeys> version_count;
  std::int64_t now;  // follows from `done`
};

class Machine {
 public:
  // `events`: of all transactions, each with its transaction's number.
  Machine(const std::vector<const TxnPlan*>& txns, const std::vector<Event>& events, const Mechanisms& profile);

  [[nodiscard]] Database at_start(const std::vector<Fingerprint>& start) const;
  // False: it cannot be. `now` is not looked at.
  bool carry_out(Database& d, std::size_t event) const;
  // Whether a check would hold, without a trace of it.
  [[nodiscard]] static bool would_hold(const Database& d, const Check& check);
  // Whether each transaction can have a place of its own after those it depends on.
  [[nodiscard]] bool certifier_allows(const Relation& depends) const;
  [[nodiscard]] bool certifies() const { return profile_.certifier != Certifier::kNone; }
  // What version `n` of a key holds; 0: what was there first.
  [[nodiscard]] std::vector<Fingerprint> version_states(const Database& d, std::size_t key, Fingerprint start) const;
  [[nodiscard]] bool bound(std::size_t t) const { return txns_[t]->bound; }

 private:
  bool holds(Database& d, std::size_t t, const Check& check) const;
  bool lock(Database& d, std::size_t t, std::size_t key, bool exclusive) const;
  void release(Database& d, std::size_t t) const;
  bool commit(Database& d, std::size_t t) const;
  [[nodiscard]] bool is_dangerous(const Database& d) const;

  const std::vector<const TxnPlan*>& txns_;
  const std::vector<Event>& events_;
  const Mechanisms& profile_;
};

}  // namespace isolde::mirror
