#include "audit/cycles/search.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "audit/cycles/break_points.h"
#include "audit/cycles/forms.h"
#include "audit/cycles/samples.h"
#include "base/rng.h"
#include "tests/support/effort.h"
#include "tests/support/small_classes.h"

namespace isolde::audit {
namespace search_test {

using testing::small_classes;

struct Searched {
  Classes classes;
  DependencyGraph graph;
  SearchResult result;
};

Searched search(std::string_view text, WeakLevel level, const Hints& hints = {}, SearchOptions options = {}) {
  Searched out{small_classes(text), {}, {}};
  GraphOptions graph_options;
  graph_options.level = level;
  graph_options.as_paper = options.timing == TimingRule::kOperations;
  out.graph = build_graph(out.classes, hints, graph_options);
  out.result = search_cycles(out.classes, out.graph, hints, options);
  return out;
}

// "buy.1 -rw-> buy.3 -ww-> buy.3": the operations that each step leaves from and arrives at.
std::string text(const Searched& searched, const Cycle& cycle) {
  std::string out;
  for (const CycleEdge& edge : cycle.edges) {
    out += fmt::format("{}{}.{} -{}-> {}.{}", out.empty() ? "" : ", ",
                       searched.classes.classes[raw(cycle.members[edge.from])].name, edge.conflict.from_op,
                       name(edge.conflict.kind), searched.classes.classes[raw(cycle.members[edge.to])].name,
                       edge.conflict.to_op);
  }
  return out;
}

std::vector<std::string> texts(const Searched& searched) {
  std::vector<std::string> out;
  for (const Cycle& cycle : searched.result.cycles) out.push_back(text(searched, cycle));
  return out;
}

bool has(const std::vector<std::string>& all, std::string_view one) { return std::ranges::find(all, one) != all.end(); }

constexpr std::string_view kPurchase =
    "purchase: rw(order.id) r(order.total) @ order.id=c; rwxo(order.id) w(order.total) @ order.id=c";

// Checking is balance of one account, saving of another; WriteCheck reads both and writes one.
constexpr std::string_view kSmallBank =
    "table saving(id*, bal)\n"
    "table checking(id*, bal)\n"
    "balance: r(saving.bal) @ saving.id=c; r(checking.bal) @ checking.id=c\n"
    "deposit: ru(checking.bal) w+(checking.bal) @ checking.id=c\n"
    "transact: ru(saving.bal) w+(saving.bal) @ saving.id=c\n"
    "amalgamate: r(saving.bal) @ saving.id=c; r(checking.bal) @ checking.id=c; w(saving.bal) @ saving.id=c; "
    "w(checking.bal) @ checking.id=c; ru(checking.bal) w+(checking.bal) @ checking.id=d\n"
    "write check: r(saving.bal) @ saving.id=c; r(checking.bal) @ checking.id=c; w(checking.bal) @ checking.id=c";

TEST(SearchCycles, ThePurchaseLosesAnUpdateAtReadCommittedAndNotUnderSnapshotIsolation) {
  const Searched weak = search(kPurchase, WeakLevel::kReadCommitted);
  EXPECT_EQ(weak.result.counts.dangerous_paths, 2);
  EXPECT_TRUE(has(texts(weak), "purchase.1 -rw-> purchase.3, purchase.3 -ww-> purchase.3"));
  EXPECT_TRUE(weak.result.complete);
  const Searched strong = search(kPurchase, WeakLevel::kSnapshotIsolation);
  EXPECT_EQ(strong.result.counts.dangerous_paths, 0);
  EXPECT_TRUE(strong.result.cycles.empty());
}

TEST(SearchCycles, SmallBanksWriteSkewIsFoundUnderSnapshotIsolation) {
  const Searched searched = search(kSmallBank, WeakLevel::kSnapshotIsolation);
  // Fekete et al.: the pivot is WriteCheck; between Balance and TransactSavings.
  const std::vector<std::string> all = texts(searched);
  bool found = false;
  for (const Cycle& cycle : searched.result.cycles) {
    std::set<std::string> members;
    for (const ClassId id : cycle.members) members.insert(searched.classes.classes[raw(id)].name);
    found = found || members == std::set<std::string>{"balance", "write check", "transact"};
    EXPECT_TRUE(members.contains("write check")) << text(searched, cycle);
  }
  EXPECT_TRUE(found);
}

TEST(SearchCycles, WriteSkewOfTwoRowsIsACycleOfTwo) {
  const Searched searched = search(
      "a: r(t.x) @ t.id=p; r(t.x) @ t.id=q; w(t.x) @ t.id=p\n"
      "b: r(t.x) @ t.id=p; r(t.x) @ t.id=q; w(t.x) @ t.id=q",
      WeakLevel::kSnapshotIsolation);
  ASSERT_FALSE(searched.result.cycles.empty());
  EXPECT_EQ(searched.result.cycles.front().members.size(), 2);
}

TEST(SearchCycles, TheLostUpdateIsNotLeftToChance) {
  std::string order = "order: r(district.next) @ district.id=d; ru(district.next) w(district.next) @ district.id=d";
  for (int i = 0; i < 60; ++i) order += fmt::format("; r(stock.c{}) w(stock.c{})", i, i);
  for (const std::uint64_t seed : effort::seeds(1, 5)) {
    SearchOptions options;
    options.k = options.l = 1;
    options.seed = seed;
    EXPECT_TRUE(has(texts(search(order, WeakLevel::kReadCommitted, {}, options)),
                    "order.0 -rw-> order.2, order.0 -rw-> order.2"));
  }
}

TEST(SearchCycles, AnAutocommitSelectIsInNoCycleOfReadCommitted) {
  const Searched searched = search("a: r(t.x) r(t.y)\nb: w(t.x); w(t.y)", WeakLevel::kReadCommitted);
  EXPECT_GT(searched.result.counts.found, 0);
  EXPECT_TRUE(searched.result.cycles.empty());
  EXPECT_EQ(searched.result.counts.not_in_time, searched.result.counts.found);
}

TEST(SearchCycles, TwoSelectsBetweenTwoUpdatesAreReadSkewUntilOneSnapshot) {
  const std::string_view classes = "a: r(t.x); r(t.y)\nb: w(t.x); w(t.y)";
  EXPECT_TRUE(has(texts(search(classes, WeakLevel::kReadCommitted)), "a.0 -rw-> b.0, b.1 -wr-> a.1"));
  EXPECT_TRUE(search(classes, WeakLevel::kMysqlRepeatableRead).result.cycles.empty());
  EXPECT_TRUE(search(classes, WeakLevel::kSnapshotIsolation).result.cycles.empty());
}

TEST(SearchCycles, ForUpdateEndsTheLostUpdate) {
  EXPECT_TRUE(search("purchase: rwx(order.id) rx(order.total) @ order.id=c; rwxo(order.id) w(order.total) @ order.id=c",
                     WeakLevel::kReadCommitted)
                  .result.cycles.empty());
}

TEST(SearchCycles, RelativeUpdatesLoseNothing) {
  const std::string_view classes = "pay: rwxo(d.id) ru(d.ytd) w(d.ytd) @ d.id=p";
  EXPECT_TRUE(search(classes, WeakLevel::kReadCommitted).result.cycles.empty());
  EXPECT_TRUE(search(classes, WeakLevel::kMysqlRepeatableRead).result.cycles.empty());
  EXPECT_TRUE(search(classes, WeakLevel::kSnapshotIsolation).result.cycles.empty());
}

TEST(SearchCycles, ALockedReadCanStillBePartOfAWriteSkewUnderSnapshotIsolation) {
  // b reads y FOR UPDATE and writes x; a read x before and writes y after b's commit.
  const Searched searched = search(
      "a: r(t.x) @ t.id=p; w(t.y) @ t.id=q\n"
      "b: rx(t.y) @ t.id=q; w(t.x) @ t.id=p",
      WeakLevel::kSnapshotIsolation);
  EXPECT_TRUE(has(texts(searched), "a.0 -rw-> b.1, b.0 -locked rw-> a.1"));
}

TEST(SearchCycles, ReplicasAreNeededAndCanBeTakenAway) {
  const std::string_view classes = "d: r(t.x); w(t.x)";
  EXPECT_FALSE(search(classes, WeakLevel::kReadCommitted).result.cycles.empty());
  Hints hints;
  hints.single_classes = {"d"};
  const Searched once = search(classes, WeakLevel::kReadCommitted, hints);
  EXPECT_EQ(once.result.counts.found, 0);
}

TEST(SearchCycles, ExclusivePairsRuleOutTheirCycles) {
  const std::string_view classes = "a: r(t.x); r(t.y)\nb: w(t.x); w(t.y)";
  Hints hints;
  hints.exclusive = {{{"a", "b", "t.x", "rw"}, {"b", "a", "t.*", ""}, ""}};
  const Searched searched = search(classes, WeakLevel::kReadCommitted, hints);
  EXPECT_FALSE(has(texts(searched), "a.0 -rw-> b.0, b.1 -wr-> a.1"));
  EXPECT_GT(searched.result.counts.by_hints, 0);
}

TEST(SearchCycles, CorrelatedPairsRuleOutWhatCannotHappenWithThem) {
  const std::string_view classes = "a: r(t.x); r(t.y)\nb: w(t.x); w(t.y)";
  Hints hints;
  hints.correlated = {{{"a", "b", "t.x", "rw"}, {"a", "b", "t.x", "rw"}, ""}};  // says nothing new
  EXPECT_EQ(search(classes, WeakLevel::kReadCommitted, hints).result.counts.by_hints, 0);
  hints.correlated = {{{"a", "b", "t.x", "rw"}, {"a", "b", "t.y", "rw"}, ""}};  // who misses x misses y as well
  const Searched searched = search(classes, WeakLevel::kReadCommitted, hints);
  EXPECT_GT(searched.result.counts.by_hints, 0);
  EXPECT_FALSE(has(texts(searched), "a.0 -rw-> b.0, b.1 -wr-> a.1"));
}

TEST(SearchCycles, OnlyAsManyAsAskedForAreKeptAndAllAreCounted) {
  SearchOptions options;
  options.most_cycles = 3;
  const Searched few = search(kSmallBank, WeakLevel::kReadCommitted, {}, options);
  const Searched all = search(kSmallBank, WeakLevel::kReadCommitted);
  EXPECT_EQ(few.result.cycles.size(), 3);
  EXPECT_FALSE(few.result.complete);
  EXPECT_EQ(few.result.counts.valid, all.result.counts.valid);
  EXPECT_EQ(all.result.cycles.size(), all.result.counts.valid);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(texts(few)[i], texts(all)[i]);
}

TEST(SearchCycles, ADeadlineThatIsOverSaysSo) {
  SearchOptions options;
  options.limits.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1);
  std::string many;
  for (int i = 0; i < 40; ++i) many += fmt::format("c{}: r(t.x); r(t.y); w(t.x); w(t.y)\n", i);
  EXPECT_FALSE(search(many, WeakLevel::kReadCommitted, {}, options).result.complete);
}

std::string random_text(Rng& rng, std::uint64_t most_classes, std::uint64_t most_statements) {
  std::string text;
  const std::uint64_t classes = 1 + rng.below(most_classes);
  for (std::uint64_t i = 0; i < classes; ++i) {
    text += fmt::format("class{}:", i);
    const std::uint64_t statements = 1 + rng.below(most_statements);
    for (std::uint64_t s = 0; s < statements; ++s) {
      static constexpr std::string_view kinds[] = {"r", "r", "rx", "w", "w", "wi", "ru", "rwo"};
      const std::uint64_t table = rng.below(2);
      text += fmt::format("{} {}(t{}.c{})", s == 0 ? "" : ";", kinds[rng.below(8)], table, rng.below(2));
      if (rng.chance(0.4)) text += fmt::format(" r(t{}.c{})", table, rng.below(2));
      if (rng.chance(0.6)) text += fmt::format(" @ t{}.c0=v{}", table, rng.below(2));
    }
    text += "\n";
  }
  return text;
}

TEST(SearchCycles, TheNumberOfThreadsDoesNotMatter) {
  const std::uint64_t rounds = effort::tries(12);
  Rng rng(effort::seed(11));
  for (std::uint64_t round = 0; round < rounds; ++round) {
    const std::string classes = random_text(rng, 8, 6);
    const auto level = static_cast<WeakLevel>(rng.below(3));
    SearchOptions options;
    options.k = static_cast<std::uint32_t>(1 + rng.below(6));
    options.l = static_cast<std::uint32_t>(1 + rng.below(6));
    options.most_cycles = rng.chance(0.3) ? 50 : 100'000;
    const Searched one = search(classes, level, {}, options);
    options.limits.threads = 4;
    const Searched four = search(classes, level, {}, options);
    EXPECT_EQ(texts(one), texts(four));
    EXPECT_EQ(one.result.counts.found, four.result.counts.found);
    EXPECT_EQ(one.result.counts.not_in_time, four.result.counts.not_in_time);
    EXPECT_EQ(one.result.counts.valid, four.result.counts.valid);
  }
}

TEST(BreakPoints, AgreeWithTheMomentsOnEveryCycle) {
  const std::uint64_t rounds = effort::tries(600);
  Rng rng(effort::seed(7));
  std::uint64_t possible = 0, impossible = 0;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    const Classes classes = small_classes(random_text(rng, 4, 5));
    GraphOptions options;
    options.level = static_cast<WeakLevel>(rng.below(3));
    const DependencyGraph graph = build_graph(classes, {}, options);
    for (const TimingRule rule : {TimingRule::kMoments, TimingRule::kOperations}) {
      const BreakPoints times(classes, options.level, rule);
      for (int tries = 0; tries < 20; ++tries) {
        Cycle cycle;
        std::vector<Conflict> choices;
        const std::uint64_t n = 2 + rng.below(3);
        for (std::uint64_t i = 0; i < n; ++i) cycle.members.push_back(ClassId(rng.below(graph.classes())));
        for (std::uint32_t i = 0; i < n; ++i) {
          const std::uint32_t to = i + 1 == n ? 0 : i + 1;
          const auto conflicts = graph.conflicts(cycle.members[i], cycle.members[to]);
          if (conflicts.empty()) break;
          choices.push_back(conflicts[rng.below(conflicts.size())]);
          cycle.edges.push_back({i, to, choices.back()});
        }
        if (choices.size() < n) continue;
        const bool can = can_happen(classes, cycle.members, cycle.edges, options.level, rule);
        ASSERT_EQ(Sampler::possible(times, cycle.members, choices), can);
        ++(can ? possible : impossible);
      }
    }
  }
  if (rounds >= 100) {
    EXPECT_GT(possible, rounds / 2);
    EXPECT_GT(impossible, rounds / 2);
  }
}

