#include "check/solver/polygraph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

#include "base/rng.h"
#include "tests/support/effort.h"

namespace isolde::solver {
namespace polygraph_test {

using Kind = Link::Kind;
using graph::Nodes;

// A problem in the making: who writes and reads what, and what else is known.
struct Draft {
  Nodes form = Nodes::kTransactions;
  std::uint32_t txns = 0, keys = 0;
  std::vector<std::set<std::uint32_t>> writes;  // by transaction
  struct DraftRead {
    std::uint32_t txn, key;
    std::vector<std::uint32_t> from;  // kNone32: the initial state
  };
  std::vector<DraftRead> reads;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> sessions;  // the first transaction before the second
  bool gates = false;  // readers of the initial state lead to writers over a node of the key, where they can

  [[nodiscard]] Problem make() const {
    Problem p;
    p.form = form;
    p.txns = txns;
    p.first_gate = p.has_points() ? 2 * txns : txns;
    p.nodes = p.first_gate + (gates ? keys : 0);
    p.keys_begin.push_back(0);
    for (const auto& keys_of : writes) {
      for (const std::uint32_t k : keys_of) p.keys.push_back(KeyId{k});
      p.keys_begin.push_back(static_cast<std::uint32_t>(p.keys.size()));
    }
    p.writers_begin.push_back(0);
    for (std::uint32_t k = 0; k < keys; ++k) {
      for (std::uint32_t t = 0; t < txns; ++t) {
        if (writes[t].contains(k)) p.writers.push_back(TxnId{t});
      }
      p.writers_begin.push_back(static_cast<std::uint32_t>(p.writers.size()));
    }
    std::vector<std::pair<Node, Node>> known;
    p.reads_begin.push_back(0);
    for (std::uint32_t t = 0; t < txns; ++t) {
      for (const DraftRead& r : reads) {
        if (r.txn != t) continue;
        p.reads.push_back({TxnId{t}, kNoOp, KeyId{r.key}, static_cast<std::uint32_t>(p.candidates.size()),
                           static_cast<std::uint32_t>(r.from.size()), kNone32});
        for (const std::uint32_t w : r.from) p.candidates.push_back(w == kNone32 ? kNoTxn : TxnId{w});
        if (r.from.size() != 1) continue;
        if (r.from[0] != kNone32) {
          known.emplace_back(p.write_node(TxnId{r.from[0]}), p.read_node(TxnId{t}));
          continue;
        }
        const bool to_gate = gates && (p.has_points() || !writes[t].contains(r.key));
        if (to_gate) known.emplace_back(p.read_node(TxnId{t}), p.first_gate + r.key);
        for (const TxnId w : p.writers_of(KeyId{r.key})) {
          if (to_gate) known.emplace_back(p.first_gate + r.key, p.write_node(w));
          if (!to_gate && w != TxnId{t}) known.emplace_back(p.read_node(TxnId{t}), p.write_node(w));
        }
      }
      p.reads_begin.push_back(static_cast<std::uint32_t>(p.reads.size()));
    }
    for (const auto& [a, b] : sessions) known.emplace_back(p.write_node(TxnId{a}), p.read_node(TxnId{b}));
    std::sort(known.begin(), known.end());
    known.erase(std::unique(known.begin(), known.end()), known.end());
    p.begin.assign(p.nodes + 1, 0);
    for (const auto& [from, to] : known) ++p.begin[from + 1];
    std::partial_sum(p.begin.begin(), p.begin.end(), p.begin.begin());
    for (const auto& [from, to] : known) p.to.push_back(to);
    return p;
  }
};

// Every way to choose: an order for each pair of writers of a key, a candidate for each open read.
struct Choices {
  std::vector<std::pair<TxnId, TxnId>> pairs;
  std::vector<std::uint32_t> reads;
  std::uint64_t ways = 1;

