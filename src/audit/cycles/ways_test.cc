#include "audit/cycles/ways.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "base/rng.h"
#include "tests/support/effort.h"
#include "tests/support/small_classes.h"

namespace isolde::audit {
namespace ways_test {

// Classes that depend on each other where a column is shared: one column an edge.
DependencyGraph random_graph(Rng& rng, std::uint32_t classes, WeakLevel level) {
  std::vector<std::string> lines(classes);
  for (std::uint32_t i = 0; i < classes; ++i) lines[i] = fmt::format("c{}: r(own.c{})", i, i);
  for (std::uint32_t i = 0; i < classes; ++i) {
    for (std::uint32_t j = i; j < classes; ++j) {
      if (!rng.chance(0.35)) continue;
      lines[i] += fmt::format("; r(t.x{}y{})", i, j);
      lines[j] += fmt::format("; w(t.x{}y{})", i, j);
    }
  }
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  const Classes all = testing::small_classes(text);
  Hints hints;
  if (rng.chance(0.5)) hints.single_classes = {fmt::format("c{}", rng.below(classes))};
  if (rng.chance(0.2)) hints.ignored_classes = {fmt::format("c{}", rng.below(classes))};
  GraphOptions options;
  options.level = level;
  return build_graph(all, hints, options);
}

// Every way of at most `most` classes between the ends, by trying all.
void every_way(const DependencyGraph& graph, std::vector<ClassId>& way, ClassId to, std::vector<std::uint32_t>& left,
               std::size_t most, std::vector<std::vector<ClassId>>& out) {
  if (graph.connected(way.back(), to)) {
    out.push_back(way);
    out.back().push_back(to);
  }
  if (way.size() > most) return;
  for (std::uint32_t id = 0; id < graph.classes(); ++id) {
    if (left[id] == 0 || !graph.connected(way.back(), ClassId(id))) continue;
    --left[id];
    way.push_back(ClassId(id));
    every_way(graph, way, to, left, most, out);
    way.pop_back();
    ++left[id];
  }
}

TEST(WayFinder, FindsTheShortestOfAllWays) {
  const std::uint64_t rounds = effort::tries(400);
  Rng rng(effort::seed(3));
  for (std::uint64_t round = 0; round < rounds; ++round) {
    const auto classes = static_cast<std::uint32_t>(2 + rng.below(4));
    const DependencyGraph graph =
        random_graph(rng, classes, rng.chance(0.5) ? WeakLevel::kReadCommitted : WeakLevel::kSnapshotIsolation);
    const ClassGraph class_graph(graph);
    WayFinder finder(class_graph);
    for (int query = 0; query < 6; ++query) {
      const ClassId from{static_cast<std::uint32_t>(rng.below(classes))};
      const ClassId to{static_cast<std::uint32_t>(rng.below(classes))};
      std::vector<ClassId> taken{from, to};
      if (rng.chance(0.5)) taken.push_back(ClassId(rng.below(classes)));
      std::vector<std::uint32_t> left;
      for (std::uint32_t id = 0; id < classes; ++id) left.push_back(graph.replicas(ClassId(id)));
      bool enough = true;
      for (const ClassId id : taken) {
        enough = enough && left[raw(id)] > 0;
        if (enough) --left[raw(id)];
      }
      if (!enough) continue;

      const std::size_t most = rng.below(4);
      std::vector<std::vector<ClassId>> all;
      std::vector<ClassId> start{from};
      every_way(graph, start, to, left, most, all);
      std::ranges::stable_sort(all, {}, &std::vector<ClassId>::size);
      const auto k = static_cast<std::uint32_t>(rng.below(12));
      const auto found = finder.find(from, to, taken, k, most, rng.next());
      ASSERT_EQ(found.size(), std::min<std::size_t>(k, all.size()));
      std::set<std::vector<ClassId>> seen;
      for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_EQ(found[i].size(), all[i].size());
        EXPECT_NE(std::ranges::find(all, found[i]), all.end());
        EXPECT_TRUE(seen.insert(found[i]).second) << "twice the same way";
      }
    }
  }
}

}  // namespace ways_test
}  // namespace isolde::audit
