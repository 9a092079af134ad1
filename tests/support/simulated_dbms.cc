#include "tests/support/simulated_dbms.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/rng.h"
#include "history/history_builder.h"

namespace isolde {
namespace {

using mirror::Certifier;
using mirror::Profile;
using mirror::Reads;
using mirror::SnapshotAt;

// A key's content: nothing, a number, or a list.
struct Content {
  bool there = false;
  bool is_list = false;
  std::int64_t number = 0;
  std::vector<std::int64_t> list;
  std::map<int, std::int64_t> columns;
};

struct Written {
  std::int64_t moment;  // real, of the commit
  int txn;
  Content content;
};

struct Op {
  OpKind kind = OpKind::kRead;
  Lock lock = Lock::kNone;
  int key = 0, last_key = 0;  // a scan's range
  std::int64_t value = 0;
  bool is_delete = false;
  std::vector<int> columns;  // that it names
  std::int64_t before = 0, moment = 0, after = 0;
  Content seen;
  std::vector<std::pair<int, Content>> rows;
  bool done = false;
};

struct Txn {
  int session = 0;
  std::int64_t begin = 0, end = 0, sent = -1, committed = -1, snapshot = -1, stamp = 0;
  std::vector<Op> ops;
  std::size_t next = 0;
  Status status = Status::kCommitted;
  bool over = false;
  bool wants_unknown = false;
  std::map<int, Content> own;
  std::set<std::pair<int, int>> read_from;  // key, writer; -1: initial
  bool wrote() const { return !own.empty(); }
};

enum class Phase { kIdle, kBegun, kSent, kDone, kCommitting, kEnding, kRollingBack };

class DbmsRun {
 public:
  explicit DbmsRun(const SimulationOptions& o) : o_(o), p_(o.profile), rng_(o.seed), versions_(o.keys) {
    if (o.initial_rows) {
      initial_.there = true;
      for (int c = 0; c < o.columns; ++c) initial_.columns[c] = c % 2;
    }
    exclusive_.assign(static_cast<std::size_t>(o.keys), -1);
    shared_.resize(static_cast<std::size_t>(o.keys));
    phase_.assign(static_cast<std::size_t>(o.sessions), Phase::kIdle);
    current_.assign(static_cast<std::size_t>(o.sessions), -1);
  }

  Simulated run() {
    int idle_rounds = 0;
    while (idle_rounds < 10000) {
      ++clock_;
      const auto s = static_cast<int>(rng_.below(static_cast<std::uint64_t>(o_.sessions)));
      const bool moved = step(s);
      idle_rounds = moved ? 0 : idle_rounds + 1;
      if (idle_rounds > 50 && !break_deadlock()) break;
    }
    return finish();
  }

 private:
  bool step(int s) {
    Phase& phase = phase_[static_cast<std::size_t>(s)];
    if (phase == Phase::kIdle) {
      if (static_cast<int>(txns_.size()) >= o_.transactions) return false;
      start(s);
      phase = Phase::kBegun;
      return true;
    }
    const int t = current_[static_cast<std::size_t>(s)];
    Txn& txn = txns_[static_cast<std::size_t>(t)];
    switch (phase) {
      case Phase::kIdle:
        return false;
      case Phase::kBegun:
        if (txn.next == txn.ops.size()) {
          phase = rng_.chance(o_.aborts) ? Phase::kRollingBack : Phase::kCommitting;
          txn.sent = clock_;
        } else {
          txn.ops[txn.next].before = clock_;
          phase = Phase::kSent;
        }
        return true;
      case Phase::kSent:
        switch (execute(t, txn.ops[txn.next])) {
          case Outcome::kWaits:
            return false;
          case Outcome::kFails:
            phase = Phase::kRollingBack;
            return true;
          case Outcome::kDone:
            phase = Phase::kDone;
            return true;
        }
        return true;
      case Phase::kDone:
        txn.ops[txn.next].after = clock_;
        txn.ops[txn.next].done = true;
        ++txn.next;
        phase = Phase::kBegun;
        return true;
      case Phase::kCommitting:
        if (rng_.chance(0.3)) return true;  // takes a while
        if (txn.wants_unknown) {
          txn.status = Status::kUnknown;
          txn.end = clock_;  // the connection is lost; the server may or may not commit, now or later
          if (rng_.chance(0.5)) commit(t, /*or_abort=*/true);
          release(t);
          phase = Phase::kIdle;
          return true;
        }
        phase = commit(t, true) ? Phase::kEnding : Phase::kRollingBack;
        if (phase == Phase::kEnding) release(t);
        return true;
      case Phase::kRollingBack:
        if (txn.status != Status::kAborted) {
          txn.status = Status::kAborted;
          release(t);
        }
        phase = Phase::kEnding;
        return true;
      case Phase::kEnding:
        txn.end = clock_;
        txn.over = true;
        phase = Phase::kIdle;
        return true;
    }
    return false;
  }

