#include "tests/mirror/oracle.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <unordered_set>

#include "tests/mirror/moments.h"

namespace isolde {
namespace moments {
namespace {

using mirror::Certifier;
using mirror::Profile;
using mirror::Reads;

using Pairs = std::uint64_t;  // bit a * kMaxTxns + b
constexpr Pairs pair(std::size_t a, std::size_t b) { return Pairs{1} << (a * kMaxTxns + b); }
constexpr bool has_pair(Pairs pairs, std::size_t a, std::size_t b) { return (pairs & pair(a, b)) != 0; }

// The database at some moment of an execution. Plain bytes: states that failed are known by them.
struct Database {
  std::uint64_t done;  // moments
  Pairs depends;       // b depends on a
  Pairs rw;
  Pairs snapshot_before_commit, prepared_before, prepared_before_snapshot;
  State state[kMaxKeys];
  std::int8_t writer[kMaxKeys];  // of the latest version; -1: initial
  std::int8_t owner[kMaxKeys];   // holds it exclusively; -1: nobody
  std::uint8_t sharers[kMaxKeys];
  std::uint8_t readers[kMaxKeys];  // of the latest version
  std::uint8_t newer[kMaxTxns];    // keys with a version that the snapshot does not have
  std::uint8_t looks[kMaxKeys];    // of those that asked whether it matches, since that last changed
  std::int8_t changer[kMaxKeys];   // who changed that last; -1: nobody
  std::uint8_t stale;              // transactions that read what is no longer latest
  std::uint8_t snapped, prepared, committed;
};

class Search {
 public:
  Search(const Trace& trace, const Plan& plan, const Profile& profile, StateTable& states)
      : trace_(trace),
        plan_(plan),
        p_(profile),
        states_(states),
        everything_(plan.moments.size() == 64 ? ~0ULL : (1ULL << plan.moments.size()) - 1) {}

  bool possible() {
    Database d;
    std::memset(&d, 0, sizeof d);
    for (std::size_t k = 0; k < trace_.initial.size(); ++k) {
      d.state[k] = states_.of(trace_.initial[k]);
      versions_[k] = {{d.state[k], -1, INT64_MIN}};
    }
    std::fill(std::begin(d.writer), std::end(d.writer), std::int8_t{-1});
    std::fill(std::begin(d.owner), std::end(d.owner), std::int8_t{-1});
    std::fill(std::begin(d.changer), std::end(d.changer), std::int8_t{-1});
    return go_on(d, INT64_MIN);
  }
  bool gave_up() const { return nodes_ > kMaxNodes; }

 private:
  static constexpr std::size_t kMaxNodes = 400'000;

  bool is_lazy(const Moment& m) const { return m.kind == Moment::Kind::kLock; }
  bool done(const Database& d, std::size_t m) const { return (d.done >> m & 1U) != 0; }

  bool go_on(const Database& d, std::int64_t now) {
    if (d.done == everything_) return certified(d);
    if (++nodes_ > kMaxNodes) return false;
    if (p_.reads != Reads::kCertified &&
        !failed_.insert(std::string(reinterpret_cast<const char*>(&d), sizeof d)).second)
      return false;
    bool left = false;
    for (std::size_t m = 0; m < plan_.moments.size(); ++m) {
      if (done(d, m) || is_lazy(plan_.moments[m])) continue;
      left = true;
      Database after = d;
      std::int64_t then = now;
      const std::size_t versions = order_.size();
      const bool fits = step(after, then, m);
      if (fits && go_on(after, then)) return true;
      take_back(versions);
    }
    if (left) return false;
    // Only locks are left, of nobody who ends: there are none.
    return false;
  }

