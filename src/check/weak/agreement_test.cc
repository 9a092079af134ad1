// The engines `weak`, which looks for an order, and `graph`, which finds all pairs of an axiom, answer alike.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "base/rng.h"
#include "check/graph/graph.h"
#include "check/weak/needed_seen.h"
#include "check/weak/weak.h"
#include "proof/prove.h"
#include "tests/support/draft.h"
#include "tests/support/effort.h"
#include "tests/support/history_text.h"

namespace isolde {
namespace agreement_test {

// Clients of a store with several copies. What one writes reaches the other copies late, in its order or out of it.
struct Store {
  int sessions = 4, copies = 2, keys = 6, ops = 4;
  bool in_order = true;     // copies take over transactions in the order of their commits
  bool newest_wins = true;  // … and keep the newer of two versions; else the one that came last
  double catch_up = 0.5;    // chance that a copy takes over what it lacks, at each transaction
  double astray = 0;        // share of the reads that return some older version of the key
  bool torn_views = false;  // a transaction may see one thing before and another thing after
  int shuffled = 0;         // the file: 0 as it happened, 1 by session, 2 sessions mixed by chance
};

class Simulation {
 public:
  Simulation(Rng& rng, const Store& store)
      : rng_(rng), store_(store), copies_(static_cast<std::size_t>(store.copies)) {}

  Draft run(int txns) {
    for (int i = 0; i < txns; ++i) transaction(i);
    Draft out;
    std::vector<std::vector<DraftTxn>> by_session(static_cast<std::size_t>(store_.sessions));
    for (DraftTxn& t : done_) {
      if (store_.shuffled == 0) {
        out.txns.push_back(std::move(t));
      } else {
        by_session[static_cast<std::size_t>(std::stoi(t.session))].push_back(std::move(t));
      }
    }
    if (store_.shuffled == 0) return out;
    std::vector<std::size_t> turns;
    for (std::size_t s = 0; s < by_session.size(); ++s) turns.insert(turns.end(), by_session[s].size(), s);
    for (std::size_t i = turns.size(); store_.shuffled == 2 && i > 1; --i)
      std::swap(turns[i - 1], turns[rng_.below(i)]);
    std::vector<std::size_t> at(by_session.size(), 0);
    for (const std::size_t s : turns) out.txns.push_back(std::move(by_session[s][at[s]++]));
    return out;
  }

 private:
  struct Held {
    int commit = -1;
    std::int64_t value = 0;  // 0: nothing
  };
  struct Copy {
    std::map<int, Held> state;
    std::vector<int> waiting;  // commits
  };

  void take_over(Copy& copy) {
    while (!copy.waiting.empty() && rng_.chance(store_.catch_up)) {
      const std::size_t which = store_.in_order ? 0 : rng_.below(copy.waiting.size());
      const int commit = copy.waiting[which];
      copy.waiting.erase(copy.waiting.begin() + static_cast<std::ptrdiff_t>(which));
      put(copy, commit);
    }
  }
  void put(Copy& copy, int commit) {
    for (const auto& [key, value] : written_[static_cast<std::size_t>(commit)]) {
      Held& held = copy.state[key];
      if (!store_.newest_wins || held.commit < commit) held = {commit, value};
    }
  }

  std::int64_t any_version(int key) {
    std::vector<std::int64_t> all{0};
    for (const auto& written : written_) {
      if (const auto at = written.find(key); at != written.end()) all.push_back(at->second);
    }
    return all[rng_.below(all.size())];
  }

