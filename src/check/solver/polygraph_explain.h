// check/solver/polygraph_explain.h: why pruning left no way, or one way only: as cycles that stand by themselves.
//
// In, out: a cycle of known, derived and chosen edges -> that cycle and those that it rests on.
// Always:  each derived edge is justified by edges derived before it, so the cycles contain no circular argument.
// Cost:    a search for a short way for each choice that is needed; derived edges count more than known ones.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "check/solver/polygraph_prune.h"
#include "check/solver/problem.h"

namespace isolde::solver {

class Explainer {
 public:
  Explainer(const Problem& problem, const Pruner& pruner);

  // A cycle, and all that its links rest on apart from choices that pruning left open.
  void add(Cycle cycle);
  // That a read has no candidate left.
  void add_read(std::uint32_t read);
  // A short cycle of known edges, and of derived ones if `with_derived`. Requires: there is one.
  [[nodiscard]] Cycle find_cycle(bool with_derived);
  // A short way over known edges and the first `known` derived ones, at least one edge long; empty: none.
  [[nodiscard]] Cycle way(Node from, Node to, std::uint32_t known);
  // An edge that is known or derived.
  [[nodiscard]] Link link_of(Node from, Node to) const;

  [[nodiscard]] std::vector<Cycle> take() { return std::move(cycles_); }

 private:
  void want_order(TxnId a, TxnId b);
  void want_read(std::uint32_t read);
  void want(const Cycle& links);
  void justify(const Decision& decision);
  void justify(const RuledOut& out);
  void finish();
  [[nodiscard]] Link plain_link(Node from, Node to) const;

  const Problem& problem_;
  const Pruner& pruner_;
  std::vector<std::uint32_t> begin_, sorted_;                  // derived edges by where they start
  std::unordered_map<std::uint64_t, std::uint32_t> derived_;   // by their ends, the first
  std::unordered_map<std::uint64_t, std::uint32_t> decision_;  // by "a before b", the first
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> ruled_out_;
  std::unordered_set<std::uint64_t> orders_wanted_;
  std::unordered_set<std::uint32_t> reads_wanted_;
  std::vector<Decision> orders_left_;
  std::vector<std::uint32_t> reads_left_;
  std::vector<Cycle> cycles_;

  struct Mark {
    std::uint32_t round = 0;
    std::uint32_t distance = 0;
    Node from = 0;
    std::uint32_t derived = kNone32;
  };
  std::vector<Mark> marks_;
  std::uint32_t round_ = 0;
};

}  // namespace isolde::solver
