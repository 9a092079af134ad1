// An UPDATE that asks again for what was read makes that read as good as a locked one (graph/rechecks.h): against all
// that a tiny database does when such an UPDATE ends the run if the value has changed. What comes to pass is allowed
// with the read's dependencies taken for those of a lock, and what is then allowed comes to pass.
#include <gtest/gtest.h>

#include <algorithm>

#include "audit/cycles/moments.h"
#include "audit/cycles/row_conflicts.h"
#include "tests/audit/toy_levels.h"
#include "tests/support/effort.h"
#include "tests/support/small_classes.h"

namespace isolde::audit {
namespace rechecks_oracle_test {

using testing::ToyCase;
using testing::ToyPair;

constexpr std::size_t kMostPairs = 9;  // so that all directions can be tried

bool is_rechecked(const ToyPair& pair) { return pair.operation_a->rechecked || pair.operation_b->rechecked; }

CycleEdge edge_of(const Classes& classes, const ToyPair& pair, bool b_first, WeakLevel level) {
  const auto access = [&](std::uint32_t member, std::uint32_t operation) -> const Access& {
    return classes.classes[member].operations[operation].access;
  };
  const std::uint32_t first = b_first ? pair.member_b : pair.member_a, second = b_first ? pair.member_a : pair.member_b;
  const std::uint32_t from = b_first ? pair.b : pair.a, to = b_first ? pair.a : pair.b;
  EdgeKind kind = conflict_on_row(access(first, from), access(second, to), level).value();
  const bool rechecked = (b_first ? pair.operation_b : pair.operation_a)->rechecked;
  if (kind == EdgeKind::kRw && rechecked) kind = EdgeKind::kLockedRw;
  return {first, second, {from, to, access(first, from).column, kind, false}};
}

class RechecksOracle : public ::testing::TestWithParam<WeakLevel> {};

TEST_P(RechecksOracle, AReadThatIsAskedForAgainIsAsGoodAsALockedOne) {
  const std::uint64_t wanted = effort::tries(800);
  Rng rng(effort::seed(20270 + static_cast<std::uint64_t>(GetParam())));
  std::uint64_t cases = 0, forbidden = 0;
  while (cases < wanted && !HasFailure()) {
    ToyCase one = testing::random_case(rng);
    testing::add_rechecks(one);
    std::vector<ToyPair> pairs = testing::pairs_of(one, GetParam());
    if (GetParam() == WeakLevel::kMysqlRepeatableRead) std::erase_if(pairs, &ToyPair::reads_own_row);
    if (pairs.size() < 2 || pairs.size() > kMostPairs || std::ranges::none_of(pairs, is_rechecked)) continue;
    ++cases;
    const Classes classes = testing::small_classes(one.text());
    std::vector<ClassId> members;
    for (std::uint32_t i = 0; i < one.members.size(); ++i) members.push_back(ClassId(i));
    const std::vector<std::uint64_t> seen = testing::all_outcomes(one, pairs, GetParam());
    for (std::uint64_t outcome = 0; outcome < std::uint64_t{1} << pairs.size(); ++outcome) {
      std::vector<CycleEdge> edges;
      for (std::size_t i = 0; i < pairs.size(); ++i)
        edges.push_back(edge_of(classes, pairs[i], (outcome >> i & 1) != 0, GetParam()));
      const bool can = can_happen(classes, members, edges, GetParam(), TimingRule::kMoments);
      forbidden += can ? 0 : 1;
      EXPECT_EQ(can, std::ranges::binary_search(seen, outcome)) << one.text() << "outcome " << outcome;
    }
  }
  if (cases >= 100) {
    EXPECT_GT(forbidden, cases);
  }
}

std::string level_of_test(const ::testing::TestParamInfo<WeakLevel>& level) {
  constexpr std::string_view kNames[] = {"ReadCommitted", "MysqlRepeatableRead", "Snapshot"};
  return std::string(kNames[static_cast<std::size_t>(level.param)]);
}

INSTANTIATE_TEST_SUITE_P(Levels, RechecksOracle,
                         ::testing::Values(WeakLevel::kReadCommitted, WeakLevel::kMysqlRepeatableRead,
                                           WeakLevel::kSnapshotIsolation),
                         level_of_test);

}  // namespace rechecks_oracle_test
}  // namespace isolde::audit