  // Moment `m` comes next. Locks are taken as late as their windows, and what follows them, allow: whoever holds one
  // keeps others out until its end, so nothing that it sees under it can differ.
  bool step(Database& d, std::int64_t& now, std::size_t m) {
    const Moment& moment = plan_.moments[m];
    std::int64_t then = std::max(now, moment.before);
    std::uint64_t first = moment.earlier & ~d.done;
    for (std::size_t l = 0; l < plan_.moments.size(); ++l) {
      if ((first >> l & 1U) != 0) then = std::max(then, plan_.moments[l].before);
    }
    if (moment.after < then) return false;
    for (std::size_t l = 0; l < plan_.moments.size(); ++l) {
      const Moment& other = plan_.moments[l];
      if (l == m || done(d, l) || other.after >= then) continue;
      if (!is_lazy(other)) return false;
      first |= std::uint64_t{1} << l;
    }
    for (std::size_t l = 0; l < plan_.moments.size(); ++l) {
      if ((first >> l & 1U) == 0) continue;
      const Moment& other = plan_.moments[l];
      if (!is_lazy(other)) return false;
      for (std::size_t e = 0; e < plan_.moments.size(); ++e) {
        if ((other.earlier >> e & 1U) != 0 && !done(d, e) && !is_lazy(plan_.moments[e])) return false;
      }
      if (!carry_out(d, l)) return false;
    }
    now = then;
    return carry_out(d, m);
  }

  bool carry_out(Database& d, std::size_t m) {
    const Moment& moment = plan_.moments[m];
    const std::size_t t = moment.txn;
    d.done |= std::uint64_t{1} << m;
    for (const Check& check : moment.checks) {
      if (!holds(d, t, check)) return false;
    }
    const auto bit = static_cast<std::uint8_t>(1U << t);
    switch (moment.kind) {
      case Moment::Kind::kSnapshot:
        d.snapped = static_cast<std::uint8_t>(d.snapped | bit);
        for (std::size_t u = 0; u < kMaxTxns; ++u) {
          if ((d.prepared >> u & 1U) != 0) d.prepared_before_snapshot |= pair(u, t);
        }
        return true;
      case Moment::Kind::kRead:
        return true;
      case Moment::Kind::kLock:
        return locks(d, t, static_cast<std::size_t>(moment.key), moment.exclusive);
      case Moment::Kind::kPrepare:
        for (std::size_t u = 0; u < kMaxTxns; ++u) {
          if ((d.prepared >> u & 1U) != 0) d.prepared_before |= pair(u, t);
        }
        d.prepared = static_cast<std::uint8_t>(d.prepared | bit);
        return true;
      case Moment::Kind::kCommit:
        return commits(d, t);
      case Moment::Kind::kRelease:
        release(d, t);
        return true;
    }
    return false;
  }

  State fold(State state, const OwnOps& own) {
    for (const TraceOp* op : own) {
      const bool sets = op->kind == OpKind::kWrite || op->kind == OpKind::kUpdate;
      if (state != kUnsaid || sets) state = states_.apply(state, *op);
    }
    return state;
  }

  // The last write, or the first of several of the same value.
  static std::int64_t sent_at(const OwnOps& own) {
    std::size_t last = own.size() - 1;
    while (last > 0 && own[last - 1]->value == own.back()->value) --last;
    return own[last]->before;
  }

  bool matches(State state) const { return state >= 0 && trace_.matches(states_.content(state)); }

  void looked(Database& d, std::size_t t, std::size_t k) {
    d.looks[k] = static_cast<std::uint8_t>(d.looks[k] | 1U << t);
    if (d.changer[k] >= 0) d.depends |= pair(static_cast<std::size_t>(d.changer[k]), t);
  }

  bool aggregate_holds(Database& d, std::size_t t, const Check& check) {
    std::int64_t result = 0;
    bool any = false;
    for (std::size_t k = 0; k < trace_.initial.size(); ++k) {
      const State state = fold(d.state[k], check.owns[k]);
      if (check.owns[k].empty()) looked(d, t, k);
      if (!matches(state)) continue;
      any = true;
      result += check.aggregate->sum ? states_.content(state).integer : 1;
    }
    if (!any && check.aggregate->sum) return check.aggregate->value.type == DraftValue::Type::kNull;
    return check.aggregate->value == DraftValue::of(result);
  }

