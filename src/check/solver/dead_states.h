// check/solver/dead_states.h: states of a search from which it could not go on, by their hash.
//
// Always:  two states with one hash count as one: then an order may be missed, and nothing else. Of more than `most`
//          states the later ones are forgotten.
// Cost:    8 to 16 bytes per state; one or two cache lines per question.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace isolde::solver {

class DeadStates {
 public:
  explicit DeadStates(std::size_t most) : most_(most), slots_(kFirst, 0) {}

  [[nodiscard]] bool holds(std::uint64_t hash) const {
    const std::uint64_t mask = slots_.size() - 1;
    for (std::uint64_t i = hash & mask; slots_[i] != 0; i = (i + 1) & mask) {
      if (slots_[i] == (hash | 1)) return true;
    }
    return false;
  }
  void add(std::uint64_t hash) {
    if (size_ >= most_) return;
    if (2 * (size_ + 1) > slots_.size()) grow();
    put(hash | 1);
  }

 private:
  static constexpr std::size_t kFirst = 1024;

  void put(std::uint64_t odd) {
    const std::uint64_t mask = slots_.size() - 1;
    std::uint64_t i = (odd & ~std::uint64_t{1}) & mask;
    while (slots_[i] != 0 && slots_[i] != odd) i = (i + 1) & mask;
    size_ += slots_[i] == 0 ? 1 : 0;
    slots_[i] = odd;
  }
  void grow() {
    std::vector<std::uint64_t> old(2 * slots_.size(), 0);
    old.swap(slots_);
    size_ = 0;
    for (const std::uint64_t odd : old) {
      if (odd != 0) put(odd);
    }
  }

  std::size_t most_, size_ = 0;
  std::vector<std::uint64_t> slots_;
};

}  // namespace isolde::solver
