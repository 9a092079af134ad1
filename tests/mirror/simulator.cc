#include "tests/mirror/simulator.h"

#include <algorithm>
#include <optional>

#include "tests/mirror/blur.h"

namespace isolde {
namespace {

using mirror::Certifier;
using mirror::Profile;
using mirror::Reads;
using mirror::SnapshotAt;

bool is_null(const DraftValue& value) { return value.type == DraftValue::Type::kNull; }

DraftValue applied(const DraftValue& before, const TraceOp& op) {
  DraftValue after = before;
  if (op.kind == OpKind::kWrite) return op.value;
  if (op.kind == OpKind::kAppend) {
    after.type = DraftValue::Type::kList;
    after.list.push_back(op.value.integer);
  } else {
    after.type = DraftValue::Type::kInteger;
    after.integer += op.value.integer;
  }
  return after;
}

struct Version {
  DraftValue value;
  std::int64_t moment;  // of its commit
  int writer;
};

struct Seen {
  int key;
  std::size_t version;
};

struct Client {
  int txn = -1;  // its place in the trace; -1: idle
  int ops_left = 0;
  std::optional<std::int64_t> snapshot;
  std::vector<TraceOp> own;  // changes, in program order
  std::vector<Seen> seen;
  bool by_snapshot = false;  // Reads::kCertified: reads as of its first operation
  std::optional<TraceOp> waits;
  std::int64_t asked = 0;  // when it began to wait
};

// What is left of a transaction that committed, for the certifier.
struct Past {
  int txn;
  std::int64_t snapshot, commit;
  bool wrote;
  std::vector<Seen> seen;
};

class Simulator {
 public:
  Simulator(const SimulatorOptions& options, Rng& rng) : o_(options), p_(options.profile), rng_(rng) {}

  SimulatedTrace run() {
    const auto keys = static_cast<std::size_t>(o_.keys);
    for (std::size_t k = 0; k < keys; ++k) {
      const bool plain = is_register(static_cast<int>(k));
      trace_.initial.push_back(plain && rng_.chance(0.7) ? DraftValue::of(0) : DraftValue{});
      versions_.push_back({{trace_.initial[k], INT64_MIN, -1}});
    }
    if (o_.predicates) {
      trace_.as_rows = o_.as_rows;
      trace_.low = static_cast<int>(rng_.between(0, 2));
      trace_.high = static_cast<int>(rng_.between(trace_.low, trace_.low + 2));
    }
    owner_.assign(keys, -1);
    sharers_.assign(keys, {});
    aborted_.assign(keys, {});
    clients_.resize(static_cast<std::size_t>(o_.clients));
    while (act()) now_ += kTick;
    SimulatedTrace result{std::move(trace_), faulty_};
    blur(result.trace, moments_, o_.width, p_.snapshot_at == SnapshotAt::kBegin, rng_);
    if (o_.commits) blur_commits(result.trace, moments_, o_.width, rng_);
    if (o_.fault == SimulatedFault::kChanged) {
      change(result.trace, rng_);
      result.faulty = true;
    }
    return result;
  }

 private:
  static constexpr std::int64_t kTick = 3;

  bool is_list(int key) const { return o_.lists && key == 0; }
  bool is_counter(int key) const { return o_.counters && key == o_.keys - 1 && !is_list(key); }
  bool is_register(int key) const { return !is_list(key) && !is_counter(key); }
  std::vector<Version>& versions(int key) { return versions_[static_cast<std::size_t>(key)]; }
  bool plants(SimulatedFault fault) { return !faulty_ && o_.fault == fault && rng_.chance(0.6); }
  TraceTxn& txn(const Client& c) { return trace_.txns[static_cast<std::size_t>(c.txn)]; }
  TxnMoments& moments(const Client& c) { return moments_[static_cast<std::size_t>(c.txn)]; }

  // One step of one client. False: all is done.
  bool act() {
    std::vector<std::size_t> able;
    for (std::size_t i = 0; i < clients_.size(); ++i) {
      if (clients_[i].txn >= 0 || static_cast<int>(trace_.txns.size()) < o_.txns) able.push_back(i);
    }
    if (able.empty()) return false;
    for (int tries = 0; tries < 12; ++tries) {
      Client& c = clients_[able[rng_.below(able.size())]];
      if (c.txn < 0) {
        begin(c);
        return true;
      }
      if (!c.waits && c.ops_left == 0) {
        end(c);
        return true;
      }
      if (!c.waits) {
        c.waits = random_op();
        c.asked = now_;
      }
      if (operate(c)) return true;
    }
    std::vector<std::size_t> open;
    for (const std::size_t i : able) {
      if (clients_[i].txn >= 0) open.push_back(i);
    }
    roll_back(clients_[open[rng_.below(open.size())]]);  // a deadlock
    return true;
  }

