// What check_correlation says against all that a tiny database does: a cycle is possible exactly if some interleaving
// shows its dependencies, when rows are the same only where the cycle says so.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "audit/cycles/correlation.h"
#include "audit/cycles/row_conflicts.h"
#include "tests/audit/toy_levels.h"
#include "tests/support/effort.h"
#include "tests/support/small_classes.h"

namespace isolde::audit {
namespace correlation_oracle_test {

using testing::ToyCase;
using testing::ToyOperation;
using testing::ToyPair;

struct Edge {
  ToyPair pair;
  bool b_first;
  [[nodiscard]] std::uint32_t from() const { return b_first ? pair.member_b : pair.member_a; }
  [[nodiscard]] std::uint32_t to() const { return b_first ? pair.member_a : pair.member_b; }
};

// Each member's rows are its own, but for those that the edges make meet.
ToyCase with_rows_of(const ToyCase& one, const std::vector<Edge>& edges, bool one_variable) {
  std::vector<std::uint32_t> row(9);
  std::iota(row.begin(), row.end(), 0U);
  const auto unite = [&](std::uint32_t a, std::uint32_t b) {
    std::ranges::replace(row, std::uint32_t{row[std::max(a, b)]}, std::uint32_t{row[std::min(a, b)]});
  };
  for (const Edge& edge : edges) {
    for (std::uint32_t table = 0; table < 3; ++table) {
      if (!one_variable && table != edge.pair.operation_a->table) continue;
      unite(3 * edge.pair.member_a + table, 3 * edge.pair.member_b + table);
    }
  }
  ToyCase out = one;
  for (std::uint32_t member = 0; member < out.members.size(); ++member) {
    for (auto& statement : out.members[member]) {
      for (ToyOperation& operation : statement.operations) operation.row = row[3 * member + operation.table];
    }
  }
  return out;
}

// Does an interleaving show all of the edges?
bool comes_to_pass(const ToyCase& one, const std::vector<Edge>& edges, WeakLevel level) {
  const std::vector<ToyPair> pairs = testing::pairs_of(one, level);
  std::uint64_t mask = 0, wanted = 0;
  for (const Edge& edge : edges) {
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const ToyPair& pair = pairs[i];
      if (pair.member_a != edge.pair.member_a || pair.member_b != edge.pair.member_b || pair.a != edge.pair.a ||
          pair.b != edge.pair.b) {
        continue;
      }
      const bool other_way = (mask >> i & 1) != 0 && (wanted >> i & 1) != (edge.b_first ? 1U : 0U);
      if (other_way) return false;
      mask |= std::uint64_t{1} << i;
      if (edge.b_first) wanted |= std::uint64_t{1} << i;
    }
  }
  return std::ranges::any_of(testing::all_outcomes(one, pairs, level),
                             [&](std::uint64_t outcome) { return (outcome & mask) == wanted; });
}

Cycle cycle_of(const Classes& classes, const std::vector<Edge>& edges, WeakLevel level) {
  Cycle out;
  for (std::uint32_t i = 0; i < classes.classes.size(); ++i) out.members.push_back(ClassId(i));
  for (const Edge& edge : edges) {
    const std::uint32_t from_op = edge.b_first ? edge.pair.b : edge.pair.a;
    const std::uint32_t to_op = edge.b_first ? edge.pair.a : edge.pair.b;
    const Access& from = classes.classes[edge.from()].operations[from_op].access;
    const Access& to = classes.classes[edge.to()].operations[to_op].access;
    out.edges.push_back(
        {edge.from(), edge.to(), {from_op, to_op, from.column, conflict_on_row(from, to, level).value(), false}});
  }
  return out;
}

class CorrelationOracle : public ::testing::TestWithParam<WeakLevel> {};

TEST_P(CorrelationOracle, ACycleIsPossibleExactlyIfItComesToPass) {
  const WeakLevel level = GetParam();
  const DependencyGraph graph = build_graph(testing::small_classes("none: r(x.a)"), {}, {});  // not asked by moments
  const std::uint64_t cycles = effort::tries(2'000);
  Rng rng(effort::seed(40 + static_cast<std::uint64_t>(level)));
  std::uint64_t tried = 0, possible = 0, by_rows = 0;
  while (tried < cycles && !HasFailure()) {
    const ToyCase one = testing::random_case(rng);
    const std::vector<ToyPair> pairs = testing::pairs_of(one, level);
    const auto members = static_cast<std::uint32_t>(one.members.size());
    if (pairs.size() < members || pairs.size() > 40) continue;
    // 0 -> 1 -> 0 or 0 -> 1 -> 2 -> 0, each by a pair that chance takes.
    std::vector<Edge> edges;
    for (std::uint32_t from = 0; from < members; ++from) {
      const std::uint32_t to = (from + 1) % members;
      std::vector<Edge> candidates;
      for (const ToyPair& pair : pairs) {
        if (pair.member_a != std::min(from, to) || pair.member_b != std::max(from, to)) continue;
        if (pair.operation_a->column == pair.operation_b->column) candidates.push_back({pair, from > to});
      }
      if (!candidates.empty()) edges.push_back(candidates[rng.below(candidates.size())]);
    }
    if (edges.size() < members) continue;
    ++tried;
    const bool one_variable = rng.chance(0.5);
    const Classes classes = testing::small_classes(one.text(one_variable));
    const Cycle cycle = cycle_of(classes, edges, level);
    const bool expected = comes_to_pass(with_rows_of(one, edges, one_variable), edges, level);
    const CorrelationResult result = check_correlation(classes, graph, cycle, {level, TimingRule::kMoments, 1'000'000});
    EXPECT_EQ(result.possible == Possible::kYes, expected) << one.text(one_variable) << ::testing::PrintToString([&] {
      std::string text;
      for (const CycleEdge& edge : cycle.edges) {
        text += fmt::format("{}.{} {} {}.{}  ", edge.from, edge.conflict.from_op, name(edge.conflict.kind), edge.to,
                            edge.conflict.to_op);
      }
      return text;
    }());
    possible += expected ? 1 : 0;
    if (!expected && can_happen(classes, cycle.members, cycle.edges, level, TimingRule::kMoments)) ++by_rows;
  }
  EXPECT_TRUE(effort::reaches(0.02, possible, tried)) << possible << " of " << tried;
  EXPECT_TRUE(effort::reaches(0.005, by_rows, tried)) << by_rows << " of " << tried;
}

std::string level_name(const ::testing::TestParamInfo<WeakLevel>& level) {
  constexpr std::string_view kNames[] = {"ReadCommitted", "MysqlRepeatableRead", "Snapshot"};
  return std::string(kNames[static_cast<std::size_t>(level.param)]);
}

INSTANTIATE_TEST_SUITE_P(Levels, CorrelationOracle,
                         ::testing::Values(WeakLevel::kReadCommitted, WeakLevel::kMysqlRepeatableRead,
                                           WeakLevel::kSnapshotIsolation),
                         level_name);

}  // namespace correlation_oracle_test
}  // namespace isolde::audit
