// check/cycles/version_runs.h: puts runs of versions of one key one after the other.
//
// In, out: how many runs, and which comes before which -> an order of all, and whether it is the only one.
// Always:  a helper is a node that stands between groups, so that "all of these before all of those" costs their number
//          and not their product.
// Cost:    linear in runs, helpers and edges.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace isolde::graph {

class RunGraph {
 public:
  explicit RunGraph(std::uint32_t runs) : runs_(runs), nodes_(runs) {}

  [[nodiscard]] std::uint32_t add_helper() { return nodes_++; }
  void before(std::uint32_t a, std::uint32_t b) {
    if (a != b) edges_.emplace_back(a, b);
  }

  enum class Answer : std::uint8_t { kCycle, kSeveral, kOne };
  // Fills `order` with the runs unless they stand in a cycle.
  [[nodiscard]] Answer sort(std::vector<std::uint32_t>& order);

 private:
  std::uint32_t runs_, nodes_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges_;
};

}  // namespace isolde::graph
