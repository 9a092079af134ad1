// base/radix_sort.h: stable least-significant-digit sort of (64-bit key, 32-bit payload) pairs.
//
// Always: stable: equal keys keep their order. A digit that is the same in every key needs no pass.
// Cost:   linear: one histogram pass and at most six scatter passes of 11 bits.
#pragma once

#include <cstdint>
#include <vector>

namespace isolde {

struct KeyedIndex {
  std::uint64_t key;
  std::uint32_t index;
};

// Sorts by `key`, ascending.
void radix_sort(std::vector<KeyedIndex>& items);

// Maps signed to unsigned, keeping the order.
constexpr std::uint64_t order_preserving(std::int64_t value) {
  return static_cast<std::uint64_t>(value) ^ (std::uint64_t{1} << 63);
}

}  // namespace isolde
