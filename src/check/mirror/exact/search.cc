#include "check/mirror/exact/search.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/hash.h"
#include "check/mirror/exact/database.h"
#include "check/mirror/moments.h"

namespace isolde::mirror {
namespace {

// States that failed, by their hashes.
class FailedStates {
 public:
  // False: it was there.
  bool insert(std::uint64_t a, std::uint64_t b) {
    if (2 * (count_ + 1) > slots_.size()) grow();
    std::pair<std::uint64_t, std::uint64_t>& slot = place(a, b);
    if (slot.first == a && slot.second == b) return false;
    slot = {a, b};
    ++count_;
    return true;
  }

 private:
  std::pair<std::uint64_t, std::uint64_t>& place(std::uint64_t a, std::uint64_t b) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = a & mask;
    while (slots_[i] != std::pair<std::uint64_t, std::uint64_t>{} && slots_[i] != std::pair{a, b}) i = (i + 1) & mask;
    return slots_[i];
  }
  void grow() {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> old(std::max<std::size_t>(64, slots_.size() * 2));
    old.swap(slots_);
    for (const auto& [a, b] : old) {
      if (a != 0 || b != 0) place(a, b) = {a, b};
    }
  }
  std::vector<std::pair<std::uint64_t, std::uint64_t>> slots_;
  std::size_t count_ = 0;
};

class ExactSearch {
 public:
  ExactSearch(const std::vector<const TxnPlan*>& txns, const std::vector<Fingerprint>& start, const Mechanisms& profile,
              std::int64_t& steps)
      : txns_(txns), start_(start), profile_(profile), steps_(steps), machine_(txns, events_, profile) {}

  Answer run() {
    std::size_t count = 0;
    for (const TxnPlan* txn : txns_) {
      count += txn->events.size();
      if (txn->too_large) return Answer::kTooLarge;
    }
    if (count > kMostEvents) return Answer::kTooLarge;
    for (std::size_t t = 0; t < txns_.size(); ++t) add(*txns_[t], t);
    find_sources();
    const bool found = go_on(machine_.at_start(start_));
    if (steps_ <= 0) return Answer::kTooLarge;
    return found ? Answer::kPossible : Answer::kImpossible;
  }

 private:
  static constexpr std::uint64_t bit(std::size_t e) { return std::uint64_t{1} << e; }
  [[nodiscard]] bool is_lock(std::size_t e) const { return (locks_ >> e & 1U) != 0; }

  void add(const TxnPlan& txn, std::size_t t) {
    const std::size_t offset = events_.size();
    for (const Event& e : txn.events) {
      const std::size_t at = events_.size();
      events_.push_back(e);
      events_.back().before <<= offset;
      events_.back().txn = static_cast<std::uint8_t>(t);
      if (!e.optional) required_ |= bit(at);
      if (e.kind == EventKind::kLock) locks_ |= bit(at);
      // A snapshot's place matters for what is overwritten and for the certifier.
      const bool looks = e.kind == EventKind::kRead || (e.kind == EventKind::kSnapshot && !profile_.first_updater_wins);
      if (looks && profile_.certifier == Certifier::kNone) looks_ |= bit(at);
    }
  }

  void find_sources() {
    for (Event& e : events_) {
      for (Check& check : e.checks) {
        for (std::size_t c = 0; c < events_.size(); ++c) {
          if (events_[c].kind != EventKind::kCommit || events_[c].txn == e.txn) continue;
          for (const Change& change : txns_[events_[c].txn]->changes) {
            if (change.key != check.key) continue;
            const bool fits = check.present ? change.value != kNullFingerprint : change.value == check.expected;
            if (!change.sets || fits || change.value == kAnyFingerprint || !check.own.empty()) check.sources |= bit(c);
          }
        }
      }
    }
  }

  // Some check can never hold any more.
  [[nodiscard]] bool is_dead(const Database& d) const {
    for (std::uint64_t left = required_ & ~d.done; left != 0; left &= left - 1) {
      for (const Check& check : events_[static_cast<std::size_t>(__builtin_ctzll(left))].checks) {
        if ((check.sources & ~d.done) == 0 && !Machine::would_hold(d, check)) return true;
      }
    }
    return false;
  }

  // Reads that fit now and cost no time.
  void look_at_once(Database& d) const {
    for (bool more = true; more;) {
      more = false;
      for (std::uint64_t left = looks_ & ~d.done; left != 0; left &= left - 1) {
        const auto i = static_cast<std::size_t>(__builtin_ctzll(left));
        const Event& e = events_[i];
        if (e.lo > d.now || (e.before & ~d.done) != 0) continue;
        const bool fits = std::all_of(e.checks.begin(), e.checks.end(), [&](const Check& check) {
          return d.state[check.key] != kAnyFingerprint && Machine::would_hold(d, check);
        });
        if (!fits) continue;
        d.done |= bit(i);
        more = true;
      }
    }
  }

  // Deep as the events are many, which kMostEvents bounds.
  bool go_on(Database d) {
    look_at_once(d);
    if ((d.done & required_) == required_ && accepted(d)) return true;
    if (--steps_ <= 0) return true;
    if (!remember(d)) return false;
    std::int64_t latest = kNever;
    for (std::uint64_t left = required_ & ~d.done; left != 0; left &= left - 1)
      latest = std::min(latest, events_[static_cast<std::size_t>(__builtin_ctzll(left))].hi);
    if (d.now > latest || is_dead(d)) return false;
    for (std::size_t e = 0; e < events_.size(); ++e) {
      if ((d.done & bit(e)) != 0 || is_lock(e)) continue;
      Database after = d;
      if (step(after, e) && go_on(after)) return true;
    }
    return false;
  }

