// audit/cycles/search.h: finds the cycles that a level lets through and serializability would not.
//
// In, out: DependencyGraph -> valid cycles, one of each kind, and how many each rule took away.
// Always:  every dangerous path is looked at; for each the k shortest ways back over classes, for each of these up to l
//          mappings to operations, among which one that can happen, if any can. The same seed gives the same cycles,
//          whatever the number of threads.
//          Paths of two dependencies are those of two pairs of statements: the columns that each pair shares are put
//          side by side, not each with each, so that every dependency is in a path. If that would still be more than
//          `most_samples` choices, no more than a fifth of that are made: l is lowered, then k, then paths are left
//          out, evenly; the counts say so. What is left out is found in a later round, when the columns that were
//          found are fixed (fixes.h). Of more than `most_cycles` valid cycles those are kept that differ in more than
//          their columns: every two statements that can go wrong have their shortest cycle before any has its second.
// Source:  IsoDiff, section 3.5, Algorithms 4 and 5 (Algorithm 5 counts wrongly: BEHAVIOUR.md).
#pragma once

#include <cstdint>
#include <vector>

#include "audit/cycles/correlation.h"
#include "audit/cycles/cycle.h"
#include "base/limits.h"

namespace isolde::audit {

struct SearchOptions {
  std::uint32_t k = 5, l = 5;
  std::uint32_t most_members = 16;  // of a cycle; more than 16 are never looked for
  TimingRule timing = TimingRule::kMoments;
  bool correlation = true;
  std::uint64_t most_correlation_steps = 20'000;
  std::size_t most_cycles = 200'000;        // that are kept; all are counted
  bool every_path = false;                  // snapshot isolation: columns each with each
  std::uint64_t most_samples = 20'000'000;  // choices of operations, snapshot isolation
  std::uint64_t seed = 1;
  Limits limits;
};

struct SearchCounts {
  std::uint64_t dangerous_paths = 0;  // with replicas, as the paper counts
  std::uint64_t found = 0;            // different cycles on operations
  std::uint64_t not_in_time = 0;      // taken away by the timing check
  std::uint64_t not_correlated = 0;   // by the correlation check
  std::uint64_t by_hints = 0;         // by exclusive and correlated pairs
  std::uint64_t valid = 0;
  std::uint64_t correlation_limit = 0;  // of the valid: the enumeration ran out of steps
  std::uint32_t k = 0, l = 0;           // that were used: less than asked for if most_samples was in the way
};

struct SearchResult {
  std::vector<Cycle> cycles;  // valid; shorter first
  SearchCounts counts;
  bool complete = true;  // false: the deadline or most_cycles came first
};

[[nodiscard]] SearchResult search_cycles(const Classes& classes, const DependencyGraph& graph, const Hints& hints,
                                         const SearchOptions& options);

}  // namespace isolde::audit