  void start(int s) {
    Txn txn;
    txn.session = s;
    txn.begin = clock_;
    txn.stamp = clock_;
    if (p_.snapshot_at == SnapshotAt::kBegin) txn.snapshot = clock_;
    txn.wants_unknown = rng_.chance(o_.unknowns);
    const auto count = rng_.below(static_cast<std::uint64_t>(o_.max_ops)) + 1;
    for (std::uint64_t i = 0; i < count; ++i) {
      Op op;
      op.key = static_cast<int>(rng_.below(static_cast<std::uint64_t>(o_.keys)));
      if (rng_.chance(o_.reads)) {
        if (rng_.chance(o_.locking)) op.lock = rng_.chance(0.5) ? Lock::kUpdate : Lock::kShare;
        if (rng_.chance(o_.scans)) {
          op.kind = OpKind::kScan;
          op.last_key = op.key + static_cast<int>(rng_.below(static_cast<std::uint64_t>(o_.keys - op.key)));
        }
      } else {
        op.kind = OpKind::kWrite;
        const double which = rng_.unit();
        if (which < o_.appends) {
          op.kind = OpKind::kAppend;
          op.key = 0;
        } else if (which < o_.appends + o_.increments) {
          op.kind = OpKind::kIncrement;
          op.key = std::min(1, o_.keys - 1);
        } else if (o_.appends + o_.increments > 0) {
          op.key = std::max(op.key, std::min(2, o_.keys - 1));
        }
        op.value = o_.values > 0 ? static_cast<std::int64_t>(rng_.below(static_cast<std::uint64_t>(o_.values)))
                                 : next_value_++;
        if (op.kind == OpKind::kWrite) op.is_delete = rng_.chance(o_.deletes);
        if (op.kind == OpKind::kIncrement) op.value = 1 + static_cast<std::int64_t>(rng_.below(3));
      }
      for (int c = 0; c < o_.columns; ++c) {
        if (rng_.chance(0.5)) op.columns.push_back(c);
      }
      txn.ops.push_back(op);
    }
    current_[static_cast<std::size_t>(s)] = static_cast<int>(txns_.size());
    txns_.push_back(txn);
  }

  enum class Outcome { kDone, kWaits, kFails };

  const Content& at(int key, std::int64_t moment, int* writer = nullptr) const {
    const Content* found = &initial_;
    if (writer != nullptr) *writer = -1;
    for (const Written& w : versions_[static_cast<std::size_t>(key)]) {
      if (w.moment > moment) break;
      found = &w.content;
      if (writer != nullptr) *writer = w.txn;
    }
    return *found;
  }

  bool lock(int t, int key, bool exclusive) {
    auto& owner = exclusive_[static_cast<std::size_t>(key)];
    auto& sharers = shared_[static_cast<std::size_t>(key)];
    if (owner != -1 && owner != t) return false;
    if (exclusive) {
      for (const int other : sharers) {
        if (other != t) return false;
      }
      owner = t;
    } else {
      sharers.insert(t);
    }
    return true;
  }

  Outcome execute(int t, Op& op) {
    Txn& txn = txns_[static_cast<std::size_t>(t)];
    const bool reads = op.kind == OpKind::kRead || op.kind == OpKind::kScan;
    const bool locks_written = p_.write_locks && !reads;
    if (reads) {
      for (int k = op.key; k <= (op.kind == OpKind::kScan ? op.last_key : op.key); ++k) {
        if (op.lock == Lock::kUpdate && p_.write_locks && !lock(t, k, true)) return Outcome::kWaits;
        if (op.lock == Lock::kShare && p_.write_locks && !lock(t, k, false)) return Outcome::kWaits;
        if (op.lock == Lock::kNone && p_.read_locks && !lock(t, k, false)) return Outcome::kWaits;
      }
    }
    if (locks_written && !lock(t, op.key, true)) return Outcome::kWaits;
    const bool plain_read = reads && op.lock == Lock::kNone;
    if (txn.snapshot < 0 && (p_.snapshot_at == SnapshotAt::kFirstStatement || plain_read)) txn.snapshot = clock_;
    op.moment = clock_;
    if (reads) return read(t, op);
    return write(t, op);
  }

