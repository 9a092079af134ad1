#include "check/exhaustive/orders.h"

#include <array>
#include <optional>
#include <string>
#include <unordered_set>

#include "base/count_progress.h"

namespace isolde::exhaustive {
namespace {

// Sets that have failed, with the contents of the keys.
class Failed {
 public:
  // Whether it is there; else it is from now on.
  bool meet(std::uint32_t placed, const States& states) {
    key_.assign(reinterpret_cast<const char*>(&placed), sizeof placed);
    key_.append(reinterpret_cast<const char*>(states.data()), states.size() * sizeof(State));
    return !met_.insert(key_).second;
  }

 private:
  std::string key_;
  std::unordered_set<std::string> met_;
};

// The versions so far, and where each transaction stands among them.
class Trail {
 public:
  explicit Trail(const Model& model) : model_(model), versions_(model.keys), at_(model.txns.size()) {
    for (std::size_t k = 0; k < model.keys; ++k) versions_[k].push_back({model.initial[k], Version::kNobody});
  }
  void stand(std::size_t t) {
    at_[t].resize(model_.keys);
    for (std::size_t k = 0; k < model_.keys; ++k) at_[t][k] = static_cast<std::uint32_t>(versions_[k].size() - 1);
  }
  void install(std::size_t t, const States& after) {
    for (std::size_t k = 0; k < model_.keys; ++k) {
      if (has_key(model_.txns[t].writes, k)) versions_[k].push_back({after[k], static_cast<std::uint32_t>(t)});
    }
  }
  void take_back(std::size_t t) {
    for (std::size_t k = 0; k < model_.keys; ++k) {
      if (has_key(model_.txns[t].writes, k)) versions_[k].pop_back();
    }
  }
  // What predicates say of the whole order.
  [[nodiscard]] bool fits(const Model& model, TxnSet counted) const {
    for (std::size_t t = 0; model.judged_at_last() && t < model.txns.size(); ++t) {
      if (!has(counted, t)) continue;
      if (!(model.looks_anywhere ? model.looks_fit(t, versions_, at_[t]) : model.vsets_fit(t, versions_, at_[t])))
        return false;
    }
    return true;
  }

 private:
  const Model& model_;
  Versions versions_;
  std::vector<std::vector<std::uint32_t>> at_;
};

// What may come next: an order of things, some of which must be in it.
template <std::size_t kMost>
class Before {
 public:
  void add(std::size_t a, std::size_t b) {
    earlier_[b] |= 1U << a;
    later_[a] |= 1U << b;
  }
  // `must`: those that are in every order.
  [[nodiscard]] bool allows(std::size_t next, std::uint32_t placed, std::uint32_t must) const {
    return (earlier_[next] & must & ~placed) == 0 && (later_[next] & placed) == 0;
  }
  // Whether it keeps nobody out who may still come.
  [[nodiscard]] bool hinders_nobody(std::size_t next, std::uint32_t placed) const {
    return (earlier_[next] & ~placed) == 0;
  }

 private:
  std::array<std::uint32_t, kMost> earlier_{}, later_{};
};

std::int64_t commit_time(const History& h, const SmallTxn& txn) {
  const std::int64_t commit = h.commit_ts(txn.id);
  return commit == kNoTime && txn.writes == 0 ? h.start_ts(txn.id) : commit;
}

class SerialSearch {
 public:
  SerialSearch(Model& model, const Asked& asked, const Limits& limits)
      : model_(model), limits_(limits), trail_(model), tried_(limits, "orders tried") {
    const AddedOrder added = info(asked.level).order;
    if (added != AddedOrder::kNone) add(model.session_pairs());
    if (added == AddedOrder::kRealTime) add(model.realtime_pairs());
    add(asked.orders);
    const History& h = model.history();
    if (asked.given == Given::kTimestamps) respect([&](const SmallTxn& txn) { return commit_time(h, txn); });
    if (asked.given == Given::kExpectedOrder) respect([&](const SmallTxn& txn) { return h.order(txn.id); });
  }