  bool holds(Database& d, std::size_t t, const Check& check) {
    if (check.look == Look::kAggregate) return aggregate_holds(d, t, check);
    if (check.look != Look::kNone) {
      const auto key = static_cast<std::size_t>(check.key);
      if (matches(d.state[key]) != (check.look == Look::kMatches)) return false;
      if (check.is_read) looked(d, t, key);
      return true;
    }
    const auto k = static_cast<std::size_t>(check.key);
    const bool unsaid = d.state[k] == kUnsaid;
    if (unsaid && !check.only_present && check.own.empty()) d.state[k] = check.expected;
    if (check.only_present) return d.state[k] != kNullState;
    if (!unsaid && fold(d.state[k], check.own) != check.expected) return false;
    if (!check.is_read) return true;
    d.readers[k] = static_cast<std::uint8_t>(d.readers[k] | 1U << t);
    if (d.writer[k] >= 0) d.depends |= pair(static_cast<std::size_t>(d.writer[k]), t);
    return true;
  }

  static bool locks(Database& d, std::size_t t, std::size_t k, bool exclusive) {
    const auto self = static_cast<std::int8_t>(t);
    const auto bit = static_cast<std::uint8_t>(1U << t);
    if (d.owner[k] >= 0 && d.owner[k] != self) return false;
    if (exclusive && (d.sharers[k] & ~bit) != 0) return false;
    if (exclusive) {
      d.owner[k] = self;
    } else {
      d.sharers[k] = static_cast<std::uint8_t>(d.sharers[k] | bit);
    }
    return true;
  }

  static void release(Database& d, std::size_t t) {
    for (std::size_t k = 0; k < kMaxKeys; ++k) {
      if (d.owner[k] == static_cast<std::int8_t>(t)) d.owner[k] = -1;
      d.sharers[k] = static_cast<std::uint8_t>(d.sharers[k] & ~(1U << t));
    }
  }

  bool commits(Database& d, std::size_t t) {
    const PlannedTxn& txn = plan_.txns[t];
    const auto bit = static_cast<std::uint8_t>(1U << t);
    if (p_.certifier == Certifier::kConflictCheck && !txn.installs.empty() && (d.stale & bit) != 0) return false;
    for (const Install& install : txn.installs) {
      const auto k = static_cast<std::size_t>(install.key);
      const State written = install.unsaid ? kUnsaid : fold(d.state[k], install.own);
      // What is overwritten is in the snapshot, unless there is nothing: an insert looks at no dead rows.
      if (p_.first_updater_wins && (d.newer[t] >> k & 1U) != 0 && (d.state[k] != kNullState || written == kNullState))
        return false;
      if (d.writer[k] >= 0) d.depends |= pair(static_cast<std::size_t>(d.writer[k]), t);
      for (std::size_t r = 0; r < kMaxTxns; ++r) {
        if (r == t || (d.readers[k] >> r & 1U) == 0) continue;
        d.depends |= pair(r, t);
        d.rw |= pair(r, t);
        d.stale = static_cast<std::uint8_t>(d.stale | 1U << r);
      }
      if (matches(d.state[k]) != matches(written)) {
        for (std::size_t r = 0; r < kMaxTxns; ++r) {
          if (r == t || (d.looks[k] >> r & 1U) == 0) continue;
          d.depends |= pair(r, t);
          d.rw |= pair(r, t);
          d.stale = static_cast<std::uint8_t>(d.stale | 1U << r);
        }
        d.looks[k] = 0;
        d.changer[k] = static_cast<std::int8_t>(t);
      }
      for (std::size_t u = 0; u < kMaxTxns; ++u) {
        if (u != t && (d.snapped >> u & 1U) != 0 && (d.committed >> u & 1U) == 0)
          d.newer[u] = static_cast<std::uint8_t>(d.newer[u] | 1U << k);
      }
      d.state[k] = written;
      d.writer[k] = static_cast<std::int8_t>(t);
      d.readers[k] = 0;
      versions_[k].push_back({written, static_cast<int>(t), sent_at(install.own)});
      order_.push_back(k);
    }
    for (std::size_t u = 0; u < kMaxTxns; ++u) {
      if ((d.snapped >> u & 1U) != 0) d.snapshot_before_commit |= pair(u, t);
    }
    d.committed = static_cast<std::uint8_t>(d.committed | bit);
    d.newer[t] = 0;
    release(d, t);
    return true;
  }