  Outcome read(int t, Op& op) {
    Txn& txn = txns_[static_cast<std::size_t>(t)];
    for (int k = op.key; k <= (op.kind == OpKind::kScan ? op.last_key : op.key); ++k) {
      const bool locks = op.lock != Lock::kNone || p_.read_locks;
      const bool latest = p_.reads != Reads::kTransaction || (locks && p_.locking_reads_see_latest);
      const std::int64_t moment = latest || txn.snapshot < 0 ? clock_ : txn.snapshot;
      int writer = -1;
      Content seen = at(k, moment, &writer);
      const auto own = txn.own.find(k);
      if (own != txn.own.end()) {
        seen = own->second;
      } else {
        if (p_.certifier == Certifier::kTimestampOrder) {
          if (writer >= 0 && txns_[static_cast<std::size_t>(writer)].stamp > txn.stamp) return Outcome::kFails;
          for (const Written& w : versions_[static_cast<std::size_t>(k)]) {
            if (w.moment > moment && txns_[static_cast<std::size_t>(w.txn)].stamp < txn.stamp) return Outcome::kFails;
          }
          read_stamp_[k] = std::max(read_stamp_[k], txn.stamp);
        }
        txn.read_from.emplace(k, writer);
      }
      if (p_.reads == Reads::kDirty && own == txn.own.end() && rng_.chance(0.3)) {
        for (const Txn& other : txns_) {
          if (const auto dirty = other.own.find(k); dirty != other.own.end() && rng_.chance(0.3)) seen = dirty->second;
        }
      }
      if (op.kind == OpKind::kScan) {
        if (seen.there) op.rows.emplace_back(k, seen);
      } else {
        op.seen = seen;
      }
    }
    return Outcome::kDone;
  }

  // An append or increment is made to what is there, so a certifier counts that as read. False: it refuses.
  bool reads_what_it_changes(Txn& txn, int key) {
    if (p_.certifier == Certifier::kNone || p_.certifier == Certifier::kSsi) return true;
    int writer = -1;
    at(key, clock_, &writer);
    if (p_.certifier == Certifier::kTimestampOrder) {
      if (writer >= 0 && txns_[static_cast<std::size_t>(writer)].stamp > txn.stamp) return false;
      read_stamp_[key] = std::max(read_stamp_[key], txn.stamp);
    }
    return txn.read_from.emplace(key, writer).first->second == writer;
  }

  Outcome write(int t, Op& op) {
    Txn& txn = txns_[static_cast<std::size_t>(t)];
    const auto& list = versions_[static_cast<std::size_t>(op.key)];
    const bool changed = !list.empty() && list.back().moment > txn.snapshot && txn.snapshot >= 0;
    if (p_.first_updater_wins && changed) return Outcome::kFails;
    if (p_.certifier == Certifier::kTimestampOrder) {
      if (read_stamp_[op.key] > txn.stamp) return Outcome::kFails;
      if (!list.empty() && txns_[static_cast<std::size_t>(list.back().txn)].stamp > txn.stamp) return Outcome::kFails;
      write_stamp_[op.key] = std::max(write_stamp_[op.key], txn.stamp);
    }
    const bool steps = op.kind == OpKind::kAppend || op.kind == OpKind::kIncrement;
    if (steps && !txn.own.contains(op.key) && !reads_what_it_changes(txn, op.key)) return Outcome::kFails;
    Content content = txn.own.contains(op.key) ? txn.own[op.key] : at(op.key, clock_);
    if (op.kind == OpKind::kAppend) {
      content.there = content.is_list = true;
      content.list.push_back(op.value);
    } else if (op.kind == OpKind::kIncrement) {
      content.there = true;
      content.number += op.value;
    } else {
      if (op.is_delete) content.columns.clear();
      content.there = !op.is_delete;
      content.number = op.value;
      for (const int c : op.columns) {
        if (!op.is_delete) content.columns[c] = op.value;
      }
    }
    if (op.is_delete && !txn.own.contains(op.key) && !at(op.key, clock_).there) return Outcome::kDone;  // no row
    txn.own[op.key] = content;
    return Outcome::kDone;
  }

