// check/solver/frontier.h: an order of all nodes, by a depth-first search that remembers states from which there is
// none.
//
// In, out: a Problem, ranks of its nodes -> an order, or nothing.
// How:     What matters of the nodes that ran is which they are, and for each key the value that the next reader would
//          see: not the order in which they ran. So a state that led nowhere once is never entered again. Of the nodes
//          that can run next the one is tried first that brings those whose turn it is closest to running. Three rules
//          keep the states few:
//            - a value that somebody must still read and that nobody will write again is not overwritten;
//            - values that nobody is going to read are all the same;
//            - what cannot do harm runs at once: nodes that write nothing, and those that replace a value that nobody
//              reads any more by one that nobody reads. If there is an order from here, there is one that begins so.
//          A wrong choice near the beginning would be found out last, so the search starts again after so many states,
//          with other choices; what it remembers stays. Many short runs find more than one long one.
// Always:  an order is one of the Problem. That nothing is found says nothing: memory and states are limited.
// Cost:    where sessions are part of the problem, at most as many states as there are ways to have come so far in each
//          of them. Good where values repeat, so that guessing who wrote what would be guessing who came first.
// Source:  Wing and Gong; Lowe (testing for linearizability with a memory of states).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/limits.h"
#include "check/solver/problem.h"

namespace isolde::solver {

struct FrontierOptions {
  std::uint64_t most_states = 1'500'000;
  std::uint64_t first_run = 5'000;  // states before it starts again for the first time
};

struct FrontierResult {
  std::vector<Node> order;  // empty: none was found
  bool tried_all = false;   // no state was left to try (up to collisions of hashes)
  std::uint64_t states = 0;
};

[[nodiscard]] FrontierResult order_by_frontiers(const Problem& problem, std::span<const std::uint32_t> ranks,
                                                const Limits& limits, const FrontierOptions& options = {});

}  // namespace isolde::solver
