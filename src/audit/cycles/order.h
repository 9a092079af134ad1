// audit/cycles/order.h: is there an order of up to 64 things in which each comes after all that must be before it?
#pragma once

#include <cstdint>
#include <span>

namespace isolde::audit {

inline constexpr std::size_t kMostOrdered = 64;

// before[i]: the bits of those that come before i. Requires: n <= kMostOrdered.
inline bool has_order(std::span<const std::uint64_t> before, std::size_t n) {
  std::uint64_t left = n == kMostOrdered ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1;
  while (left != 0) {
    const std::uint64_t was = left;
    for (std::size_t i = 0; i < n; ++i) {
      if ((before[i] & left) == 0) left &= ~(std::uint64_t{1} << i);
    }
    if (left == was) return false;
  }
  return true;
}

}  // namespace isolde::audit