  void begin(Client& c) {
    c = Client{};
    c.txn = static_cast<int>(trace_.txns.size());
    c.ops_left = static_cast<int>(rng_.between(1, o_.ops));
    c.by_snapshot = rng_.chance(0.5);
    trace_.txns.emplace_back();
    moments_.push_back({now_, {}, {}, 0});
    if (p_.snapshot_at == SnapshotAt::kBegin) c.snapshot = now_;
  }

  TraceOp random_op() {
    TraceOp op;
    op.key = static_cast<int>(rng_.below(static_cast<std::uint64_t>(o_.keys)));
    const bool read = rng_.chance(0.5);
    if (o_.predicates && rng_.chance(0.5)) return random_look();
    if (read && o_.scans && rng_.chance(0.3)) {
      op.kind = OpKind::kScan;
      op.low = static_cast<int>(rng_.below(static_cast<std::uint64_t>(o_.keys)));
      op.high = static_cast<int>(rng_.between(op.low, o_.keys - 1));
    }
    if (read && o_.locking && rng_.chance(0.4)) op.lock = rng_.chance(0.5) ? Lock::kUpdate : Lock::kShare;
    if (read) return op;
    op.kind = is_list(op.key) ? OpKind::kAppend : is_counter(op.key) ? OpKind::kIncrement : OpKind::kWrite;
    op.value = DraftValue::of(op.kind == OpKind::kIncrement ? rng_.between(1, 2) : 1 + next_value_++ % o_.values);
    if (op.kind == OpKind::kWrite && o_.deletes && rng_.chance(0.3)) op.value = DraftValue{};
    return op;
  }

  TraceOp random_look() {
    TraceOp op;
    op.by_value = true;
    op.kind = rng_.chance(0.25) ? OpKind::kUpdate : OpKind::kScan;
    if (op.kind == OpKind::kScan && o_.aggregates && rng_.chance(0.4)) {
      op.kind = OpKind::kAggregate;
      op.sum = rng_.chance(0.4);
    }
    if (op.kind == OpKind::kScan && o_.locking && rng_.chance(0.4))
      op.lock = rng_.chance(0.5) ? Lock::kUpdate : Lock::kShare;
    if (op.kind == OpKind::kUpdate && !(o_.deletes && rng_.chance(0.3)))
      op.value = DraftValue::of(1 + next_value_++ % o_.values);
    return op;
  }

  // What a new snapshot, or somebody who reads the latest, sees of a key.
  std::size_t latest(int key) { return versions(key).size() - 1; }
  std::size_t as_of(int key, std::int64_t moment) {
    std::size_t v = latest(key);
    while (versions(key)[v].moment > moment) --v;
    return v;
  }

  bool owns(const Client& c, int key) const {
    return std::any_of(c.own.begin(), c.own.end(), [&](const TraceOp& op) { return op.key == key; });
  }
  bool sets(const Client& c, int key) const {
    return std::any_of(c.own.begin(), c.own.end(),
                       [&](const TraceOp& op) { return op.key == key && op.kind == OpKind::kWrite; });
  }

  // The lock, unless another transaction keeps it.
  bool lock(const Client& c, int key, bool exclusive) {
    const auto k = static_cast<std::size_t>(key);
    auto& sharers = sharers_[k];
    const bool others = std::any_of(sharers.begin(), sharers.end(), [&](int t) { return t != c.txn; });
    const bool kept = (owner_[k] >= 0 && owner_[k] != c.txn) || (exclusive && others);
    if (kept && !plants(SimulatedFault::kNoLock)) return false;
    faulty_ |= kept;
    if (exclusive) {
      owner_[k] = c.txn;
    } else {
      sharers.push_back(c.txn);
    }
    return true;
  }
  void release(const Client& c) {
    for (auto& owner : owner_) {
      if (owner == c.txn) owner = -1;
    }
    for (auto& sharers : sharers_) std::erase(sharers, c.txn);
  }

