// check/solver/stuck.h: why a schedule cannot go on: cycles of nodes that wait for each other.
//
// In, out: a Schedule that is stuck -> cycles, each with at least one choice unless no order exists at all.
// Always:  each link is known, or follows from the choices that it names, so that a cycle holds whatever was chosen
//          elsewhere. Every node waits for some other, unless it waits for a value: so going from one to the next ends
//          in a cycle, or at a read whose value is not there.
// Cost:    the nodes between the first that wait and the cycle; not all that wait. Of several cycles through a node
//          one with few choices is taken.
#pragma once

#include <cstdint>
#include <vector>

#include "check/solver/problem.h"
#include "check/solver/schedule.h"

namespace isolde::solver {

class CycleFinder {
 public:
  explicit CycleFinder(const Problem& problem);

  [[nodiscard]] std::vector<Cycle> find(const Schedule& schedule);
  [[nodiscard]] std::uint64_t looked_at() const { return looked_at_; }  // links, in all calls

 private:
  [[nodiscard]] Cycle first_from(const Schedule& schedule, Node start);
  [[nodiscard]] Cycle cheapest_through(const Schedule& schedule, Node start);
  [[nodiscard]] Cycle walk(Node start) const;

  const Problem& p_;
  // By node; both are as they were before, after each call.
  std::vector<std::uint32_t> cost_;
  std::vector<std::uint32_t> by_;  // the link to the node that waits for it, in links_
  std::vector<Link> links_;
  std::vector<std::uint32_t> met_;  // by node: in which walk
  std::uint64_t looked_at_ = 0;
  std::uint32_t walks_ = 0;
  std::uint32_t first_walk_ = 0;  // of this call
};

}  // namespace isolde::solver