  bool commit(int t, bool) {
    Txn& txn = txns_[static_cast<std::size_t>(t)];
    if (p_.certifier == Certifier::kConflictCheck) {
      for (const auto& [key, writer] : txn.read_from) {
        int latest = -1;
        at(key, clock_, &latest);
        if (latest != writer) return false;
      }
    }
    if (p_.certifier == Certifier::kTimestampOrder) {
      for (const auto& [key, content] : txn.own) {
        if (read_stamp_[key] > txn.stamp) return false;
        const auto& list = versions_[static_cast<std::size_t>(key)];
        if (!list.empty() && txns_[static_cast<std::size_t>(list.back().txn)].stamp > txn.stamp) return false;
      }
    }
    if (p_.first_updater_wins && !p_.write_locks) {  // first committer
      for (const auto& [key, content] : txn.own) {
        const auto& list = versions_[static_cast<std::size_t>(key)];
        if (!list.empty() && txn.snapshot >= 0 && list.back().moment > txn.snapshot) return false;
      }
    }
    txn.committed = clock_;
    for (const auto& [key, content] : txn.own) {
      versions_[static_cast<std::size_t>(key)].push_back({clock_, t, content});
    }
    if ((p_.certifier == Certifier::kSsi && dangerous()) || (p_.certifier == Certifier::kCycles && cyclic())) {
      txn.committed = -1;
      for (const auto& [key, content] : txn.own) versions_[static_cast<std::size_t>(key)].pop_back();
      return false;
    }
    return true;
  }

  // rw: who overwrote first what `t` read.
  std::set<int> overwriters(int t) const {
    std::set<int> out;
    const Txn& txn = txns_[static_cast<std::size_t>(t)];
    for (const auto& [key, writer] : txn.read_from) {
      const auto& list = versions_[static_cast<std::size_t>(key)];
      std::size_t next = 0;
      for (std::size_t i = 0; i < list.size(); ++i) {
        if (list[i].txn == writer) next = i + 1;
      }
      if (next < list.size() && list[next].txn == t) ++next;
      if (next < list.size()) out.insert(list[next].txn);
    }
    return out;
  }

  bool dangerous() const {
    const auto n = static_cast<int>(txns_.size());
    for (int t1 = 0; t1 < n; ++t1) {
      const Txn& a = txns_[static_cast<std::size_t>(t1)];
      if (a.committed < 0) continue;
      for (const int t2 : overwriters(t1)) {
        const Txn& b = txns_[static_cast<std::size_t>(t2)];
        for (const int t3 : overwriters(t2)) {
          const Txn& c = txns_[static_cast<std::size_t>(t3)];
          if (b.snapshot > a.committed || a.snapshot > b.committed || b.snapshot > c.committed ||
              c.snapshot > b.committed) {
            continue;
          }
          if (c.committed > b.committed || (t1 != t3 && c.committed > a.committed)) continue;
          if (!a.wrote() && c.committed > a.snapshot) continue;
          return true;
        }
      }
    }
    return false;
  }

  bool cyclic() const {
    const auto n = txns_.size();
    std::vector<std::set<int>> next(n);
    for (std::size_t t = 0; t < n; ++t) {
      if (txns_[t].committed < 0) continue;
      for (const int o : overwriters(static_cast<int>(t))) next[t].insert(o);
      for (const auto& [key, writer] : txns_[t].read_from) {
        if (writer >= 0) next[static_cast<std::size_t>(writer)].insert(static_cast<int>(t));
      }
    }
    for (const auto& list : versions_) {
      for (std::size_t i = 1; i < list.size(); ++i) next[static_cast<std::size_t>(list[i - 1].txn)].insert(list[i].txn);
    }
    for (std::size_t start = 0; start < n; ++start) {
      std::set<int> seen;
      std::vector<int> walk(next[start].begin(), next[start].end());
      while (!walk.empty()) {
        const int t = walk.back();
        walk.pop_back();
        if (t == static_cast<int>(start)) return true;
        if (!seen.insert(t).second) continue;
        walk.insert(walk.end(), next[static_cast<std::size_t>(t)].begin(), next[static_cast<std::size_t>(t)].end());
      }
    }
    return false;
  }

  void release(int t) {
    for (auto& owner : exclusive_) {
      if (owner == t) owner = -1;
    }
    for (auto& sharers : shared_) sharers.erase(t);
  }