  bool operate(Client& c) {
    TraceOp op = *c.waits;
    const bool plain = op.lock == Lock::kNone &&
                       (op.kind == OpKind::kRead || op.kind == OpKind::kScan || op.kind == OpKind::kAggregate);
    const bool takes = p_.reads == Reads::kTransaction || (p_.reads == Reads::kCertified && c.by_snapshot);
    if (takes && !c.snapshot && (plain || p_.snapshot_at != SnapshotAt::kFirstRead)) c.snapshot = now_;
    if (op.by_value) {
      const std::optional<bool> done = op.kind == OpKind::kUpdate ? update(c, op) : look(c, op);
      if (!done) return false;
      if (!*done) {
        roll_back(c);
        return true;
      }
    } else if (op.kind == OpKind::kScan) {
      const std::size_t seen = c.seen.size();
      for (int key = op.low; key <= op.high; ++key) {
        const auto value = read(c, key, op.lock);
        if (!value) {
          c.seen.resize(seen);
          return false;
        }
        if (!is_null(*value)) op.rows.emplace_back(key, *value);
      }
    } else if (op.kind == OpKind::kRead) {
      const auto value = read(c, op.key, op.lock);
      if (!value) return false;
      op.value = *value;
    } else {
      const std::optional<bool> done = write(c, op);
      if (!done) return false;
      if (!*done) {
        roll_back(c);
        return true;
      }
    }
    txn(c).ops.push_back(op);
    moments(c).asked.push_back(c.asked);
    moments(c).ops.push_back(now_);
    c.waits.reset();
    --c.ops_left;
    return true;
  }

  // A scan or an aggregate by value. Nothing: it has to wait.
  std::optional<bool> look(Client& c, TraceOp& op) {
    const std::size_t seen = c.seen.size();
    std::int64_t sum = 0, count = 0;
    for (int key = 0; key < o_.keys; ++key) {
      const auto value = read(c, key, op.lock);
      if (!value) {
        c.seen.resize(seen);
        return std::nullopt;
      }
      bool found = trace_.matches(*value);
      if (found && plants(SimulatedFault::kMissedRow)) {
        faulty_ = true;
        found = false;
      } else if (!found && !is_null(*value) && plants(SimulatedFault::kExtraRow)) {
        faulty_ = found = true;
      }
      if (!found) continue;
      ++count;
      sum += value->integer;
      if (op.kind == OpKind::kScan) op.rows.emplace_back(key, *value);
    }
    if (op.kind != OpKind::kAggregate) return true;
    const bool wrong = plants(SimulatedFault::kWrongAggregate);
    faulty_ |= wrong;
    if (!op.sum || count > 0 || wrong) op.value = DraftValue::of((op.sum ? sum : count) + (wrong ? 1 : 0));
    return true;
  }

  // A predicate update: all rows that it sees match, each locked. Nothing: it has to wait; false: refused.
  std::optional<bool> update(Client& c, TraceOp& op) {
    const bool by_snapshot =
        c.snapshot &&
        ((p_.reads == Reads::kTransaction && !p_.locking_reads_see_latest) || p_.reads == Reads::kCertified);
    std::vector<std::pair<int, std::size_t>> found;
    for (int key = 0; key < o_.keys; ++key) {
      const std::size_t v = by_snapshot ? as_of(key, *c.snapshot) : latest(key);
      if (!owns(c, key)) c.seen.push_back({key, v});
      bool match = trace_.matches(view(c, key, v));
      if (match && plants(SimulatedFault::kMissedRow)) {
        faulty_ = true;
        match = false;
      } else if (!match && !is_null(view(c, key, v)) && plants(SimulatedFault::kExtraRow)) {
        faulty_ = match = true;
      }
      if (!match) continue;
      if (p_.write_locks && !lock(c, key, true)) return std::nullopt;
      found.emplace_back(key, v);
    }
    for (const auto& [key, v] : found) {
      TraceOp change{.kind = OpKind::kWrite, .key = key, .value = op.value};
      // One that changes nothing is another matter (write).
      if (change.value == versions(key)[latest(key)].value || change.value == view(c, key, v))
        change.value = DraftValue::of(1000 + next_value_++);
      if (p_.write_locks && !may_update(c, change)) return false;
      c.own.push_back(change);
      op.rows.emplace_back(key, change.value);
    }
    return true;
  }

