#include "check/graph/causal.h"

#include <gtest/gtest.h>

#include "tests/support/random_history.h"

namespace isolde::graph {
namespace {

bool same(const Seen& a, const Seen& b) { return a.before == b.before && a.after == b.after; }

TEST(Causal, TheOrderDoesNotDependOnHowMuchMemoryThereIs) {
  Rng rng(5);
  std::size_t found = 0;
  for (int i = 0; i < 3000; ++i) {
    RandomOptions options;
    options.max_txns = 12;
    options.registers_only = true;
    const History h = random_history(rng, options);
    const Trace trace = trace_reads(h, Level::kCausal, {});
    if (!trace.untraceable.empty()) continue;
    const VersionOrders orders = order_versions(h, trace, Updates::kMaySkip);
    const SeenOrders wide = causal_orders(h, trace, orders, {});
    found += wide.orders.size() + wide.missed.size();
    for (const std::size_t cells : {1U, 30U}) {
      const SeenOrders narrow = causal_orders(h, trace, orders, {}, {.cells = cells});
      ASSERT_TRUE(std::equal(wide.orders.begin(), wide.orders.end(), narrow.orders.begin(), narrow.orders.end(), same));
      ASSERT_EQ(wide.missed.size(), narrow.missed.size());
    }
  }
  EXPECT_GT(found, 500U);
}

}  // namespace
}  // namespace isolde::graph
