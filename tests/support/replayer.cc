#include "tests/support/replayer.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "tests/support/replayer_run.h"

namespace isolde::replayer {
namespace {

constexpr Level kSnapshotForms[] = {Level::kSnapshotIsolation, Level::kStrongSessionSnapshotIsolation,
                                    Level::kStrongSnapshotIsolation};
constexpr Level kSerialForms[] = {Level::kSerializable, Level::kStrongSessionSerializable, Level::kStrictSerializable};

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
  if (!why.empty() || !session_why.empty()) broken.emplace(Level::kPrefix, why + session_why);
  if (!why.empty() || !overlap_why.empty()) {
    for (const Level level : kSnapshotForms) broken.emplace(level, why + overlap_why);
  }
  if (!session_why.empty()) broken.emplace(Level::kStrongSessionSnapshotIsolation, session_why);
  if (!time_why.empty() || !session_why.empty())
    broken.emplace(Level::kStrongSnapshotIsolation, time_why + session_why);
}

void serializable_family(const History& h, const PredicateSet& predicates, const std::vector<TxnId>& txns,
                         Broken& broken) {
  std::vector<TxnId> order = txns;
  std::ranges::sort(order, {}, [&](TxnId t) { return h.commit_ts(t); });
  if (const std::string why = replay_serially(h, predicates, order); !why.empty()) {
    for (const Level level : kSerialForms) broken.emplace(level, why);
  }
  std::string session_why;
  std::string time_why;
  const auto place = [&](TxnId t) { return h.commit_ts(t); };
  check_orders(h, txns, place, place, session_why, time_why);
  if (!session_why.empty()) broken.emplace(Level::kStrongSessionSerializable, session_why);
  if (!time_why.empty() || !session_why.empty()) broken.emplace(Level::kStrictSerializable, time_why + session_why);
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
  if (!some_points(history, predicates, txns, Order::kSession, true)) broken.emplace(Level::kPrefix, "no points");
  for (std::size_t i = 0; i < 3; ++i) {
    if (!some_points(history, predicates, txns, kOrders[i], false)) broken.emplace(kSnapshotForms[i], "no points");
    if (!some_serial_order(history, predicates, txns, kOrders[i])) broken.emplace(kSerialForms[i], "no order");
  }
  return broken;
}

}  // namespace isolde::replayer