  explicit Choices(const Problem& p) {
    std::set<std::pair<TxnId, TxnId>> all;
    for (std::uint32_t k = 0; k + 1 < p.writers_begin.size(); ++k) {
      for (const TxnId a : p.writers_of(KeyId{k})) {
        for (const TxnId b : p.writers_of(KeyId{k})) {
          if (a < b) all.emplace(a, b);
        }
      }
    }
    pairs.assign(all.begin(), all.end());
    constexpr std::uint64_t kMany = std::uint64_t{1} << 40;
    ways = pairs.size() < 40 ? std::uint64_t{1} << pairs.size() : kMany;
    for (std::uint32_t r = 0; r < p.reads.size(); ++r) {
      if (p.reads[r].count == 1) continue;
      reads.push_back(r);
      ways = std::min(kMany, ways * p.reads[r].count);
    }
  }
};

struct Way {
  const Problem& p;
  const Choices& choices;
  std::uint64_t way;

  [[nodiscard]] bool before(TxnId a, TxnId b) const {
    const auto pair = std::minmax(a, b);
    const auto at = std::find(choices.pairs.begin(), choices.pairs.end(), std::pair<TxnId, TxnId>(pair));
    const bool first = (way >> (at - choices.pairs.begin()) & 1) != 0;
    return first == (a < b);
  }
  [[nodiscard]] TxnId source(std::uint32_t read) const {
    std::uint64_t rest = way >> choices.pairs.size();
    if (p.reads[read].count == 1) return p.candidates[p.reads[read].first];
    for (const std::uint32_t r : choices.reads) {
      if (r == read) return p.candidates[p.reads[r].first + rest % p.reads[r].count];
      rest /= p.reads[r].count;
    }
    return kNoTxn;
  }
  [[nodiscard]] bool is_allowed() const {
    std::vector<std::pair<Node, Node>> edges;
    for (Node v = 0; v < p.nodes; ++v) {
      for (const Node next : p.known(v)) edges.emplace_back(v, next);
    }
    for (std::uint32_t t = 0; t < p.txns && p.has_points(); ++t) edges.emplace_back(2 * t, 2 * t + 1);
    for (const auto& [a, b] : choices.pairs) {
      const auto [x, y] = before(a, b) ? std::pair(a, b) : std::pair(b, a);
      edges.emplace_back(p.write_node(x), p.overwrite_node(y));
    }
    for (std::uint32_t r = 0; r < p.reads.size(); ++r) {
      const TxnId a = source(r), t = p.reads[r].txn;
      if (a == t) return false;
      if (a != kNoTxn) edges.emplace_back(p.write_node(a), p.read_node(t));
      for (const TxnId b : p.writers_of(p.reads[r].key)) {
        if (b != t && b != a && (a == kNoTxn || before(a, b))) edges.emplace_back(p.read_node(t), p.write_node(b));
      }
    }
    std::vector<std::uint32_t> waits(p.nodes, 0);
    for (const auto& [from, to] : edges) ++waits[to];
    std::vector<Node> ready;
    for (Node v = 0; v < p.nodes; ++v) {
      if (waits[v] == 0) ready.push_back(v);
    }
    for (std::size_t i = 0; i < ready.size(); ++i) {
      for (const auto& [from, to] : edges) {
        if (from == ready[i] && --waits[to] == 0) ready.push_back(to);
      }
    }
    return ready.size() == p.nodes;
  }
  // All choices of the cycle are made so.
  [[nodiscard]] bool closes(const Cycle& cycle) const {
    return std::all_of(cycle.begin(), cycle.end(), [&](const Link& link) {
      if (link.kind == Kind::kKnown || link.kind == Kind::kInside) return true;
      if (link.kind != Kind::kBefore && source(link.read) != link.a) return false;
      return link.kind == Kind::kFrom || link.a == kNoTxn || before(link.a, link.b);
    });
  }
};

bool writes(const Problem& p, TxnId t, KeyId key) {
  const auto keys = p.keys_of(t);
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

void expect_link(const Problem& p, const Link& link) {
  const auto share_a_key = [&] {
    const auto keys = p.keys_of(link.a);
    return std::any_of(keys.begin(), keys.end(), [&](KeyId k) { return writes(p, link.b, k); });
  };
  switch (link.kind) {
    case Kind::kKnown: {
      const auto next = p.known(link.from);
      EXPECT_NE(std::find(next.begin(), next.end(), link.to), next.end());
      return;
    }
    case Kind::kInside:
      EXPECT_TRUE(p.has_points() && link.from % 2 == 0 && link.to == link.from + 1);
      return;
    case Kind::kBefore:
      EXPECT_EQ(link.from, p.write_node(link.a));
      EXPECT_EQ(link.to, p.overwrite_node(link.b));
      EXPECT_NE(link.a, link.b);
      EXPECT_TRUE(share_a_key());
      return;
    case Kind::kFrom:
    case Kind::kAnti: {
      ASSERT_LT(link.read, p.reads.size());
      const Read& read = p.reads[link.read];
      const auto candidates = p.candidates_of(read);
      EXPECT_NE(std::find(candidates.begin(), candidates.end(), link.a), candidates.end());
      EXPECT_NE(link.a, read.txn);
      if (link.kind == Kind::kFrom) {
        EXPECT_EQ(link.from, p.write_node(link.a));
        EXPECT_EQ(link.to, p.read_node(read.txn));
        return;
      }
      EXPECT_EQ(link.from, p.read_node(read.txn));
      EXPECT_EQ(link.to, p.write_node(link.b));
      EXPECT_TRUE(writes(p, link.b, read.key));
      EXPECT_NE(link.b, read.txn);
      EXPECT_NE(link.b, link.a);
      return;
    }
  }
}

void expect_refutation(const Problem& p, const std::vector<Cycle>& cycles) {
  for (const Cycle& cycle : cycles) {
    ASSERT_FALSE(cycle.empty());
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      EXPECT_EQ(cycle[i].to, cycle[(i + 1) % cycle.size()].from);
      expect_link(p, cycle[i]);
    }
  }
  const Choices choices(p);
  std::vector<bool> needed(cycles.size(), false);
  for (std::uint64_t w = 0; w < choices.ways; ++w) {
    const Way way{p, choices, w};
    if (std::any_of(choices.reads.begin(), choices.reads.end(),
                    [&](std::uint32_t r) { return way.source(r) == p.reads[r].txn; }))
      continue;
    std::size_t closed = 0, last = 0;
    for (std::size_t i = 0; i < cycles.size(); ++i) {
      if (!way.closes(cycles[i])) continue;
      ++closed;
      last = i;
    }
    ASSERT_GT(closed, 0U) << "way " << w;
    if (closed == 1) needed[last] = true;
  }
  EXPECT_EQ(std::count(needed.begin(), needed.end(), false), 0) << "a cycle can be left out";
}

void expect_order(const Problem& p, const std::vector<Node>& order) {
  ASSERT_EQ(order.size(), p.nodes);
  std::vector<std::uint32_t> place(p.nodes, kNone32);
  for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  for (Node v = 0; v < p.nodes; ++v) {
    ASSERT_NE(place[v], kNone32);
    for (const Node next : p.known(v)) EXPECT_LT(place[v], place[next]);
  }
  const auto before = [&](TxnId a, TxnId b) { return place[p.write_node(a)] < place[p.write_node(b)]; };
  for (std::uint32_t t = 0; t < p.txns && p.has_points(); ++t) EXPECT_LT(place[2 * t], place[2 * t + 1]);
  for (const auto& [a, b] : Choices(p).pairs) {
    const auto [x, y] = before(a, b) ? std::pair(a, b) : std::pair(b, a);
    EXPECT_LT(place[p.write_node(x)], place[p.overwrite_node(y)]);
  }
  for (const Read& read : p.reads) {
    const std::uint32_t reader = place[p.read_node(read.txn)];
    const auto candidates = p.candidates_of(read);
    EXPECT_TRUE(std::any_of(candidates.begin(), candidates.end(), [&](TxnId a) {
      if (a == read.txn || (a != kNoTxn && place[p.write_node(a)] >= reader)) return false;
      const auto others = p.writers_of(read.key);
      return std::none_of(others.begin(), others.end(), [&](TxnId b) {
        return b != a && b != read.txn && (a == kNoTxn || before(a, b)) && place[p.write_node(b)] < reader;
      });
    }));
  }
}

Found::Outcome expect_right(const Problem& p) {
  SearchStats stats;
  const Found found = solve_polygraph(p, {}, stats);
  const Choices choices(p);
  bool possible = false;
  for (std::uint64_t w = 0; w < choices.ways && !possible; ++w) possible = Way{p, choices, w}.is_allowed();
  EXPECT_EQ(found.outcome, possible ? Found::Outcome::kOrder : Found::Outcome::kNone) << found.limit;
  if (found.outcome == Found::Outcome::kOrder) expect_order(p, found.order);
  if (found.outcome == Found::Outcome::kNone) expect_refutation(p, found.cycles);
  EXPECT_EQ(stats.pairs, stats.pruned + stats.searched);
  return found.outcome;
}

// Mostly what a run in some order would have read, sometimes anything.
Draft random_draft(Rng& rng, Nodes form, bool repeated) {
  Draft d;
  d.form = form;
  d.gates = rng.below(2) == 0;
  d.txns = static_cast<std::uint32_t>(3 + rng.below(4));
  d.keys = static_cast<std::uint32_t>(1 + rng.below(3));
  d.writes.resize(d.txns);
  for (std::uint32_t t = 0; t < d.txns; ++t) {
    for (std::uint32_t k = 0; k < d.keys; ++k) {
      if (rng.below(10) < 4) d.writes[t].insert(k);
    }
  }
  const std::uint64_t noise = rng.below(4);
  std::vector<std::uint32_t> current(d.keys, kNone32), older(d.keys, kNone32);
  for (std::uint32_t t = 0; t < d.txns; ++t) {
    for (std::uint32_t k = 0; k < d.keys; ++k) {
      if (rng.below(10) < 5) {
        std::vector<std::uint32_t> possible{kNone32};
        for (std::uint32_t w = 0; w < d.txns; ++w) {
          if (w != t && d.writes[w].contains(k)) possible.push_back(w);
        }
        std::uint32_t from = rng.below(10) < 7 ? current[k] : older[k];
        if (rng.below(10) < noise) from = possible[rng.below(possible.size())];
        std::vector<std::uint32_t> all{from};
        while (repeated && rng.below(2) == 0) all.push_back(possible[rng.below(possible.size())]);
        if (repeated && all.size() > 1 && d.writes[t].contains(k) && rng.below(3) == 0) all.push_back(t);
        std::sort(all.begin(), all.end());
        all.erase(std::unique(all.begin(), all.end()), all.end());
        const bool only_self = std::all_of(all.begin(), all.end(), [&](std::uint32_t w) { return w == t; });
        if (!only_self) d.reads.push_back({t, k, all});
      }
      if (d.writes[t].contains(k)) {
        older[k] = current[k];
        current[k] = t;
      }
    }
  }
  for (std::uint64_t i = rng.below(4); i-- > 0;) {
    const auto a = static_cast<std::uint32_t>(rng.below(d.txns)), b = static_cast<std::uint32_t>(rng.below(d.txns));
    if (a < b || (a > b && rng.below(10) < noise)) d.sessions.emplace_back(a, b);
  }
  return d;
}

void compare_random(Nodes form, bool repeated, std::uint64_t seed) {
  const std::uint64_t rounds = effort::tries(2000);
  Rng rng(effort::seed(seed));
  std::uint64_t orders = 0, none = 0;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    const Problem p = random_draft(rng, form, repeated).make();
    if (Choices(p).ways > 3000) continue;
    (expect_right(p) == Found::Outcome::kOrder ? orders : none)++;
    if (::testing::Test::HasFailure()) FAIL() << "round " << round;
  }
  EXPECT_TRUE(effort::reaches(0.075, orders, rounds)) << orders << " of " << rounds;
  EXPECT_TRUE(effort::reaches(0.025, none, rounds)) << none << " of " << rounds;
}

TEST(Polygraph, AgreesWithTryingAllChoicesWhereTransactionsAreNodes) {
  compare_random(Nodes::kTransactions, false, 1);
  compare_random(Nodes::kTransactions, true, 2);
}
TEST(Polygraph, AgreesWithTryingAllChoicesWherePointsAreNodes) {
  compare_random(Nodes::kPoints, false, 3);
  compare_random(Nodes::kPoints, true, 4);
}
TEST(Polygraph, AgreesWithTryingAllChoicesWhereWritersMayOverlap) {
  compare_random(Nodes::kPrefixPoints, false, 5);
  compare_random(Nodes::kPrefixPoints, true, 6);
}

TEST(Polygraph, NothingHasAnOrder) { EXPECT_EQ(expect_right(Draft{}.make()), Found::Outcome::kOrder); }

TEST(Polygraph, AKnownCycleIsTheWholeRefutation) {
  Draft d{.txns = 3, .keys = 1, .writes = {{}, {}, {}}, .reads = {}, .sessions = {{0, 1}, {1, 2}, {2, 0}}};
  const Problem p = d.make();
  SearchStats stats;
  const Found found = solve_polygraph(p, {}, stats);
  ASSERT_EQ(found.outcome, Found::Outcome::kNone);
  ASSERT_EQ(found.cycles.size(), 1U);
  EXPECT_EQ(found.cycles[0].size(), 3U);
}

// Two writers of x and y; a reader sees x of the first and y of the second: whichever is later hides the other.
TEST(Polygraph, AFracturedReadLeavesNoOrder) {
  Draft d{
      .txns = 4, .keys = 2, .writes = {{0, 1}, {0, 1}, {}, {}}, .reads = {{2, 0, {0}}, {2, 1, {1}}}, .sessions = {}};
  const Problem p = d.make();
  EXPECT_EQ(expect_right(p), Found::Outcome::kNone);
}

// T0 and T1 write x, T2 and T3 write y. Each version has two readers; each two choices, and no single one, close a
// cycle: pruning says nothing, the search must.
TEST(Polygraph, OrdersThatOnlyTogetherCloseCyclesAreSearched) {
  for (const Nodes form : {Nodes::kTransactions, Nodes::kPoints, Nodes::kPrefixPoints}) {
    Draft d{.form = form, .txns = 12, .keys = 2, .writes = {{0}, {0}, {1}, {1}}, .reads = {}, .sessions = {}};
    d.writes.resize(12);
    d.reads = {{4, 0, {0}}, {5, 0, {0}}, {6, 0, {1}},  {7, 0, {1}},
               {8, 1, {2}}, {9, 1, {2}}, {10, 1, {3}}, {11, 1, {3}}};
    d.sessions = {{1, 8}, {3, 4}, {1, 10}, {2, 5}, {0, 9}, {3, 6}, {0, 11}, {2, 7}};
    const Problem p = d.make();
    EXPECT_EQ(expect_right(p), Found::Outcome::kNone);
    SearchStats stats;
    const Found found = solve_polygraph(p, {}, stats);
    EXPECT_EQ(stats.searched, 2U);
    EXPECT_EQ(found.cycles.size(), 4U);
    d.sessions.pop_back();  // one way is free now
    EXPECT_EQ(expect_right(d.make()), Found::Outcome::kOrder);
  }
}

TEST(Polygraph, OutOfTimeSaysHowFarItGot) {
  Draft d{.txns = 400, .keys = 1, .writes = {}, .reads = {}, .sessions = {}};
  d.writes.assign(400, {0});
  Limits limits;
  limits.deadline = std::chrono::steady_clock::now();
  SearchStats stats;
  const Found found = solve_polygraph(d.make(), limits, stats);
  EXPECT_EQ(found.outcome, Found::Outcome::kLimit);
  EXPECT_NE(found.limit.find("79800 of 79800 pairs left after pruning"), std::string::npos) << found.limit;
}

TEST(Polygraph, ManyFreeWritersOfOneKeyAreNoTrouble) {
  Draft d{.txns = 600, .keys = 1, .writes = {}, .reads = {}, .sessions = {}};
  d.writes.assign(600, {0});
  SearchStats stats;
  const Problem p = d.make();
  const Found found = solve_polygraph(p, {}, stats);
  ASSERT_EQ(found.outcome, Found::Outcome::kOrder);
  expect_order(p, found.order);
}

}  // namespace polygraph_test
}  // namespace isolde::solver