  // Nothing: it has to wait.
  std::optional<DraftValue> read(Client& c, int key, Lock wanted) {
    const bool locks = wanted != Lock::kNone || p_.read_locks;
    if (sets(c, key) && !plants(SimulatedFault::kOwnWriteUnseen)) return view(c, key, 0);
    if (locks && p_.write_locks && !is_null(versions(key)[latest(key)].value) && !lock(c, key, wanted == Lock::kUpdate))
      return std::nullopt;
    if (p_.reads == Reads::kDirty) {
      if (sets(c, key)) faulty_ = true;
      return locks ? versions(key)[latest(key)].value : dirty(key);
    }
    const bool by_snapshot =
        c.snapshot && (p_.reads == Reads::kCertified || !locks || !p_.locking_reads_see_latest) && !at_lock(c, key);
    std::size_t v = by_snapshot ? as_of(key, *c.snapshot) : latest(key);
    if (sets(c, key)) {
      faulty_ = true;
      return versions(key)[v].value;
    }
    if (v > 0 && plants(SimulatedFault::kStaleRead)) {
      faulty_ = true;
      --v;
    }
    if (v < latest(key) && plants(SimulatedFault::kFracturedRead)) {
      faulty_ = true;
      v = latest(key);
    }
    if (const auto strange = foreign(c, key)) return strange;
    c.seen.push_back({key, v});
    return view(c, key, v);
  }

  // Whether what the transaction changed itself is on top of the latest version at that change.
  bool at_lock(const Client& c, int key) const { return owns(c, key) && p_.locking_reads_see_latest; }

  DraftValue view(const Client& c, int key, std::size_t v) {
    DraftValue value = versions(key)[v].value;
    for (const TraceOp& op : c.own) {
      if (op.key == key) value = applied(value, op);
    }
    return value;
  }

  // A value that nobody should see, if one is planted.
  std::optional<DraftValue> foreign(const Client& c, int key) {
    if (!is_register(key)) return std::nullopt;
    if (o_.fault == SimulatedFault::kUncommittedRead) {
      for (const Client& other : clients_) {
        if (other.txn == c.txn || other.txn < 0) continue;
        for (const TraceOp& op : other.own) {
          if (op.key == key && plants(SimulatedFault::kUncommittedRead)) {
            faulty_ = true;
            return op.value;
          }
        }
      }
    }
    const auto& values = aborted_[static_cast<std::size_t>(key)];
    if (!values.empty() && plants(SimulatedFault::kAbortedRead)) {
      faulty_ = true;
      return values[rng_.below(values.size())];
    }
    return std::nullopt;
  }

  DraftValue dirty(int key) {
    std::vector<DraftValue> all = {versions(key)[latest(key)].value};
    for (const Client& c : clients_) {
      if (c.txn >= 0 && sets(c, key)) all.push_back(view(c, key, 0));
    }
    return all[rng_.below(all.size())];
  }

  // Nothing: it has to wait; false: refused.
  std::optional<bool> write(Client& c, const TraceOp& op) {
    const bool by_snapshot = p_.reads == Reads::kTransaction && !p_.locking_reads_see_latest && c.snapshot;
    const std::size_t v = by_snapshot ? as_of(op.key, *c.snapshot) : latest(op.key);
    const bool deletes = op.kind == OpKind::kWrite && is_null(op.value);
    if (deletes && is_null(view(c, op.key, v))) return true;  // finds nothing
    if (p_.write_locks && !lock(c, op.key, true)) return std::nullopt;
    if (p_.write_locks && !may_update(c, op)) return false;
    const bool same =
        op.kind == OpKind::kWrite && !owns(c, op.key) && versions(op.key)[latest(op.key)].value == op.value;
    if (same && p_.reads == Reads::kTransaction && p_.locking_reads_see_latest && !p_.first_updater_wins) return true;
    c.own.push_back(op);
    return true;
  }

  // First updater wins: what it overwrites is in its snapshot; an insert looks at no dead rows.
  bool may_update(const Client& c, const TraceOp& op) {
    if (!p_.first_updater_wins || !c.snapshot) return true;
    const Version& last = versions(op.key).back();
    if (last.moment <= *c.snapshot) return true;
    if (is_null(last.value) && !(op.kind == OpKind::kWrite && is_null(op.value))) return true;
    if (!plants(SimulatedFault::kNoFirstUpdater)) return false;
    faulty_ = true;
    return true;
  }

