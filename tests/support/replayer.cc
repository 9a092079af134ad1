#include "tests/support/replayer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <optional>
#include <set>

#include "history/predicate_set.h"

namespace isolde::replayer {
namespace {

using Key = std::uint32_t;
// A state of a key: a register's value alone, or a list's elements; nothing for absence.
using State = std::vector<std::uint32_t>;

constexpr Level kSnapshotForms[] = {Level::kSnapshotIsolation, Level::kStrongSessionSnapshotIsolation,
                                    Level::kStrongSnapshotIsolation};
constexpr Level kSerialForms[] = {Level::kSerializable, Level::kStrongSessionSerializable, Level::kStrictSerializable};

void add(Broken& broken, Level level, const std::string& why) { broken.emplace(level, why); }

State state_of(const History& h, ValueId value) {
  if (value == kNullValue) return {};
  if (h.values().type(value) != ValueType::kList) return {raw(value)};
  State state;
  for (const ValueId element : h.values().list(value)) state.push_back(raw(element));
  return state;
}

void apply(State& state, OpHead op, ValueId value) {
  if (op.kind() == OpKind::kWrite) state.clear();
  state.push_back(raw(value));
}

// What predicate operations must have returned: `state` gives every key's row. Empty, or what does not fit.
std::string misfit(const History& h, const PredicateSet& predicates, std::uint32_t op,
                   const std::function<State(Key)>& state) {
  const PredicateId id = h.op(op).predicate();
  const OpKind kind = h.op(op).kind();
  std::map<Key, State> found;
  for (const Item& item : h.items(h.predicate(id))) found[raw(item.key)] = state_of(h, item.value);
  std::optional<AggregateState> aggregate;
  if (kind == OpKind::kAggregate) aggregate.emplace(predicates.aggregate(id), h.values());
  for (Key key = 0; key < h.key_count(); ++key) {
    const State row = state(key);
    const ValueId value = row.empty() ? kNullValue : ValueId{row[0]};
    const ValueId name = h.columns().key_name[key];
    const bool matches = predicates.condition(id).evaluate(h.values(), name, value).matches();
    if (aggregate) {
      if (matches) aggregate->add(name, value);
    } else if (matches != found.contains(key) || (matches && kind == OpKind::kScan && found[key] != row)) {
      return fmt::format("operation {}: row {} of key {}", op, h.value_text(value), key);
    }
  }
  if (aggregate && !aggregate->agrees(h.op_value(op))) return fmt::format("operation {}: aggregate", op);
  return "";
}

// Runs a transaction on `store` read as its snapshot. Its final writes are returned; `why` says what did not fit.
std::map<Key, State> run(const History& h, const PredicateSet& predicates, TxnId t,
                         const std::function<State(Key)>& store, std::string& why) {
  std::map<Key, State> own;
  for (std::uint32_t i = h.first_op(t); i < h.end_op(t); ++i) {
    if (is_predicate(h.op(i).kind())) {
      const auto now = [&](Key key) { return own.contains(key) ? own[key] : store(key); };
      if (why.empty()) why = misfit(h, predicates, i, now);
      if (h.op(i).kind() != OpKind::kUpdate) continue;
      for (const Item& item : h.items(h.predicate(h.op(i).predicate()))) own[raw(item.key)] = state_of(h, item.value);
      continue;
    }
    const Key key = raw(h.op(i).key());
    const auto at = own.find(key);
    if (h.op(i).kind() == OpKind::kRead) {
      const State expected = at == own.end() ? store(key) : at->second;
      if (why.empty() && expected != state_of(h, h.op_value(i))) {
        why = fmt::format("transaction {} read {} of key {}", raw(t), h.value_text(h.op_value(i)), key);
      }
      continue;
    }
    State& state = at == own.end() ? own.emplace(key, store(key)).first->second : at->second;
    apply(state, h.op(i), h.op_value(i));
  }
  return own;
}

// One read or write of one key; a scan's rows are reads, and so are the keys among `keys` that it did not return: first
// of all, because a read that comes first asks least of read-committed.
struct Access {
  bool is_read;
  Key key;
  ValueId value;
};
std::vector<Access> accesses(const History& h, TxnId t, const std::set<Key>& keys = {}) {
  std::vector<Access> out;
  for (std::uint32_t i = h.first_op(t); i < h.end_op(t); ++i) {
    const OpHead op = h.op(i);
    if (!is_predicate(op.kind())) {
      out.push_back({op.kind() == OpKind::kRead, raw(op.key()), h.op_value(i)});
    } else if (op.kind() != OpKind::kAggregate) {
      const bool scan = op.kind() == OpKind::kScan;
      const auto items = h.items(h.predicate(op.predicate()));
      for (const Key key : keys) {
        if (scan && std::ranges::none_of(items, [&](const Item& item) { return raw(item.key) == key; })) {
          out.push_back({true, key, kNullValue});
        }
      }
      for (const Item& item : items) out.push_back({scan, raw(item.key), item.value});
    }
  }
  return out;
}

// Values that someone committed saw, by key; an unknown transaction counts if one of its writes is among them. Of rows,
// what a predicate did not find may have been seen too; there a commit timestamp says that it took effect.
bool counts(const History& h, TxnId t, bool seen) {
  return h.status(t) == Status::kCommitted || (h.status(t) == Status::kUnknown && seen);
}

std::vector<TxnId> counted(const History& h, const std::vector<TxnId>& txns) {
  std::vector<bool> in(h.txn_count(), false);
  std::map<std::pair<Key, std::uint32_t>, TxnId> unknown_writer;
  for (const TxnId t : txns) {
    if (h.status(t) != Status::kUnknown) continue;
    for (const Access& a : accesses(h, t)) {
      if (!a.is_read) unknown_writer[{a.key, raw(a.value)}] = t;
    }
  }
  std::vector<TxnId> todo;
  for (const TxnId t : txns) {
    if (!counts(h, t, !h.columns().predicates.empty() && h.commit_ts(t) != kNoTime)) continue;
    in[raw(t)] = true;
    todo.push_back(t);
  }
  while (!todo.empty() && !unknown_writer.empty()) {
    const TxnId t = todo.back();
    todo.pop_back();
    for (const Access& a : accesses(h, t)) {
      if (!a.is_read) continue;
      for (const std::uint32_t value : state_of(h, a.value)) {
        const auto at = unknown_writer.find({a.key, value});
        if (at == unknown_writer.end() || in[raw(at->second)]) continue;
        in[raw(at->second)] = true;
        todo.push_back(at->second);
      }
    }
  }
  std::vector<TxnId> out;
  for (const TxnId t : txns) {
    if (in[raw(t)]) out.push_back(t);
  }
  return out;
}

// Session and real-time order between placed transactions: `first(t)` must not come before the `last` of an earlier
// one.
void check_orders(const History& h, const std::vector<TxnId>& txns, const std::function<std::int64_t(TxnId)>& first,
                  const std::function<std::int64_t(TxnId)>& last, std::string& session_why, std::string& time_why) {
  std::map<std::uint32_t, std::int64_t> last_of_session;
  for (const TxnId t : txns) {
    const auto [at, fresh] = last_of_session.try_emplace(raw(h.session(t)), last(t));
    if (fresh) continue;
    if (first(t) < at->second && session_why.empty()) session_why = fmt::format("session order of {}", raw(t));
    at->second = std::max(at->second, last(t));
  }
  std::vector<TxnId> by_begin;
  std::vector<TxnId> by_end;
  for (const TxnId t : txns) {
    if (h.begin(t) != kNoTime) by_begin.push_back(t);
    if (h.end(t) != kNoTime) by_end.push_back(t);
  }
  std::ranges::sort(by_begin, {}, [&](TxnId t) { return h.begin(t); });
  std::ranges::sort(by_end, {}, [&](TxnId t) { return h.end(t); });
  std::size_t ended = 0;
  std::int64_t latest = kNoTime;
  for (const TxnId t : by_begin) {
    while (ended < by_end.size() && h.end(by_end[ended]) < h.begin(t)) latest = std::max(latest, last(by_end[ended++]));
    if (first(t) < latest && time_why.empty()) time_why = fmt::format("real time of {}", raw(t));
  }
}

void snapshot_family(const History& h, const PredicateSet& predicates, const std::vector<TxnId>& txns, Broken& broken) {
  struct Version {
    std::int64_t ts;
    State state;
  };
  std::map<Key, std::vector<Version>> store;
  std::vector<TxnId> by_commit = txns;
  std::string why;
  for (const TxnId t : txns) {
    if (h.start_ts(t) == kNoTime || h.commit_ts(t) == kNoTime || h.start_ts(t) > h.commit_ts(t)) {
      why = fmt::format("timestamps of {}", raw(t));
    }
  }
  std::ranges::sort(by_commit, {}, [&](TxnId t) { return h.commit_ts(t); });
  std::string overlap_why;
  for (const TxnId t : by_commit) {
    // A read-only transaction's commit stands at its snapshot, so by now every version it may see is there.
    const auto seen = [&](Key key) -> State {
      const std::vector<Version>& versions = store[key];
      for (std::size_t i = versions.size(); i-- > 0;) {
        if (versions[i].ts <= h.start_ts(t)) return versions[i].state;
      }
      return {};
    };
    for (auto& [key, state] : run(h, predicates, t, seen, why)) {
      std::vector<Version>& versions = store[key];
      if (!versions.empty() && versions.back().ts > h.start_ts(t)) {
        if (overlap_why.empty()) overlap_why = fmt::format("{} overlaps a writer of key {}", raw(t), key);
        // What the key holds then is open; take the later list to follow the earlier.
        if (state.size() > 1) {
          State merged = versions.back().state;
          merged.push_back(state.back());
          state = merged;
        }
      }
      versions.push_back({h.commit_ts(t), state});
    }
  }
  std::string session_why;
  std::string time_why;
  check_orders(
      h, txns, [&](TxnId t) { return h.start_ts(t); }, [&](TxnId t) { return h.commit_ts(t); }, session_why, time_why);
  if (!why.empty() || !session_why.empty()) add(broken, Level::kPrefix, why + session_why);
  if (!why.empty() || !overlap_why.empty()) {
    for (const Level level : kSnapshotForms) add(broken, level, why + overlap_why);
  }
  if (!session_why.empty()) add(broken, Level::kStrongSessionSnapshotIsolation, session_why);
  if (!time_why.empty() || !session_why.empty()) add(broken, Level::kStrongSnapshotIsolation, time_why + session_why);
}

std::string replay_serially(const History& h, const PredicateSet& predicates, const std::vector<TxnId>& order) {
  std::map<Key, State> store;
  std::string why;
  for (const TxnId t : order) {
    for (auto& [key, state] : run(h, predicates, t, [&](Key k) { return store[k]; }, why)) store[key] = state;
  }
  return why;
}

void serializable_family(const History& h, const PredicateSet& predicates, const std::vector<TxnId>& txns,
                         Broken& broken) {
  std::vector<TxnId> order = txns;
  std::ranges::sort(order, {}, [&](TxnId t) { return h.commit_ts(t); });
  if (const std::string why = replay_serially(h, predicates, order); !why.empty()) {
    for (const Level level : kSerialForms) add(broken, level, why);
  }
  std::string session_why;
  std::string time_why;
  const auto place = [&](TxnId t) { return h.commit_ts(t); };
  check_orders(h, txns, place, place, session_why, time_why);
  if (!session_why.empty()) add(broken, Level::kStrongSessionSerializable, session_why);
  if (!time_why.empty() || !session_why.empty()) add(broken, Level::kStrictSerializable, time_why + session_why);
}

// read-committed, read-atomic, causal: the axioms of Biswas and Enea on a handful of transactions.
void weak_levels(const History& h, const std::vector<TxnId>& all, Broken& broken) {
  const std::vector<TxnId> txns = counted(h, all);
  const std::size_t init = txns.size();  // the writer of what is there at first
  const std::size_t n = init + 1;
  using Matrix = std::vector<std::vector<bool>>;
  const Matrix none(n, std::vector<bool>(n, false));
  const auto close = [n](Matrix m) {
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
          if (m[i][k] && m[k][j]) m[i][j] = true;
        }
      }
    }
    return m;
  };
  // Last writer of each value, and what each transaction writes.
  std::map<std::pair<Key, std::uint32_t>, std::pair<std::size_t, bool>> writer;  // second: it is the final write
  std::vector<std::set<Key>> writes(n);
  std::set<Key> written;
  for (std::size_t t = 0; t < init; ++t) {
    std::map<Key, std::uint32_t> last;
    for (const Access& a : accesses(h, txns[t])) {
      if (a.is_read) continue;
      writer[{a.key, raw(a.value)}] = {t, false};
      last[a.key] = raw(a.value);
      writes[t].insert(a.key);
      written.insert(a.key);
    }
    for (const auto& [key, value] : last) writer[{key, value}].second = true;
  }
  struct Read {
    std::size_t reader, source;
    Key key;
  };
  std::vector<Read> reads;  // in program order within a reader
  Matrix known = none;      // session order and reads-from
  for (std::size_t a = 0; a < init; ++a) {
    known[init][a] = true;
    for (std::size_t b = a + 1; b < init; ++b) known[a][b] = h.session(txns[a]) == h.session(txns[b]);
  }
  for (std::size_t t = 0; t < init; ++t) {
    for (const Access& a : accesses(h, txns[t], written)) {
      if (!a.is_read) continue;
      const State state = state_of(h, a.value);
      if (state.empty()) {
        reads.push_back({t, init, a.key});
        continue;
      }
      const auto at = writer.find({a.key, state.back()});
      if (at == writer.end() || !at->second.second) {
        for (const Level level : {Level::kReadCommitted, Level::kReadAtomic, Level::kCausal}) {
          add(broken, level, fmt::format("{} read what nobody committed", raw(txns[t])));
        }
        return;
      }
      if (at->second.first == t) continue;
      reads.push_back({t, at->second.first, a.key});
      known[at->second.first][t] = true;
    }
  }
  const Matrix past = close(known);
  const auto judge = [&](Level level, const std::function<bool(std::size_t, std::size_t)>& must_see) {
    Matrix order = known;
    for (std::size_t r = 0; r < reads.size(); ++r) {
      for (std::size_t other = 0; other < n; ++other) {
        if (other != reads[r].source && other != reads[r].reader && writes[other].contains(reads[r].key) &&
            must_see(other, r)) {
          order[other][reads[r].source] = true;
        }
      }
    }
    order = close(order);
    for (std::size_t t = 0; t < n; ++t) {
      if (order[t][t]) add(broken, level, "a cycle in the commit order");
    }
  };
  judge(Level::kReadCommitted, [&](std::size_t other, std::size_t r) {
    return std::any_of(reads.begin(), reads.begin() + static_cast<std::ptrdiff_t>(r), [&](const Read& earlier) {
      return earlier.reader == reads[r].reader && earlier.source == other;
    });
  });
  judge(Level::kReadAtomic, [&](std::size_t other, std::size_t r) { return known[other][reads[r].reader]; });
  judge(Level::kCausal, [&](std::size_t other, std::size_t r) { return past[other][reads[r].reader]; });
}

