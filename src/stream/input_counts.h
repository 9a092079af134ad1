// stream/input_counts.h: what an input counts, readable from any thread while it works.
#pragma once

#include <atomic>

#include "stream/input.h"

namespace isolde::stream {

struct LiveCounts {
  std::atomic<std::uint64_t> bytes = 0, pieces = 0, transactions = 0;
  std::atomic<std::uint64_t> connections = 0, open_connections = 0, refused = 0;
  std::array<std::atomic<std::uint64_t>, kRefusals> refused_as = {};
  std::atomic<std::uint64_t> held_bytes = 0, ignored_fields = 0, duplicates = 0;

  // Whether it is the first of its kind.
  bool refuse(Refusal why) {
    ++refused;
    return ++refused_as[static_cast<std::size_t>(why)] == 1;
  }

  void give(const Chunk& chunk) {
    pieces += 1;
    transactions += chunk.history.txn_count();
    ignored_fields += chunk.ignored_fields;
  }
  [[nodiscard]] InputCounts now() const {
    InputCounts out{bytes,   pieces, transactions, connections,    open_connections,
                    refused, {},     held_bytes,   ignored_fields, duplicates};
    for (std::size_t i = 0; i < kRefusals; ++i) out.refused_as[i] = refused_as[i];
    return out;
  }
};

}  // namespace isolde::stream
