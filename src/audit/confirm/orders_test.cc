#include "audit/confirm/orders.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/rng.h"
#include "tests/support/effort.h"

namespace isolde::audit {
namespace orders_test {

using Steps = std::vector<std::vector<Effect>>;
using Before = std::vector<std::pair<StepPlace, StepPlace>>;

Effect reads(std::uint32_t table) { return {.looks = {{TableId{table}}}, .holds = {}, .shows = {}}; }
Effect writes(std::uint32_t table, std::string row = {}) {
  return {.looks = {}, .holds = {{TableId{table}, std::move(row)}}, .shows = {}};
}
Effect commit(const std::vector<TableId>& tables) {
  std::vector<RowPlace> written;
  for (const TableId table : tables) written.push_back({table});
  return {.looks = {}, .holds = written, .shows = written, .takes_snapshot = false, .commits = true};
}

// All orders, and which of them become each other by swaps of neighbours: the definition.
std::uint64_t classes_by_definition(const Steps& steps, const Before& before) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t m = 0; m < steps.size(); ++m) order.insert(order.end(), steps[m].size(), m);
  std::map<std::vector<std::uint32_t>, std::size_t> place;
  do {
    place.emplace(order, place.size());
  } while (std::next_permutation(order.begin(), order.end()));
  std::vector<std::size_t> parent(place.size());
  for (std::size_t i = 0; i < parent.size(); ++i) parent[i] = i;
  const auto find = [&](std::size_t n) {
    while (parent[n] != n) n = parent[n];
    return n;
  };
  const auto allowed = [&](const std::vector<std::uint32_t>& one) {
    std::vector<std::uint32_t> next(steps.size(), 0);
    std::map<StepPlace, std::size_t> at;
    for (std::size_t i = 0; i < one.size(); ++i) at[{one[i], next[one[i]]++}] = i;
    return std::ranges::all_of(before, [&](const auto& pair) {
      const auto& [a, b] = pair;
      return !matters(steps[a.member][a.step], steps[b.member][b.step]) || at.at(a) < at.at(b);
    });
  };
  for (const auto& [one, number] : place) {
    std::vector<std::uint32_t> next(steps.size(), 0);
    for (std::size_t i = 0; i + 1 < one.size(); ++i) {
      const Effect& a = steps[one[i]][next[one[i]]++];
      if (one[i] == one[i + 1]) continue;
      const Effect& b = steps[one[i + 1]][next[one[i + 1]]];
      if (matters(a, b)) continue;
      auto swapped = one;
      std::swap(swapped[i], swapped[i + 1]);
      parent[find(place.at(swapped))] = find(number);
    }
  }
  std::set<std::size_t> roots;
  for (const auto& [one, number] : place) {
    if (allowed(one)) roots.insert(find(number));
  }
  return roots.size();
}

TEST(ConfirmOrders, TwoThatReadAndWriteOneTableHaveTheirDifferentRunsOnly) {
  const Steps steps(2, {reads(1), writes(1), commit({TableId{1}})});
  const Orders orders = different_orders(steps, {}, 100);
  EXPECT_EQ(orders.count, classes_by_definition(steps, {}));
  EXPECT_LT(orders.count, 20U);  // all orders
}

TEST(ConfirmOrders, TransactionsOnDifferentTablesHaveOneRun) {
  const Steps steps = {{reads(1), writes(1), commit({TableId{1}})}, {reads(2), writes(2), commit({TableId{2}})}};
  EXPECT_EQ(different_orders(steps, {}, 100).count, 1U);
}

TEST(ConfirmOrders, AReadIsSentBeforeTheCommitThatItMustNotSee) {
  const Steps steps = {{reads(1), commit({})}, {writes(1), commit({TableId{1}})}};
  const Orders all = different_orders(steps, {}, 100);
  EXPECT_EQ(all.count, 2U);
  const Orders before = different_orders(steps, {{{0, 0}, {1, 1}}}, 100);
  ASSERT_EQ(before.count, 1U);
  const auto& order = before.listed[0];
  std::vector<std::size_t> first, second;
  for (std::size_t i = 0; i < order.size(); ++i) (order[i] == 0 ? first : second).push_back(i);
  EXPECT_LT(first[0], second[1]);
}

TEST(ConfirmOrders, NoMoreAreListedThanWanted) {
  const Steps steps(3, {reads(1), writes(1), commit({TableId{1}})});
  const Orders orders = different_orders(steps, {}, 5);
  EXPECT_EQ(orders.listed.size(), 5U);
  EXPECT_EQ(orders.count, different_orders(steps, {}, 100'000).listed.size());
}

TEST(ConfirmOrders, EveryRunComesOutOnceWhateverTheSteps) {
  Rng rng(22);
  for (std::uint64_t round = 0; round < effort::tries(150); ++round) {
    Steps steps;
    const std::size_t members = 2 + rng.below(2);
    for (std::size_t m = 0; m < members; ++m) {
      std::vector<Effect> own;
      std::set<TableId> written;
      for (std::size_t s = 0, n = 1 + rng.below(members == 2 ? 3 : 2); s < n; ++s) {
        const auto table = static_cast<std::uint32_t>(rng.below(3));
        if (rng.below(2) == 0) {
          own.push_back(reads(table));
          own.back().takes_snapshot = rng.below(3) == 0;
        } else {
          own.push_back(writes(table));
          written.insert(TableId{table});
        }
      }
      own.push_back(commit({written.begin(), written.end()}));
      steps.push_back(std::move(own));
    }
    Before before;
    if (rng.below(2) == 0) {
      before.push_back({{0, static_cast<std::uint32_t>(rng.below(steps[0].size()))},
                        {1, static_cast<std::uint32_t>(rng.below(steps[1].size()))}});
    }
    const Orders orders = different_orders(steps, before, 100'000);
    EXPECT_EQ(orders.count, classes_by_definition(steps, before)) << "round " << round;
    EXPECT_EQ(orders.listed.size(), orders.count);
  }
}

}  // namespace orders_test
}  // namespace isolde::audit