// Every simple cycle of transactions with at most `most` members that can happen, by trying all.
class BruteForce {
 public:
  BruteForce(const Classes& classes, const DependencyGraph& graph, TimingRule rule, std::size_t most)
      : classes_(classes), graph_(graph), rule_(rule), most_(most) {}

  std::set<std::uint64_t> run() {
    for (std::uint32_t id = 0; id < graph_.classes(); ++id) {
      if (graph_.replicas(ClassId(id)) > 0) extend(ClassId(id));
    }
    return found_;
  }

 private:
  void extend(ClassId id) {
    if (std::ranges::count(cycle_.members, id) >= static_cast<std::ptrdiff_t>(graph_.replicas(id))) return;
    cycle_.members.push_back(id);
    const auto n = static_cast<std::uint32_t>(cycle_.members.size());
    if (n >= 2) {
      for (const Conflict& conflict : graph_.conflicts(id, cycle_.members[0])) {
        cycle_.edges.push_back({n - 1, 0, conflict});
        check();
        cycle_.edges.pop_back();
      }
    }
    if (n < most_) {
      for (std::uint32_t next = 0; next < graph_.classes(); ++next) {
        for (const Conflict& conflict : graph_.conflicts(id, ClassId(next))) {
          cycle_.edges.push_back({n - 1, n, conflict});
          extend(ClassId(next));
          cycle_.edges.pop_back();
        }
      }
    }
    cycle_.members.pop_back();
  }