enum class Order { kNone, kSession, kRealTime };

// Whether `a` must wholly precede `b`.
bool precedes(const History& h, TxnId a, TxnId b, Order order) {
  if (order == Order::kNone || a == b) return false;
  if (h.session(a) == h.session(b)) return raw(a) < raw(b);
  return order == Order::kRealTime && h.end(a) != kNoTime && h.begin(b) != kNoTime && h.end(a) < h.begin(b);
}

bool some_serial_order(const History& h, const PredicateSet& predicates, std::vector<TxnId> txns, Order order) {
  std::ranges::sort(txns, {}, [](TxnId t) { return raw(t); });
  do {
    bool fits = true;
    for (std::size_t i = 0; i < txns.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) fits = fits && !precedes(h, txns[i], txns[j], order);
    }
    if (fits && replay_serially(h, predicates, txns).empty()) return true;
  } while (std::ranges::next_permutation(txns, {}, [](TxnId t) { return raw(t); }).found);
  return false;
}

// Every way to place starts and commits; `conflicts_allowed`: prefix.
bool some_points(const History& h, const PredicateSet& predicates, const std::vector<TxnId>& txns, Order order,
                 bool conflicts_allowed) {
  const std::size_t n = txns.size();
  struct Frame {
    std::map<Key, State> store;
    std::map<Key, std::size_t> version;
  };
  std::vector<int> stage(n, 0);  // 0: to start, 1: runs, 2: committed
  std::vector<Frame> snapshot(n);
  // Depth is twice the number of transactions, which is five at most.
  const std::function<bool(const Frame&)> place = [&](const Frame& now) -> bool {
    if (std::ranges::all_of(stage, [](int s) { return s == 2; })) return true;
    for (std::size_t t = 0; t < n; ++t) {
      if (stage[t] == 0) {
        bool may = true;
        for (std::size_t other = 0; other < n; ++other) {
          may = may && (stage[other] == 2 || !precedes(h, txns[other], txns[t], order));
        }
        if (!may) continue;
        std::string why;
        run(h, predicates, txns[t], [&](Key k) { return now.store.contains(k) ? now.store.at(k) : State{}; }, why);
        if (!why.empty()) continue;
        snapshot[t] = now;
        stage[t] = 1;
        if (place(now)) return true;
        stage[t] = 0;
      } else if (stage[t] == 1) {
        std::string why;
        const auto before = [&](Key k) { return snapshot[t].store.contains(k) ? snapshot[t].store.at(k) : State{}; };
        Frame next = now;
        bool may = true;
        for (const auto& [key, state] : run(h, predicates, txns[t], before, why)) {
          may = may && (conflicts_allowed || snapshot[t].version[key] == next.version[key]);
          next.store[key] = state;
          ++next.version[key];
        }
        if (!may) continue;
        stage[t] = 2;
        if (place(next)) return true;
        stage[t] = 1;
      }
    }
    return false;
  };
  return place(Frame{});
}

}  // namespace

