#include "check/cycles/causal.h"

#include <gtest/gtest.h>

#include "tests/support/effort.h"
#include "tests/support/random_history.h"

namespace isolde::graph {
namespace causal_test {

TEST(Causal, TheAnswerDoesNotDependOnHowMuchMemoryThereIs) {
  const std::uint64_t histories = effort::tries(3000);
  Rng rng(effort::seed(5));
  std::uint64_t found = 0, cycles = 0;
  for (std::uint64_t i = 0; i < histories; ++i) {
    RandomOptions options;
    options.max_txns = 12;
    options.registers_only = true;
    const History h = random_history(rng, options);
    const Trace trace = trace_reads(h, Level::kCausal, {});
    if (!trace.untraceable.empty()) continue;
    const VersionOrders orders = order_versions(h, trace, Updates::kMaySkip);
    const LevelRow& row = *row_of(Level::kCausal);
    const auto has_cycle = [&](const SeenOrders& seen) {
      const Dependencies graph = find_dependencies(h, trace, orders, seen.orders, {}, row.edges);
      return !sort_nodes(graph, row.nodes).components.empty();
    };
    const SeenOrders wide = causal_orders(h, trace, orders, {});
    found += wide.orders.size() + wide.missed.size();
    cycles += has_cycle(wide) ? 1 : 0;
    for (const std::size_t cells : {1U, 30U}) {
      PastOptions little;
      little.cells = cells;
      // Pairs that follow from others are left out only where both are looked at together.
      const SeenOrders narrow = causal_orders(h, trace, orders, {}, little);
      ASSERT_EQ(has_cycle(wide), has_cycle(narrow));
      ASSERT_EQ(wide.missed.size(), narrow.missed.size());
    }
  }
  EXPECT_TRUE(effort::reaches(1.0 / 6, found, histories)) << found << " of " << histories;
  EXPECT_TRUE(effort::reaches(1.0 / 60, cycles, histories)) << cycles << " of " << histories;
}

}  // namespace causal_test
}  // namespace isolde::graph
