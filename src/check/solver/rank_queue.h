// check/solver/rank_queue.h: a set of small numbers from which the smallest is taken.
//
// Cost: a few words of memory a step, whatever the size: one bit a number, and one bit a word of bits, four times over.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace isolde::solver {

class RankQueue {
 public:
  explicit RankQueue(std::uint32_t size) {
    for (auto& level : levels_) {
      size = (size + 63) / 64;
      level.assign(size == 0 ? 1 : size, 0);
    }
  }

  void insert(std::uint32_t n) {
    for (auto& level : levels_) {
      std::uint64_t& word = level[n / 64];
      const bool was_empty = word == 0;
      word |= bit(n);
      if (!was_empty) return;
      n /= 64;
    }
  }
  void erase(std::uint32_t n) {
    for (auto& level : levels_) {
      std::uint64_t& word = level[n / 64];
      word &= ~bit(n);
      if (word != 0) return;
      n /= 64;
    }
  }
  [[nodiscard]] bool empty() const {
    for (const std::uint64_t word : levels_.back()) {
      if (word != 0) return false;
    }
    return true;
  }
  // Requires: not empty.
  [[nodiscard]] std::uint32_t smallest() const {
    std::uint32_t n = 0;
    while (levels_.back()[n] == 0) ++n;
    for (std::size_t i = levels_.size(); i-- > 0;)
      n = n * 64 + static_cast<std::uint32_t>(std::countr_zero(levels_[i][n]));
    return n;
  }

 private:
  static std::uint64_t bit(std::uint32_t n) { return std::uint64_t{1} << (n % 64); }
  std::array<std::vector<std::uint64_t>, 5> levels_;  // 64^5 numbers fit into one word at the top
};

}  // namespace isolde::solver
