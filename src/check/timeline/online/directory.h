// check/timeline/online/directory.h: where in a key's long list of blocks a time lies.
//
// In, out: the blocks of one key in order -> the last one that does not begin after a given time.
// Always:  the first block has no lower bound; that of any other one is the time of its first entry, which stays what
// it
//          is: what stands before that belongs to the block before.
// Cost:    a look-up gallops back from the end: logarithmic in the blocks behind the place found. A block that is added
//          moves the slots behind it, 16 bytes each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace isolde::timeline {

struct Block;

class Directory {
 public:
  [[nodiscard]] Block* block(std::size_t at) const { return slots_[at].block; }

  // The last block whose first entry is not later than `time`, or the first block.
  [[nodiscard]] std::size_t find(std::int64_t time) const {
    std::size_t beyond = slots_.size();
    std::size_t low = first_;
    for (std::size_t step = 1; beyond - first_ > step; step *= 2) {
      if (slots_[beyond - step].time <= time) {
        low = beyond - step;
        break;
      }
      beyond -= step;
    }
    while (beyond - low > 1) {
      const std::size_t middle = low + (beyond - low) / 2;
      (slots_[middle].time <= time ? low : beyond) = middle;
    }
    return low;
  }

  void push_back(Block* block, std::int64_t time) { slots_.push_back({time, block}); }
  void insert(std::size_t at, Block* block, std::int64_t time) {
    slots_.insert(slots_.begin() + static_cast<std::ptrdiff_t>(at), Slot{time, block});
  }
  void pop_front() {
    ++first_;
    if (first_ * 2 < slots_.size()) return;
    slots_.erase(slots_.begin(), slots_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
    if (slots_.size() * 4 < slots_.capacity()) slots_.shrink_to_fit();
  }

  // What a block costs here at most, on average over time.
  static constexpr std::size_t kBytesPerBlock = 32;

 private:
  struct Slot {
    std::int64_t time;
    Block* block;
  };
  std::vector<Slot> slots_;
  std::size_t first_ = 0;
};

}  // namespace isolde::timeline
