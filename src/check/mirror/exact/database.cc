#include "check/mirror/exact/database.h"

#include <algorithm>
#include <cstring>

#include "check/mirror/moments.h"

namespace isolde::mirror {
namespace {

bool has(TxnSet set, std::size_t t) { return (set >> t & 1U) != 0; }
void insert_txn(TxnSet& set, std::size_t t) { set = static_cast<TxnSet>(set | txn_bit(t)); }

}  // namespace

Machine::Machine(const std::vector<const TxnPlan*>& txns, const std::vector<Event>& events, const Mechanisms& profile)
    : txns_(txns), events_(events), profile_(profile) {}

Database Machine::at_start(const std::vector<Fingerprint>& start) const {
  Database d;
  std::memset(static_cast<void*>(&d), 0, sizeof d);
  for (std::size_t k = 0; k < start.size(); ++k) d.state[k] = start[k];
  d.writer.fill(-1);
  d.owner.fill(-1);
  d.now = kAlways;
  return d;
}

bool Machine::would_hold(const Database& d, const Check& check) {
  const Fingerprint state = d.state[check.key];
  if (state == kAnyFingerprint) return true;
  if (check.present) return state != kNullFingerprint;
  if (check.own.empty()) return state == check.expected;
  const Fingerprint seen = after_steps(state, check.own);
  return seen == check.expected || seen == kAnyFingerprint;
}

bool Machine::holds(Database& d, std::size_t t, const Check& check) const {
  if (!would_hold(d, check)) return false;
  if (d.state[check.key] == kAnyFingerprint && check.own.empty() && !check.present) d.state[check.key] = check.expected;
  if (!check.depends || !certifies()) return true;
  insert_txn(d.readers[check.key], t);
  const std::int8_t writer = d.writer[check.key];
  if (writer >= 0 && bound(static_cast<std::size_t>(writer)))
    insert_txn(d.depends[t], static_cast<std::size_t>(writer));
  return true;
}

bool Machine::lock(Database& d, std::size_t t, std::size_t key, bool exclusive) const {
  if (d.owner[key] >= 0 && d.owner[key] != static_cast<std::int8_t>(t)) return false;
  if (!exclusive) {
    insert_txn(d.sharers[key], t);
    return true;
  }
  if ((d.sharers[key] & ~txn_bit(t)) != 0) return false;
  d.owner[key] = static_cast<std::int8_t>(t);
  return true;
}

void Machine::release(Database& d, std::size_t t) const {
  for (std::size_t k = 0; k < kMostExactKeys; ++k) {
    if (d.owner[k] == static_cast<std::int8_t>(t)) d.owner[k] = -1;
    d.sharers[k] = static_cast<TxnSet>(d.sharers[k] & ~txn_bit(t));
  }
}

bool Machine::commit(Database& d, std::size_t t) const {
  const TxnPlan& txn = *txns_[t];
  if (txn.bound && profile_.certifier == Certifier::kConflictCheck && txn.wrote && has(d.stale, t)) return false;
  for (const Change& change : txn.changes) {
    const std::size_t k = change.key;
    const Fingerprint before = d.state[k];
    const Fingerprint after = change.sets ? change.value : after_steps(before, change.steps);
    // What is overwritten is in the snapshot, unless there is nothing: an insert looks at no dead rows.
    const bool newer = txn.bound && profile_.first_updater_wins && (d.newer[t] >> k & 1U) != 0;
    if (newer && before != kAnyFingerprint && (before != kNullFingerprint || after == kNullFingerprint)) return false;
    if (certifies() && txn.bound) {
      if (d.writer[k] >= 0 && bound(static_cast<std::size_t>(d.writer[k])))
        insert_txn(d.depends[t], static_cast<std::size_t>(d.writer[k]));
      const auto others = static_cast<TxnSet>(d.readers[k] & ~txn_bit(t));
      d.depends[t] = static_cast<TxnSet>(d.depends[t] | others);
      d.rw[t] = static_cast<TxnSet>(d.rw[t] | others);
    }
    d.stale = static_cast<TxnSet>(d.stale | (d.readers[k] & ~txn_bit(t)));
    if (profile_.first_updater_wins) {
      for (std::size_t u = 0; u < txns_.size(); ++u) {
        if (u != t && has(d.snapped, u) && !has(d.committed, u))
          d.newer[u] = static_cast<std::uint8_t>(d.newer[u] | 1U << k);
      }
    }
    d.state[k] = after;
    d.writer[k] = static_cast<std::int8_t>(t);
    d.readers[k] = 0;
    if (profile_.reads == Reads::kCertified) d.versions[k][d.version_count[k]++] = static_cast<std::int8_t>(t);
  }
  if (profile_.certifier == Certifier::kSsi) d.snapped_before[t] = d.snapped;
  insert_txn(d.committed, t);
  d.newer[t] = 0;
  release(d, t);
  return true;
}

bool Machine::carry_out(Database& d, std::size_t event) const {
  const Event& e = events_[event];
  const std::size_t t = e.txn;
  const TxnSet depended = d.depends[t];
  d.done |= std::uint64_t{1} << event;
  for (const Check& check : e.checks) {
    if (!holds(d, t, check)) return false;
  }
  switch (e.kind) {
    case EventKind::kSnapshot:
      insert_txn(d.snapped, t);
      d.counted_before_snapshot[t] = d.counted;
      break;
    case EventKind::kRead:
      break;
    case EventKind::kLock:
      if (!lock(d, t, e.key, e.exclusive)) return false;
      break;
    case EventKind::kCount:
      d.counted_before[t] = d.counted;
      insert_txn(d.counted, t);
      break;
    case EventKind::kCommit:
      if (!commit(d, t)) return false;
      break;
    case EventKind::kRelease:
      release(d, t);
      break;
  }
  if (profile_.certifier == Certifier::kSsi && (e.kind == EventKind::kCommit || e.kind == EventKind::kCount) &&
      is_dangerous(d))
    return false;
  return d.depends[t] == depended || certifier_allows(d.depends);
}

bool Machine::certifier_allows(const Relation& depends) const {
  if (profile_.certifier != Certifier::kCycles && profile_.certifier != Certifier::kTimestampOrder) return true;
  const bool timed = profile_.certifier == Certifier::kTimestampOrder;
  const std::size_t n = txns_.size();
  std::array<std::int64_t, kMostExactTxns> earliest{};
  for (std::size_t t = 0; t < n; ++t) earliest[t] = txns_[t]->begin;
  TxnSet placed = 0;
  for (bool more = true; more;) {
    more = false;
    for (std::size_t t = 0; t < n; ++t) {
      if (has(placed, t) || (depends[t] & ~placed & ~txn_bit(t)) != 0) continue;
      for (std::size_t u = 0; u < n; ++u) {
        if (u != t && has(depends[t], u)) earliest[t] = std::max(earliest[t], earliest[u]);
      }
      if (timed && depends[t] != 0 && earliest[t] > txns_[t]->end) return false;
      insert_txn(placed, t);
      more = true;
    }
  }
  return placed == static_cast<TxnSet>((1U << n) - 1);
}

// T1 -rw-> T2 -rw-> T3, each two concurrent, where T3 was counted first; where T1 wrote nothing, before T1's snapshot.
bool Machine::is_dangerous(const Database& d) const {
  const std::size_t n = txns_.size();
  const auto concurrent = [&](std::size_t a, std::size_t b) {
    return has(d.snapped_before[b], a) && has(d.snapped_before[a], b);
  };
  for (std::size_t two = 0; two < n; ++two) {
    if (d.rw[two] == 0) continue;
    for (std::size_t three = 0; three < n; ++three) {
      if (!has(d.rw[three], two) || !has(d.counted_before[two], three) || !concurrent(two, three)) continue;
      for (std::size_t one = 0; one < n; ++one) {
        if (!has(d.rw[two], one) || !concurrent(one, two)) continue;
        if (one != three && !has(d.counted_before[one], three)) continue;
        if (txns_[one]->wrote || has(d.counted_before_snapshot[one], three)) return true;
      }
    }
  }
  return false;
}

std::vector<Fingerprint> Machine::version_states(const Database& d, std::size_t key, Fingerprint start) const {
  std::vector<Fingerprint> states = {start};
  for (std::size_t v = 0; v < d.version_count[key]; ++v) {
    const TxnPlan& txn = *txns_[static_cast<std::size_t>(d.versions[key][v])];
    for (const Change& change : txn.changes) {
      if (change.key == key) states.push_back(change.sets ? change.value : after_steps(states.back(), change.steps));
    }
  }
  return states;
}

}  // namespace isolde::mirror