Broken broken_by_timestamps(const History& history) {
  std::vector<TxnId> all;
  for (std::uint32_t t = 0; t < history.txn_count(); ++t) all.push_back(TxnId{t});
  const std::vector<TxnId> txns = counted(history, all);
  const PredicateSet predicates(history);
  Broken broken;
  snapshot_family(history, predicates, txns, broken);
  serializable_family(history, predicates, txns, broken);
  return broken;
}

Broken broken_by_timestamps(const History& history, const std::vector<TxnId>& all) {
  const std::vector<TxnId> txns = counted(history, all);
  const PredicateSet predicates(history);
  Broken broken;
  snapshot_family(history, predicates, txns, broken);
  serializable_family(history, predicates, txns, broken);
  weak_levels(history, all, broken);
  return broken;
}

Broken broken_by_values(const History& history, const std::vector<TxnId>& all) {
  const std::vector<TxnId> txns = counted(history, all);
  const PredicateSet predicates(history);
  Broken broken;
  weak_levels(history, all, broken);
  constexpr Order kOrders[] = {Order::kNone, Order::kSession, Order::kRealTime};
  if (!some_points(history, predicates, txns, Order::kSession, true)) add(broken, Level::kPrefix, "no points");
  for (std::size_t i = 0; i < 3; ++i) {
    if (!some_points(history, predicates, txns, kOrders[i], false)) add(broken, kSnapshotForms[i], "no points");
    if (!some_serial_order(history, predicates, txns, kOrders[i])) add(broken, kSerialForms[i], "no order");
  }
  return broken;
}

}  // namespace isolde::replayer