  void take_back(std::size_t versions) {
    while (order_.size() > versions) {
      versions_[order_.back()].pop_back();
      order_.pop_back();
    }
  }

  bool certified(const Database& d) {
    if (p_.reads == Reads::kCertified) return versions_fit(d.depends, 0, 0);
    return certifier_allows(d.depends) && !(p_.certifier == Certifier::kSsi && is_dangerous(d));
  }

  // Each transaction can have a moment of its own after those that it depends on; kCycles: whenever.
  bool certifier_allows(Pairs depends) const {
    if (p_.certifier != Certifier::kCycles && p_.certifier != Certifier::kTimestampOrder) return true;
    const bool timed = p_.certifier == Certifier::kTimestampOrder;
    std::int64_t earliest[kMaxTxns];
    const std::size_t n = plan_.txns.size();
    for (std::size_t t = 0; t < n; ++t) earliest[t] = timed ? plan_.txns[t].begin : 0;
    std::uint32_t placed = 0;
    for (std::size_t round = 0; round < n; ++round) {
      std::size_t next = n;
      for (std::size_t t = 0; t < n && next == n; ++t) {
        bool free = (placed >> t & 1U) == 0;
        for (std::size_t u = 0; u < n; ++u)
          free = free && !(has_pair(depends, u, t) && (placed >> u & 1U) == 0 && u != t);
        if (free) next = t;
      }
      if (next == n) return false;
      placed |= 1U << next;
      if (timed && earliest[next] > plan_.txns[next].end) return false;
      for (std::size_t u = 0; u < n; ++u) {
        if (u != next && has_pair(depends, next, u)) earliest[u] = std::max(earliest[u], earliest[next]);
      }
    }
    return true;
  }

  // T1 -rw-> T2 -rw-> T3, each two concurrent, where T3 was the first to be sure of its commit; where T1 wrote nothing,
  // before T1's snapshot.
  bool is_dangerous(const Database& d) const {
    const std::size_t n = plan_.txns.size();
    const auto concurrent = [&](std::size_t a, std::size_t b) {
      return has_pair(d.snapshot_before_commit, a, b) && has_pair(d.snapshot_before_commit, b, a);
    };
    for (std::size_t one = 0; one < n; ++one) {
      for (std::size_t two = 0; two < n; ++two) {
        if (!has_pair(d.rw, one, two) || !concurrent(one, two)) continue;
        for (std::size_t three = 0; three < n; ++three) {
          if (!has_pair(d.rw, two, three) || !concurrent(two, three)) continue;
          const bool first =
              has_pair(d.prepared_before, three, two) && (one == three || has_pair(d.prepared_before, three, one));
          const bool reader = plan_.txns[one].installs.empty();
          if (first && (!reader || has_pair(d.prepared_before_snapshot, three, one))) return true;
        }
      }
    }
    return false;
  }