  void check() {
    const bool snapshot = graph_.level() == WeakLevel::kSnapshotIsolation;
    bool dangerous = false;
    for (std::size_t i = 0; i < cycle_.edges.size(); ++i) {
      const Conflict& one = cycle_.edges[i].conflict;
      const Conflict& next = cycle_.edges[(i + 1) % cycle_.edges.size()].conflict;
      const bool rw = one.kind == EdgeKind::kRw || one.kind == EdgeKind::kLockedRw;
      dangerous = dangerous || (snapshot ? rw && one.vulnerable && next.kind == EdgeKind::kRw && next.vulnerable
                                         : one.kind == EdgeKind::kRw);
    }
    if (dangerous && can_happen(classes_, cycle_.members, cycle_.edges, graph_.level(), rule_)) {
      found_.insert(fingerprint(cycle_));
    }
  }

  const Classes& classes_;
  const DependencyGraph& graph_;
  TimingRule rule_;
  std::size_t most_;
  Cycle cycle_;
  std::set<std::uint64_t> found_;
};

TEST(SearchCycles, WithEnoughWaysAndSamplesFindsWhatTryingAllFinds) {
  const std::uint64_t rounds = effort::tries(400);
  Rng rng(effort::seed(23));
  std::size_t cycles = 0;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    Searched searched{small_classes(random_text(rng, 3, 3)), {}, {}};
    GraphOptions graph_options;
    graph_options.level = static_cast<WeakLevel>(rng.below(3));
    const TimingRule rule = rng.chance(0.7) ? TimingRule::kMoments : TimingRule::kOperations;
    graph_options.as_paper = rule == TimingRule::kOperations;
    Hints hints;
    if (rng.chance(0.3)) hints.single_classes = {"class0"};
    searched.graph = build_graph(searched.classes, hints, graph_options);
    SearchOptions options;
    options.k = 1000;
    options.l = 100'000;
    options.timing = rule;
    options.correlation = false;
    options.most_members = 3;
    options.every_path = true;
    searched.result = search_cycles(searched.classes, searched.graph, hints, options);
    std::set<std::uint64_t> found;
    for (const Cycle& cycle : searched.result.cycles) found.insert(fingerprint(cycle));
    EXPECT_EQ(found.size(), searched.result.cycles.size());
    EXPECT_EQ(found, BruteForce(searched.classes, searched.graph, rule, 3).run());
    cycles += found.size();
  }
  if (rounds >= 100) {
    EXPECT_GT(cycles, rounds * 5 / 2);
  }
}

