// batch/edges.h: the dependencies that each rank finds among its share of the keys, with the code of the engines.
//
// In, out: the parts of all ranks, a level -> edges between places, the keys that break the level by themselves, and
//          for levels about what a transaction saw together who read and wrote what.
// Always:  a dependency of items is between operations on one key, so all of them are found, each by the rank that has
//          the key. `open` says why they do not decide the level; it is the same on all ranks.
// Cost:    of a rank: its share of the keys (batch/deal.h), and 16 bytes per edge; seen: 24 per read and 16 per
// version.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "batch/deal.h"
#include "batch/facts.h"
#include "batch/spans.h"
#include "check/cycles/cycles.h"

namespace isolde::batch {

inline constexpr std::uint64_t kNoPlace = UINT64_MAX;

struct KeyRead {
  std::uint64_t reader, writer;  // kNoPlace: nobody, the key is as it was at first
  std::uint32_t key;             // a number of this rank's
  std::uint32_t offset;          // of the operation in its transaction
};
struct KeyWrite {
  std::uint64_t writer;
  std::uint64_t key;
};

struct KeyEdges {
  std::string open;
  // Of this rank's keys:
  std::vector<PlacedEdge> known;
  std::vector<PlacedEdge> guessed;    // more, if versions whose order is open came in the order of the file
  std::vector<std::uint64_t> faulty;  // prints of the names of keys that break the level by themselves
  std::vector<KeyRead> reads;         // filled for levels with a SeenRule
  std::vector<KeyWrite> writes;
  std::vector<std::uint64_t> missed;  // places of transactions that saw one and missed another of its writes
  // Of all ranks:
  std::uint64_t keys = 0;
  std::uint64_t open_pairs = 0;  // of runs of versions whose order is open (SearchStats)
  bool has_open_keys = false;    // some versions are in no known order
  bool has_faults = false;       // some key breaks the level by itself
  bool repeats_values = false;   // some value was written to its key more than once
  bool leads_backward = false;   // some dependency of items does
};

struct EdgesJob {
  const graph::LevelRow* row;
  unsigned passes = 1;
  bool guesses = false;  // of open versions: taken in the order of the file (engine `solver`)
};

// The order that stands in the file, whatever the timestamps say.
[[nodiscard]] TimeForm file_order();

[[nodiscard]] Result<KeyEdges> find_edges(Ranks& ranks, Parts& parts, const Facts& facts, const EdgesJob& job);

}  // namespace isolde::batch