  bool remember(const Database& d) {
    constexpr std::size_t kWords = offsetof(Database, now) / sizeof(std::uint64_t);
    // What is never set needs no look.
    std::size_t count = kWords;
    if (profile_.reads != Reads::kCertified) {
      count =
          (machine_.certifies() ? offsetof(Database, versions) : offsetof(Database, depends)) / sizeof(std::uint64_t);
    }
    std::array<std::uint64_t, kWords> words;
    std::memcpy(words.data(), &d, count * sizeof(std::uint64_t));
    std::uint64_t a = 0x243f6a8885a308d3ULL, b = 0x13198a2e03707344ULL;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t w = words[i];
      a = (a ^ w) * 0x9fb21c651e98df25ULL;
      a ^= a >> 32;
      b = (b + w) * 0xd6e8feb86659fd93ULL;
      b ^= b >> 29;
    }
    return failed_.insert(mix64(a) | 1, mix64(b));
  }

  // Event `e` comes next, after the locks that its transaction took before, and those whose time is up by then.
  bool step(Database& d, std::size_t e) const {
    const Event& event = events_[e];
    std::int64_t then = std::max(d.now, event.lo);
    std::uint64_t first = event.before & ~d.done;
    for (bool more = true; more;) {
      more = false;
      if ((first & ~locks_) != 0) return false;
      for (std::uint64_t left = first; left != 0; left &= left - 1) {
        const Event& lock = events_[static_cast<std::size_t>(__builtin_ctzll(left))];
        if (std::max(d.now, lock.lo) > lock.hi) return false;
        if ((lock.before & ~d.done & ~first) != 0) more = true;
        first |= lock.before & ~d.done;
        if ((event.before & left & -left) != 0) then = std::max(then, lock.lo);
      }
      for (std::uint64_t left = required_ & ~d.done & ~first & ~bit(e); left != 0; left &= left - 1) {
        const auto i = static_cast<std::size_t>(__builtin_ctzll(left));
        if (events_[i].hi >= then) continue;
        first |= bit(i);
        more = true;
      }
    }
    if (then > event.hi) return false;
    for (std::uint64_t left = first; left != 0; left &= left - 1) {
      const auto i = static_cast<std::size_t>(__builtin_ctzll(left));
      d.now = std::max(d.now, events_[i].lo);
      if (!machine_.carry_out(d, i)) return false;
    }
    d.now = std::max(d.now, then);
    return machine_.carry_out(d, e);
  }

  bool accepted(const Database& d) {
    if (profile_.reads != Reads::kCertified) return true;
    std::vector<std::vector<Fingerprint>> states;
    for (std::size_t k = 0; k < start_.size(); ++k) states.push_back(machine_.version_states(d, k, start_[k]));
    return versions_fit(d, states, d.depends, 0, 0);
  }

  // When a transaction's version of a key was.
  [[nodiscard]] std::int64_t sent(int writer, std::size_t k) const {
    for (const Change& change : txns_[static_cast<std::size_t>(writer)]->changes) {
      if (change.key == k) return change.sent;
    }
    return kAlways;
  }

  // Reads::kCertified: each read from the `r`-th of transaction `t` on is of some version.
  bool versions_fit(const Database& d, const std::vector<std::vector<Fingerprint>>& states, const Relation& depends,
                    std::size_t t, std::size_t r) {
    while (t < txns_.size() && r == txns_[t]->certified.size()) {
      ++t;
      r = 0;
    }
    if (t == txns_.size()) return true;
    if (--steps_ <= 0) return true;
    const Check& check = txns_[t]->certified[r];
    const std::size_t k = check.key;
    if (start_[k] == kAnyFingerprint) return versions_fit(d, states, depends, t, r + 1);
    for (std::size_t v = 0; v < states[k].size(); ++v) {
      const int writer = v == 0 ? -1 : d.versions[k][v - 1];
      const Fingerprint seen = after_steps(states[k][v], check.own);
      if ((seen != check.expected && seen != kAnyFingerprint) || writer == static_cast<int>(t)) continue;
      if (writer >= 0 && check.answered != kNever && sent(writer, k) > check.answered) continue;
      Relation more = depends;
      if (check.depends) {
        if (writer >= 0 && machine_.bound(static_cast<std::size_t>(writer)))
          more[t] = static_cast<TxnSet>(more[t] | txn_bit(static_cast<std::size_t>(writer)));
        const int next = v < d.version_count[k] ? d.versions[k][v] : -1;
        if (next >= 0 && next != static_cast<int>(t) && machine_.bound(static_cast<std::size_t>(next)))
          more[static_cast<std::size_t>(next)] = static_cast<TxnSet>(more[static_cast<std::size_t>(next)] | txn_bit(t));
      }
      if (machine_.certifier_allows(more) && versions_fit(d, states, more, t, r + 1)) return true;
    }
    return false;
  }

  const std::vector<const TxnPlan*>& txns_;
  const std::vector<Fingerprint>& start_;
  const Mechanisms& profile_;
  std::int64_t& steps_;
  std::vector<Event> events_;
  Machine machine_;
  std::uint64_t required_ = 0, locks_ = 0, looks_ = 0;
  FailedStates failed_;
};

}  // namespace

Answer search_orders(const std::vector<const TxnPlan*>& txns, const std::vector<Fingerprint>& start,
                     const Mechanisms& profile, std::int64_t& steps) {
  if (txns.size() > kMostExactTxns || start.size() > kMostExactKeys) return Answer::kTooLarge;
  return ExactSearch(txns, start, profile, steps).run();
}

}  // namespace isolde::mirror
