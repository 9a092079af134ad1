// tests/oracle/relation.h: a relation over a handful of things, as rows of bits.
#pragma once

#include <array>
#include <cstdint>

namespace isolde::tiny {

template <std::size_t kSize>
class Relation {
 public:
  void add(std::size_t a, std::size_t b) { row_[a] |= 1U << b; }
  [[nodiscard]] bool holds(std::size_t a, std::size_t b) const { return (row_[a] >> b & 1U) != 0; }

  [[nodiscard]] Relation closure() const {
    Relation all = *this;
    for (std::size_t via = 0; via < kSize; ++via) {
      for (std::size_t a = 0; a < kSize; ++a) {
        if (all.holds(a, via)) all.row_[a] |= all.row_[via];
      }
    }
    return all;
  }

  [[nodiscard]] bool acyclic() const {
    const Relation all = closure();
    for (std::size_t a = 0; a < kSize; ++a) {
      if (all.holds(a, a)) return false;
    }
    return true;
  }

 private:
  std::array<std::uint32_t, kSize> row_{};
};

}  // namespace isolde::tiny
