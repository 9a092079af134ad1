// check/cycles/views.h: Dependencies seen as a graph of transactions, or of their start and commit points.
#pragma once

#include <cstdint>
#include <vector>

#include "check/cycles/dependencies.h"

namespace isolde::graph {

// The graph as it is.
struct TransactionView {
  const Dependencies& graph;
  [[nodiscard]] std::uint32_t size() const { return graph.nodes; }
  // Whose predicates are evaluated here, and whose writes take effect; kNoTxn: nobody's.
  [[nodiscard]] TxnId reader(std::uint32_t node) const { return node < graph.txns ? TxnId{node} : kNoTxn; }
  [[nodiscard]] TxnId writer(std::uint32_t node) const { return reader(node); }
  template <typename F>
  void for_each_out(std::uint32_t node, F&& f) const {
    for (const Arc arc : graph.from(node)) f(arc.to());
  }
};

// Each transaction as a start 2t and a commit 2t+1; time nodes after them.
struct PointView {
  const Dependencies& graph;
  bool prefix;
  [[nodiscard]] std::uint32_t size() const { return graph.nodes + graph.txns; }
  [[nodiscard]] TxnId reader(std::uint32_t node) const { return at(node, 0); }
  [[nodiscard]] TxnId writer(std::uint32_t node) const { return at(node, 1); }
  template <typename F>
  void for_each_out(std::uint32_t node, F&& f) const {
    const bool is_time = node >= 2 * graph.txns;
    const bool is_start = !is_time && node % 2 == 0;
    if (is_start) f(node + 1);
    for (const Arc arc : graph.from(is_time ? node - graph.txns : node / 2)) {
      if (is_start != (arc.type() == Edge::kRw)) continue;
      if (arc.to() >= graph.txns) {
        f(arc.to() + graph.txns);
      } else {
        f(2 * arc.to() + (is_start || (prefix && arc.type() == Edge::kWw) ? 1 : 0));
      }
    }
  }

 private:
  [[nodiscard]] TxnId at(std::uint32_t node, std::uint32_t point) const {
    return node < 2 * graph.txns && node % 2 == point ? TxnId{node / 2} : kNoTxn;
  }
};

// What is no evidence, and still a hint at the order: the expected order, else database timestamps, else the client's
// clock, else the file; or the file alone.
enum class Hint : std::uint8_t { kClocks, kFile };

// Where each node stands by that.
[[nodiscard]] std::vector<std::int64_t> ranks(const History& history, const TransactionView& view, Hint hint);
[[nodiscard]] std::vector<std::int64_t> ranks(const History& history, const PointView& view, Hint hint);

}  // namespace isolde::graph
