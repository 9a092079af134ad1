// record/latency.h: how long transactions took, counted in buckets whose width is a sixteenth of their value.
//
// Cost: 8 KB; an addition is a shift and an increment. Histograms of several clients add up.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace isolde::record {

class LatencyHistogram {
 public:
  void add(std::int64_t nanoseconds) {
    ++buckets_[place(nanoseconds < 0 ? 0 : static_cast<std::uint64_t>(nanoseconds))];
    ++count_;
  }
  void add(const LatencyHistogram& other) {
    for (std::size_t i = 0; i < buckets_.size(); ++i) buckets_[i] += other.buckets_[i];
    count_ += other.count_;
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  // What `share` of all took at most, in nanoseconds; 0 if there are none.
  [[nodiscard]] std::uint64_t at_most(double share) const {
    const auto wanted = static_cast<std::uint64_t>(share * static_cast<double>(count_));
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
      seen += buckets_[i];
      if (seen > 0 && seen >= wanted) return upper(i);
    }
    return 0;
  }

 private:
  static constexpr unsigned kBits = 4;  // of each value that are kept below its highest bit
  static std::size_t place(std::uint64_t value) {
    if (value < (1U << kBits)) return value;
    const unsigned shift = static_cast<unsigned>(std::bit_width(value)) - 1 - kBits;
    return ((shift + 1) << kBits) + ((value >> shift) & ((1U << kBits) - 1));
  }
  static std::uint64_t upper(std::size_t i) {
    if (i < (1U << kBits)) return i;
    const std::size_t shift = (i >> kBits) - 1;
    const std::uint64_t low = (1U << kBits) + (i & ((1U << kBits) - 1));
    return ((low + 1) << shift) - 1;
  }

  std::array<std::uint64_t, (64 - kBits + 1) << kBits> buckets_ = {};
  std::uint64_t count_ = 0;
};

}  // namespace isolde::record