  // Reads::kCertified: each read of the transactions from `t` on, from its `r`-th, is of some version.
  bool versions_fit(Pairs depends, std::size_t t, std::size_t r) {
    if (t == plan_.txns.size()) return certifier_allows(depends);
    const PlannedTxn& txn = plan_.txns[t];
    if (r == txn.certified.size()) return versions_fit(depends, t + 1, 0);
    const Check& check = txn.certified[r];
    const auto& versions = versions_[static_cast<std::size_t>(check.key)];
    for (std::size_t v = 0; v < versions.size(); ++v) {
      const int writer = versions[v].writer;
      if (check.look != Look::kNone) {
        if (writer == static_cast<int>(t) || matches(versions[v].state) != (check.look == Look::kMatches)) continue;
        if (versions_fit(check.is_read ? depends | look_pairs(versions, v, t) : depends, t, r + 1)) return true;
        continue;
      }
      const bool fits = versions[v].state == kUnsaid || fold(versions[v].state, check.own) == check.expected;
      if (!fits || writer == static_cast<int>(t) || versions[v].sent > check.answered) continue;
      Pairs more = depends;
      if (check.is_read && writer >= 0) more |= pair(static_cast<std::size_t>(writer), t);
      if (check.is_read && v + 1 < versions.size() && versions[v + 1].writer != static_cast<int>(t))
        more |= pair(t, static_cast<std::size_t>(versions[v + 1].writer));
      if (versions_fit(more, t, r + 1)) return true;
    }
    return false;
  }

  struct Version {
    State state;
    int writer;
    std::int64_t sent;  // when its last write was
  };

  // Who changed the match up to version `v`, and who changes it next.
  Pairs look_pairs(const std::vector<Version>& versions, std::size_t v, std::size_t t) const {
    const bool match = matches(versions[v].state);
    Pairs pairs = 0;
    std::size_t first = v, next = v + 1;
    // What comes after its own version it can only have seen by depending on it.
    const auto is_own = [&](std::size_t at) { return versions[at].writer == static_cast<int>(t); };
    while (first > 0 && matches(versions[first - 1].state) == match && !is_own(first - 1)) --first;
    while (next < versions.size() && matches(versions[next].state) == match) ++next;
    if (first > 0 && versions[first].writer != static_cast<int>(t))
      pairs |= pair(static_cast<std::size_t>(versions[first].writer), t);
    if (next < versions.size() && versions[next].writer != static_cast<int>(t))
      pairs |= pair(t, static_cast<std::size_t>(versions[next].writer));
    return pairs;
  }

  const Trace& trace_;
  const Plan& plan_;
  const Profile& p_;
  StateTable& states_;
  std::uint64_t everything_;
  std::size_t nodes_ = 0;
  std::unordered_set<std::string> failed_;
  std::vector<Version> versions_[kMaxKeys];
  std::vector<std::size_t> order_;  // keys, as their versions came
};

bool has_lists(const Trace& trace) {
  for (const TraceTxn& txn : trace.txns) {
    for (const TraceOp& op : txn.ops) {
      if (op.kind == OpKind::kAppend || op.kind == OpKind::kIncrement) return true;
    }
  }
  return false;
}

}  // namespace
}  // namespace moments

MirrorTruth mirror_truth(const Trace& trace, const mirror::Profile& profile) {
  using namespace moments;
  if (trace.txns.size() > kMaxTxns || trace.initial.size() > kMaxKeys) return MirrorTruth::kTooLarge;
  if (profile.reads == Reads::kDirty && has_lists(trace)) return MirrorTruth::kTooLarge;
  const int idle = idle_choices(trace, profile);
  if (idle > 12) return MirrorTruth::kTooLarge;
  std::uint32_t unknown = 0;
  for (std::size_t t = 0; t < trace.txns.size(); ++t) {
    if (trace.txns[t].status == Status::kUnknown) unknown |= 1U << t;
  }
  bool too_large = false;
  for (std::uint32_t seen = unknown;; seen = (seen - 1) & unknown) {
    for (std::uint32_t bits = 0; bits < 1U << idle; ++bits) {
      StateTable states;
      const auto planned = plan(trace, profile, {seen, bits}, states);
      if (!planned) continue;
      if (planned->too_large) return MirrorTruth::kTooLarge;
      Search search(trace, *planned, profile, states);
      if (search.possible()) return MirrorTruth::kPossible;
      too_large |= search.gave_up();
    }
    if (seen == 0) break;
  }
  return too_large ? MirrorTruth::kTooLarge : MirrorTruth::kImpossible;
}

}  // namespace isolde