  bool break_deadlock() {
    for (std::size_t s = 0; s < phase_.size(); ++s) {
      if (phase_[s] != Phase::kSent) continue;
      phase_[s] = Phase::kRollingBack;
      return true;
    }
    return std::any_of(phase_.begin(), phase_.end(), [](Phase p) { return p != Phase::kIdle; }) ||
           static_cast<int>(txns_.size()) < o_.transactions;
  }

  std::int64_t reading(std::int64_t moment) const { return moment / o_.granularity; }

  Simulated finish() {
    HistoryBuilder b;
    std::vector<KeyId> keys;
    for (int k = 0; k < o_.keys; ++k) keys.push_back(b.key(std::int64_t{k}));
    const auto value_of = [&](const Content& c, const std::vector<int>& names) {
      if (!c.there) return kNullValue;
      if (o_.columns > 0) {
        std::vector<RowField> fields;
        for (const int name : names) {
          const auto held = c.columns.find(name);
          fields.push_back({b.values().string(fmt::format("c{}", name)),
                            held == c.columns.end() ? kNullValue : b.values().integer(held->second)});
        }
        return b.values().row(fields);
      }
      if (!c.is_list) return b.values().integer(c.number);
      std::vector<ValueId> list;
      for (const std::int64_t e : c.list) list.push_back(b.values().integer(e));
      return b.values().list(list);
    };
    if (o_.initial_rows) {
      std::vector<int> all;
      for (int c = 0; c < o_.columns; ++c) all.push_back(c);
      b.set_default_initial(value_of(initial_, all));
    }
    for (std::size_t t = 0; t < txns_.size(); ++t) {
      const Txn& txn = txns_[t];
      b.begin_txn(b.session(std::int64_t{txn.session}));
      b.set_status(txn.status);
      b.set_begin(reading(txn.begin));
      b.set_end(reading(txn.end == 0 ? clock_ : txn.end));
      if (txn.sent >= 0 && rng_.chance(o_.commits)) {
        b.set_commit(reading(txn.sent), txn.over ? reading(txn.end) : kNoTime);
      }
      for (std::size_t i = 0; i < txn.ops.size() && i <= txn.next; ++i) {
        const Op& op = txn.ops[i];
        const bool reads = op.kind == OpKind::kRead || op.kind == OpKind::kScan;
        if (!op.done && (reads || op.before == 0)) break;  // a failed write stands in the journal as an intent
        if (op.kind == OpKind::kRead) {
          b.read(keys[static_cast<std::size_t>(op.key)], value_of(op.seen, op.columns), op.lock);
        } else if (op.kind == OpKind::kScan) {
          std::vector<Item> rows;
          for (const auto& [k, c] : op.rows)
            rows.push_back({keys[static_cast<std::size_t>(k)], value_of(c, op.columns)});
          b.scan(fmt::format("key between {} and {}", op.key, op.last_key), rows, op.lock);
        } else if (op.kind == OpKind::kAppend) {
          b.append(keys[static_cast<std::size_t>(op.key)], b.values().integer(op.value));
        } else if (op.kind == OpKind::kIncrement) {
          b.increment(keys[static_cast<std::size_t>(op.key)], b.values().integer(op.value));
        } else {
          Content written;
          written.there = !op.is_delete;
          written.number = op.value;
          for (const int c : op.columns) written.columns[c] = op.value;
          b.write(keys[static_cast<std::size_t>(op.key)], value_of(written, op.columns));
        }
        if (op.done && !rng_.chance(o_.no_interval)) b.at(reading(op.before), reading(op.after));
      }
      b.end_txn();
    }
    Simulated out;
    auto history = b.finish();
    auto chunk = std::make_shared<Chunk>(std::move(*history));
    chunk->columns = o_.columns > 0;
    out.chunk = std::move(chunk);
    for (std::uint32_t t = 0; t < txns_.size(); ++t) out.by_begin.push_back(TxnId{t});
    return out;
  }

  const SimulationOptions o_;
  const Profile& p_ = o_.profile;
  Rng rng_;
  std::int64_t clock_ = 0, next_value_ = 100;
  Content initial_;
  std::vector<std::vector<Written>> versions_;
  std::vector<int> exclusive_;
  std::vector<std::set<int>> shared_;
  std::vector<Phase> phase_;
  std::vector<int> current_;
  std::vector<Txn> txns_;
  std::map<int, std::int64_t> read_stamp_, write_stamp_;
};

}  // namespace

Simulated simulate_dbms(const SimulationOptions& options) { return DbmsRun(options).run(); }

}  // namespace isolde