  void transaction(int number) {
    const int session = static_cast<int>(rng_.below(static_cast<std::size_t>(store_.sessions)));
    Copy& copy = copies_[static_cast<std::size_t>(session % store_.copies)];
    take_over(copy);
    DraftTxn t;
    t.name = "T" + std::to_string(number);
    t.session = std::to_string(session);
    std::map<int, std::int64_t> written;
    std::vector<int> used;
    for (int i = 0; i < store_.ops; ++i) {
      const int key = static_cast<int>(rng_.below(static_cast<std::size_t>(store_.keys)));
      if (std::find(used.begin(), used.end(), key) != used.end()) continue;
      used.push_back(key);
      const std::string name = "k" + std::to_string(key);
      if (store_.torn_views) take_over(copy);
      if (rng_.chance(0.5)) {
        written[key] = ++values_;
        t.ops.push_back({OpKind::kWrite, name, DraftValue::of(values_)});
      } else {
        const std::int64_t held = rng_.chance(store_.astray) ? any_version(key) : copy.state[key].value;
        t.ops.push_back({OpKind::kRead, name, held == 0 ? DraftValue{} : DraftValue::of(held)});
      }
    }
    written_.push_back(written);
    for (Copy& other : copies_) {
      if (&other != &copy) other.waiting.push_back(number);
    }
    put(copy, number);
    done_.push_back(std::move(t));
  }

  Rng& rng_;
  const Store store_;
  std::vector<Copy> copies_;
  std::vector<std::map<int, std::int64_t>> written_;  // by commit
  std::vector<DraftTxn> done_;
  std::int64_t values_ = 0;
};

TEST(WeakAgreement, AnOrderIsFoundExactlyWhereAllPairsHaveNoCycle) {
  const std::uint64_t stores = effort::tries(300);
  Rng rng(effort::seed(11));
  std::map<Level, std::map<Outcome, std::uint64_t>> tally;
  for (std::uint64_t i = 0; i < stores; ++i) {
    Store store;
    store.sessions = 2 + static_cast<int>(rng.below(8));
    store.copies = 1 + static_cast<int>(rng.below(4));
    store.keys = 3 + static_cast<int>(rng.below(30));
    store.ops = 2 + static_cast<int>(rng.below(8));
    store.in_order = rng.chance(0.6);
    store.newest_wins = rng.chance(0.8);
    store.torn_views = rng.chance(0.3);
    store.astray = rng.chance(0.2) ? 0.05 : 0;
    store.catch_up = rng.chance(0.3) ? 0.9 : 0.6;
    store.shuffled = static_cast<int>(rng.below(3));
    const History h = Simulation(rng, store).run(5 + static_cast<int>(rng.below(rng.chance(0.2) ? 400 : 40))).build();
    for (const Level level :
         {Level::kStrongSessionMonotonicAtomicView, Level::kMonotonicAtomicView, Level::kReadAtomic, Level::kCausal}) {
      const Verdict found = kWeakEngine.check(h, level, {});
      ASSERT_EQ(found.outcome, kGraphEngine.check(h, level, {}).outcome) << info(level).name << "\n" << native_text(h);
      const auto proof = prove(h, found);
      ASSERT_TRUE(proof) << (proof ? "" : proof.error().message()) << "\n" << native_text(h);
      ++tally[level][found.outcome];
    }
  }
  for (auto& [level, outcomes] : tally) {
    EXPECT_TRUE(effort::reaches(1.0 / 30, outcomes[Outcome::kSatisfied], stores)) << info(level).name;
    EXPECT_TRUE(effort::reaches(1.0 / 30, outcomes[Outcome::kViolated], stores)) << info(level).name;
  }
}

TEST(WeakAgreement, WhatIsShownToHoldNeedsNoPairs) {
  Rng rng(3);
  const History h = Simulation(rng, {.copies = 1}).run(200).build();
  for (const Level level : {Level::kStrongSessionMonotonicAtomicView, Level::kReadAtomic, Level::kCausal}) {
    const graph::Trace trace = graph::trace_reads(h, level, {});
    const graph::LevelRow& row = *graph::row_of(level);
    const graph::VersionOrders orders = graph::order_versions(h, trace, row.updates);
    const graph::SeenOrders seen = weak::needed_seen({h, trace, orders, {}, row}, {});
    EXPECT_TRUE(seen.shown) << info(level).name;
    EXPECT_TRUE(seen.orders.empty());
    EXPECT_FALSE(graph::all_seen({h, trace, orders, {}, row}, {}).orders.empty());
  }
}

}  // namespace agreement_test
}  // namespace isolde