TEST(SearchCycles, ColumnsSideBySideLeaveNoFormOut) {
  const std::uint64_t rounds = effort::tries(200);
  Rng rng(effort::seed(31));
  for (std::uint64_t round = 0; round < rounds; ++round) {
    Searched searched{small_classes(random_text(rng, 3, 4)), {}, {}};
    GraphOptions graph_options;
    graph_options.level = WeakLevel::kSnapshotIsolation;
    searched.graph = build_graph(searched.classes, {}, graph_options);
    SearchOptions options;
    options.k = 1000;
    options.l = 100'000;
    options.most_members = 3;
    const CycleForms forms(searched.classes);
    const auto forms_found = [&](bool every_path) {
      options.every_path = every_path;
      std::set<std::uint64_t> out;
      for (const Cycle& cycle : search_cycles(searched.classes, searched.graph, {}, options).cycles) {
        out.insert(forms.fingerprint(cycle));
      }
      return out;
    };
    EXPECT_EQ(forms_found(false), forms_found(true));
  }
}

TEST(SearchCycles, ABudgetLowersSamplesAndSaysSo) {
  std::string many;
  for (int i = 0; i < 12; ++i) many += fmt::format("c{}: r(t.x); r(t.y); r(t.z); w(t.x); w(t.y)\n", i);
  SearchOptions options;
  options.most_samples = 10'000;
  const Searched few = search(many, WeakLevel::kSnapshotIsolation, {}, options);
  EXPECT_EQ(few.result.counts.l, 1);
  EXPECT_EQ(few.result.counts.k, 1);
  EXPECT_LE(few.result.counts.found, 2000 + few.graph.classes() * few.graph.classes() * 4);
  EXPECT_FALSE(few.result.cycles.empty());
  options.limits.threads = 3;
  EXPECT_EQ(texts(search(many, WeakLevel::kSnapshotIsolation, {}, options)), texts(few));
}

