#include "check/solver/reachability.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/rng.h"
#include "tests/support/effort.h"

namespace isolde::solver {
namespace reachability_test {

using Edge = Reachability::Edge;
using Outcome = Reachability::Outcome;

constexpr Reachability::Room kOnlyClocks{std::size_t{1} << 30, 0}, kOnlyBits{0, std::size_t{1} << 30};

// The same by Warshall's algorithm.
class Plain {
 public:
  explicit Plain(std::uint32_t n) : n_(n), reach_(std::size_t{n} * n, false) {
    for (std::uint32_t v = 0; v < n; ++v) reach_[v * n + v] = true;
  }
  void add(Edge e) {
    for (std::uint32_t a = 0; a < n_; ++a) {
      if (!reaches(a, e.from)) continue;
      for (std::uint32_t b = 0; b < n_; ++b) {
        if (reaches(e.to, b)) reach_[a * n_ + b] = true;
      }
    }
  }
  [[nodiscard]] bool reaches(std::uint32_t a, std::uint32_t b) const { return reach_[a * n_ + b]; }

 private:
  std::uint32_t n_;
  std::vector<bool> reach_;
};

// What fresh() told of a node, added up.
class Told {
 public:
  explicit Told(Reachability& reach) : reach_(reach), told_(reach.nodes(), std::vector<bool>(reach.nodes(), false)) {}
  void take_all() {
    if (cover_ != reach_.cover()) {
      for (auto& row : told_) row.assign(reach_.nodes(), false);
      cover_ = reach_.cover();
    }
    while (reach_.any_changed()) {
      const std::uint32_t v = reach_.take_changed();
      reach_.fresh(v, [&](std::uint32_t chain, std::uint32_t from, std::uint32_t to) {
        for (std::uint32_t u = 0; reach_.is_tracked(u) && u < reach_.nodes(); ++u) {
          if (reach_.chain(u) != chain || reach_.place(u) < from || reach_.place(u) >= to) continue;
          EXPECT_FALSE(told_[v][u]);
          told_[v][u] = true;
        }
      });
    }
  }
  [[nodiscard]] bool told(std::uint32_t from, std::uint32_t to) const { return told_[to][from]; }

 private:
  Reachability& reach_;
  std::vector<std::vector<bool>> told_;
  std::uint32_t cover_ = 0;
};

void compare_random(std::uint64_t seed, Reachability::Room room) {
  Rng rng(seed);
  const auto n = static_cast<std::uint32_t>(2 + rng.below(90));
  const auto tracked = static_cast<std::uint32_t>(seed % 2 == 0 ? n : 1 + rng.below(n));
  Reachability reach(n, tracked, room);
  Plain plain(n);
  Told told(reach);
  for (int round = 0; round < 6; ++round) {
    std::vector<Edge> batch;
    for (std::uint64_t i = rng.below(n); i-- > 0;) {
      const Edge e{static_cast<std::uint32_t>(rng.below(n)), static_cast<std::uint32_t>(rng.below(n))};
      if (plain.reaches(e.to, e.from)) continue;
      if (round > 0 && !(reach.is_tracked(e.from) && reach.is_tracked(e.to))) continue;
      plain.add(e);
      if (round % 2 == 0) {
        batch.push_back(e);
      } else {
        reach.add(e.from, e.to);
      }
    }
    if (round == 0 || !batch.empty()) {
      ASSERT_EQ(reach.add_all(batch), Outcome::kDone);
    }
    told.take_all();
    for (std::uint32_t a = 0; a < tracked; ++a) {
      for (std::uint32_t b = 0; b < n; ++b) {
        ASSERT_EQ(reach.reaches(a, b), plain.reaches(a, b)) << "seed " << seed << ": " << a << ", " << b;
        ASSERT_EQ(told.told(a, b), plain.reaches(a, b)) << "seed " << seed << ": " << a << ", " << b;
      }
    }
  }
}

TEST(Reachability, AgreesWithAPlainClosureWhateverTheTable) {
  const std::uint64_t first = effort::seed(0), end = first + effort::tries(50);
  for (std::uint64_t seed = first; seed < end; ++seed) {
    compare_random(seed, kOnlyClocks);
    compare_random(seed, kOnlyBits);
    compare_random(seed, Reachability::Room{});
  }
}

TEST(Reachability, PathsAreChains) {
  Reachability reach(1000, 1000);
  std::vector<Edge> edges;
  for (std::uint32_t v = 0; v < 1000; ++v) {
    if (v % 250 != 249) edges.push_back({v, v + 1});
  }
  ASSERT_EQ(reach.add_all(edges), Outcome::kDone);
  EXPECT_TRUE(reach.clocks());
  EXPECT_EQ(reach.chains(), 4U);
  EXPECT_TRUE(reach.reaches(250, 499));
  EXPECT_FALSE(reach.reaches(249, 250));
}

TEST(Reachability, ACycleIsRefusedAndNothingChanges) {
  Reachability reach(3, 3);
  ASSERT_EQ(reach.add_all(std::vector<Edge>{{0, 1}}), Outcome::kDone);
  EXPECT_EQ(reach.add_all(std::vector<Edge>{{1, 2}, {2, 0}}), Outcome::kCycle);
  EXPECT_FALSE(reach.reaches(1, 2));
  EXPECT_EQ(reach.add_all(std::vector<Edge>{{1, 2}}), Outcome::kDone);
  EXPECT_TRUE(reach.reaches(0, 2));
}

TEST(Reachability, ATableThatHasNoRoomIsRefused) {
  Reachability reach(1000, 1000, Reachability::Room{1000, 1000});
  EXPECT_EQ(reach.add_all({}), Outcome::kTooLarge);
}

TEST(Reachability, EdgesThatOthersImplyAreDropped) {
  Reachability reach(4, 4);
  ASSERT_EQ(reach.add_all(std::vector<Edge>{{0, 1}, {1, 2}, {0, 2}, {2, 3}, {0, 3}, {0, 1}}), Outcome::kDone);
  int kept = 0;
  for (std::uint32_t v = 0; v < 4; ++v) reach.each_next(v, [&](std::uint32_t) { ++kept; });
  EXPECT_EQ(kept, 3);
}

}  // namespace reachability_test
}  // namespace isolde::solver