  // The depth is the number of transactions.
  End extend(TxnSet placed, const States& states) {
    limits_.spend(8 + model_.keys);
    tried_.add();
    if (limits_.exhausted()) return End::kStopped;
    if ((placed & model_.sure) == model_.sure && trail_.fits(model_, placed)) return End::kFound;
    if (!model_.judged_at_last() && failed_.meet(placed, states)) return End::kNone;
    std::vector<std::size_t> next;
    for (std::size_t t = 0; t < model_.txns.size(); ++t) {
      if (has(placed, t) || !before_.allows(t, placed, model_.sure)) continue;
      limits_.spend(model_.txns[t].accesses.size());
      if (!model_.explains(states, t)) continue;
      if (model_.txns[t].writes == 0 && before_.hinders_nobody(t, placed) && !model_.judged_at_last()) {
        next.assign(1, t);
        break;
      }
      next.push_back(t);
    }
    for (const std::size_t t : next) {
      States after = states;
      model_.commit(after, t);
      trail_.stand(t);
      trail_.install(t, after);
      order.push_back(raw(model_.txns[t].id));
      const End end = extend(placed | only(t), after);
      if (end != End::kNone) return end;
      order.pop_back();
      trail_.take_back(t);
    }
    return limits_.exhausted() ? End::kStopped : End::kNone;
  }

  std::vector<std::uint32_t> order;

 private:
  void add(const Pairs& pairs) {
    for (const auto& [a, b] : pairs) before_.add(a, b);
  }
  template <typename F>
  void respect(F&& place) {
    for (std::size_t a = 0; a < model_.txns.size(); ++a) {
      for (std::size_t b = 0; b < model_.txns.size(); ++b) {
        const std::int64_t first = place(model_.txns[a]);
        const std::int64_t second = place(model_.txns[b]);
        if (first != kNoTime && second != kNoTime && first < second) before_.add(a, b);
      }
    }
  }

  Model& model_;
  const Limits& limits_;
  Before<kMostTxns> before_;
  Trail trail_;
  CountProgress tried_;
  Failed failed_;
};

constexpr std::size_t start_point_of(std::size_t t) { return 2 * t; }
constexpr std::size_t commit_of(std::size_t t) { return 2 * t + 1; }

class PointSearch {
 public:
  PointSearch(Model& model, const Asked& asked, const Limits& limits)
      : model_(model),
        limits_(limits),
        apart_(info(asked.level).family == LevelFamily::kSnapshot),
        trail_(model),
        tried_(limits, "orders tried") {
    const AddedOrder added = info(asked.level).order;
    if (added != AddedOrder::kNone) add(model.session_pairs());
    if (added == AddedOrder::kRealTime) add(model.realtime_pairs());
    for (const auto& [a, b] : asked.orders) before_.add(commit_of(a), commit_of(b));
    for (std::size_t t = 0; t < model.txns.size(); ++t) {
      before_.add(start_point_of(t), commit_of(t));
      points_ += 2;
      if (has(model.sure, t)) must_ |= 1U << start_point_of(t) | 1U << commit_of(t);
    }
    if (asked.given == Given::kTimestamps) respect_timestamps();
  }

  // The depth is the number of points.
  End extend(std::uint32_t placed, const States& states) {
    limits_.spend(8 + model_.keys);
    tried_.add();
    if (limits_.exhausted()) return End::kStopped;
    if (impossible_) return End::kNone;
    if ((placed & must_) == must_ && is_whole(placed) && trail_.fits(model_, counted(placed))) return End::kFound;
    if (!model_.judged_at_last() && failed_.meet(placed, states)) return End::kNone;
    std::vector<std::size_t> next;
    for (std::size_t p = 0; p < points_; ++p) {
      if ((placed >> p & 1U) != 0 || !may_come(p, placed)) continue;
      const std::size_t t = p / 2;
      if (p == start_point_of(t)) {
        limits_.spend(model_.txns[t].accesses.size());
        if (!may_start(placed, t) || !model_.explains(states, t)) continue;
      }
      if (before_.hinders_nobody(p, placed) && costs_nothing(p)) {
        next.assign(1, p);
        break;
      }
      next.push_back(p);
    }
    for (const std::size_t p : next) {
      const std::size_t t = p / 2;
      const bool installs = p == commit_of(t) && model_.txns[t].writes != 0;
      States after = states;
      if (p == start_point_of(t)) trail_.stand(t);
      if (installs) {
        model_.commit(after, t);
        trail_.install(t, after);
      }
      events.push_back(p == start_point_of(t) ? Witness::start_of(model_.txns[t].id)
                                              : Witness::commit_of(model_.txns[t].id));
      const End end = extend(placed | 1U << p, after);
      if (end != End::kNone) return end;
      events.pop_back();
      if (installs) trail_.take_back(t);
    }
    return limits_.exhausted() ? End::kStopped : End::kNone;
  }

  std::vector<std::uint32_t> events;