TEST(Forms, CyclesOfTheSameFormsHaveTheSameFate) {
  const std::uint64_t rounds = effort::tries(300);
  Rng rng(effort::seed(37));
  std::size_t compared = 0;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    const Classes classes = small_classes(random_text(rng, 3, 4));
    GraphOptions options;
    options.level = static_cast<WeakLevel>(rng.below(3));
    const DependencyGraph graph = build_graph(classes, {}, options);
    const CycleForms forms(classes);
    const CorrelationFacts facts(classes, options.level);
    Correlation correlation(facts, graph, {options.level, TimingRule::kMoments, 20'000});
    std::map<std::uint64_t, std::pair<bool, Possible>> fates;
    for (int tries = 0; tries < 40; ++tries) {
      Cycle cycle;
      const std::uint64_t n = 2 + rng.below(2);
      for (std::uint64_t i = 0; i < n; ++i) cycle.members.push_back(ClassId(rng.below(graph.classes())));
      for (std::uint32_t i = 0; i < n; ++i) {
        const std::uint32_t to = i + 1 == n ? 0 : i + 1;
        const auto conflicts = graph.conflicts(cycle.members[i], cycle.members[to]);
        if (conflicts.empty()) break;
        cycle.edges.push_back({i, to, conflicts[rng.below(conflicts.size())]});
      }
      if (cycle.edges.size() < n) continue;
      const bool can = can_happen(classes, cycle.members, cycle.edges, options.level, TimingRule::kMoments);
      const std::pair fate(can, can ? correlation.check(cycle).possible : Possible::kNo);
      const auto [place, is_new] = fates.emplace(forms.fingerprint(cycle), fate);
      if (is_new) continue;
      ++compared;
      EXPECT_EQ(place->second, fate);
    }
  }
  if (rounds >= 100) {
    EXPECT_GT(compared, rounds * 10 / 3);
  }
}

TEST(SearchCycles, OneSampleIsEnoughForAPathThatCanHappen) {
  const std::uint64_t rounds = effort::tries(200);
  Rng rng(effort::seed(29));
  for (std::uint64_t round = 0; round < rounds; ++round) {
    Searched searched{small_classes(random_text(rng, 4, 5)), {}, {}};
    GraphOptions graph_options;
    graph_options.level = static_cast<WeakLevel>(rng.below(3));
    searched.graph = build_graph(searched.classes, {}, graph_options);
    SearchOptions options;
    options.correlation = false;
    options.k = options.l = 1;
    options.most_members = 2;
    options.seed = rng.next();
    searched.result = search_cycles(searched.classes, searched.graph, {}, options);
    const bool any = !BruteForce(searched.classes, searched.graph, TimingRule::kMoments, 2).run().empty();
    EXPECT_EQ(any, !searched.result.cycles.empty());
  }
}

}  // namespace search_test
}  // namespace isolde::audit
