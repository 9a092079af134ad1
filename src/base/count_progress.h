// base/count_progress.h: the progress of a loop: how far it is, or, of a search whose end nobody knows, how much it
// tried.
//
// Always: the receiver is called rarely, however short the rounds are.
// Cost:   an addition and a comparison a round.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/limits.h"

namespace isolde {

class CountProgress {
 public:
  // `stage`: a literal, as in "orders tried". `total`: 0 where it is not known. `every`: how many rounds go by in
  // silence.
  CountProgress(const Limits& limits, std::string_view stage, std::uint64_t total = 0, std::uint64_t every = 1U << 14)
      : progress_(limits.progress), stage_(stage), total_(total), every_(every), next_(every) {}

  void add(std::uint64_t rounds = 1) {
    done_ += rounds;
    if (progress_ == nullptr || done_ < next_) return;
    next_ = done_ + every_;
    progress_->advance(stage_, done_, total_);
  }

 private:
  Progress* progress_;
  std::string_view stage_;
  std::uint64_t total_, every_, next_, done_ = 0;
};

}  // namespace isolde