 private:
  void add(const Pairs& pairs) {
    for (const auto& [a, b] : pairs) before_.add(commit_of(a), start_point_of(b));
  }

  // At one time: first the commits of those that started before, then the writers that start and commit at that time,
  // one after the other, then all else that starts (docs/timestamps.md).
  void respect_timestamps() {
    using Rank = std::pair<std::int64_t, int>;
    const History& h = model_.history();
    std::array<std::optional<Rank>, std::size_t{2} * kMostTxns> rank;
    for (std::size_t t = 0; t < model_.txns.size(); ++t) {
      const SmallTxn& txn = model_.txns[t];
      const std::int64_t start = h.start_ts(txn.id);
      const std::int64_t commit = commit_time(h, txn);
      if (start != kNoTime && commit != kNoTime && start > commit) {
        // It cannot have taken place.
        if (txn.sure) impossible_ = true;
        banned_ |= only(t);
        continue;
      }
      const bool instant = start != kNoTime && start == commit;
      if (instant && txn.writes != 0) instant_[t] = commit;
      const int instant_place = txn.writes != 0 ? 1 : 2;
      if (start != kNoTime) rank[start_point_of(t)] = Rank{start, instant ? instant_place : 2};
      if (commit != kNoTime) rank[commit_of(t)] = Rank{commit, instant ? instant_place : 0};
    }
    for (std::size_t p = 0; p < points_; ++p) {
      for (std::size_t q = 0; q < points_; ++q) {
        if (rank[p] && rank[q] && *rank[p] < *rank[q]) before_.add(p, q);
      }
    }
  }

  [[nodiscard]] bool may_come(std::size_t p, std::uint32_t placed) const {
    const std::size_t t = p / 2;
    if (has(banned_, t)) return false;
    if (p == commit_of(t) && (placed >> start_point_of(t) & 1U) == 0) return false;
    return before_.allows(p, placed, must_);
  }
  [[nodiscard]] bool is_under_way(std::uint32_t placed, std::size_t t) const {
    return (placed >> start_point_of(t) & 3U) == 1U;
  }
  [[nodiscard]] bool may_start(std::uint32_t placed, std::size_t t) const {
    for (std::size_t other = 0; other < model_.txns.size(); ++other) {
      if (!is_under_way(placed, other)) continue;
      if (apart_ && (model_.txns[other].writes & model_.txns[t].writes) != 0) return false;
      if (instant_[t] && instant_[other] == instant_[t]) return false;
    }
    return true;
  }
  // A point that hinders nobody who comes later. Requires: it may come.
  [[nodiscard]] bool costs_nothing(std::size_t p) const {
    const std::size_t t = p / 2;
    if (model_.judged_at_last()) return false;
    if (model_.txns[t].writes == 0) return true;
    return p == start_point_of(t) && !apart_ && has(model_.sure, t);
  }
  // Who started has committed.
  [[nodiscard]] bool is_whole(std::uint32_t placed) const {
    for (std::size_t t = 0; t < model_.txns.size(); ++t) {
      if (is_under_way(placed, t)) return false;
    }
    return true;
  }
  [[nodiscard]] TxnSet counted(std::uint32_t placed) const {
    TxnSet set = 0;
    for (std::size_t t = 0; t < model_.txns.size(); ++t) set |= (placed >> start_point_of(t) & 1U) << t;
    return set;
  }

  Model& model_;
  const Limits& limits_;
  const bool apart_;  // two that write one key do not overlap
  Before<std::size_t{2} * kMostTxns> before_;
  std::size_t points_ = 0;
  std::uint32_t must_ = 0;
  TxnSet banned_ = 0;
  bool impossible_ = false;
  std::array<std::optional<std::int64_t>, kMostTxns> instant_;
  Trail trail_;
  CountProgress tried_;
  Failed failed_;
};

}  // namespace

End find_serial_order(Model& model, const Asked& asked, const Limits& limits, Witness& witness) {
  SerialSearch search(model, asked, limits);
  const End end = search.extend(0, model.initial);
  if (end == End::kFound) witness = {.kind = Witness::Kind::kSerialOrder, .events = std::move(search.order)};
  return end;
}

End find_points(Model& model, const Asked& asked, const Limits& limits, Witness& witness) {
  PointSearch search(model, asked, limits);
  const End end = search.extend(0, model.initial);
  if (end == End::kFound) witness = {.kind = Witness::Kind::kPoints, .events = std::move(search.events)};
  return end;
}

}  // namespace isolde::exhaustive