  void end(Client& c) {
    if (rng_.chance(0.1)) {
      roll_back(c);
      return;
    }
    if (!certified(c) || !may_commit(c)) {
      roll_back(c);
      return;
    }
    const bool unknown = o_.unknown && rng_.chance(0.25);
    if (unknown) txn(c).status = Status::kUnknown;
    moments(c).end = now_;
    if (!unknown || rng_.chance(0.5)) install(c);
    release(c);
    c = Client{};
  }

  bool may_commit(const Client& c) {
    if (p_.write_locks) return true;
    return std::all_of(c.own.begin(), c.own.end(), [&](const TraceOp& op) { return may_update(c, op); });
  }

  void install(Client& c) {
    past_.push_back({c.txn, c.snapshot.value_or(now_), now_, !c.own.empty(), c.seen});
    std::vector<int> keys;
    for (const TraceOp& op : c.own) {
      if (std::find(keys.begin(), keys.end(), op.key) == keys.end()) keys.push_back(op.key);
    }
    for (const int key : keys) {
      if (plants(SimulatedFault::kLostWrite)) {
        faulty_ = true;
        continue;
      }
      const DraftValue value = view(c, key, latest(key));
      versions(key).push_back({value, now_, c.txn});
    }
  }

  void roll_back(Client& c) {
    for (const TraceOp& op : c.own) {
      if (op.kind == OpKind::kWrite && !is_null(op.value))
        aborted_[static_cast<std::size_t>(op.key)].push_back(op.value);
    }
    txn(c).status = Status::kAborted;
    moments(c).end = now_;
    release(c);
    c = Client{};
  }

  bool certified(const Client& c) {
    bool fits = true;
    const bool stale =
        std::any_of(c.seen.begin(), c.seen.end(), [&](const Seen& s) { return s.version != latest(s.key); });
    switch (p_.certifier) {
      case Certifier::kNone:
        return true;
      case Certifier::kSsi:
        fits = !dangerous(c);
        break;
      case Certifier::kConflictCheck:
        fits = c.own.empty() || !stale;
        break;
      default:  // in the order of commits; who only read a snapshot, in its own place
        fits = !stale || (c.own.empty() && c.snapshot);
        break;
    }
    if (fits || !plants(SimulatedFault::kNoCertifier)) return fits;
    faulty_ = true;
    return true;
  }

  bool dangerous(const Client& c) {
    std::vector<Past> all = past_;
    all.push_back({c.txn, c.snapshot.value_or(now_), now_, !c.own.empty(), c.seen});
    const auto rw = [&](const Past& r, const Past& w) {
      if (r.txn == w.txn || r.snapshot >= w.commit || w.snapshot >= r.commit) return false;
      return std::any_of(r.seen.begin(), r.seen.end(), [&](const Seen& s) {
        if (s.version + 1 < versions(s.key).size()) return versions(s.key)[s.version + 1].writer == w.txn;
        return w.txn == c.txn && owns(c, s.key);
      });
    };
    for (const Past& one : all) {
      for (const Past& two : all) {
        if (!rw(one, two)) continue;
        for (const Past& three : all) {
          if (!rw(two, three) || three.commit >= two.commit || three.commit > one.commit) continue;
          if (one.wrote || three.commit < one.snapshot) return true;
        }
      }
    }
    return false;
  }

  const SimulatorOptions& o_;
  const Profile& p_;
  Rng& rng_;
  std::int64_t now_ = 100;
  std::int64_t next_value_ = 0;
  bool faulty_ = false;
  Trace trace_;
  std::vector<TxnMoments> moments_;
  std::vector<Client> clients_;
  std::vector<Past> past_;
  std::vector<std::vector<Version>> versions_;
  std::vector<int> owner_;
  std::vector<std::vector<int>> sharers_;
  std::vector<std::vector<DraftValue>> aborted_;
};

constexpr std::string_view kNames[kPredicateFaults] = {
    "none",         "stale read", "uncommitted read", "aborted read", "fractured read", "no lock",   "no first updater",
    "no certifier", "lost write", "own write unseen", "changed",      "missed row",     "extra row", "wrong aggregate"};

}  // namespace

std::string_view name(SimulatedFault fault) { return kNames[static_cast<int>(fault)]; }

SimulatedTrace simulate(const SimulatorOptions& options, Rng& rng) { return Simulator(options, rng).run(); }

}  // namespace isolde
