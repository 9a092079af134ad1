// check/timeline/online/key_filter.h: which keys may have been given up, in a fixed number of bytes (a Bloom filter).
//
// In, out: keys as they are given up -> for any key, whether it may be one of them.
// Always:  never wrong about one that was added; the more there are the more others are taken for one of them.
// Cost:    four bits a key and a look-up; no memory before the first key.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/state_file.h"
#include "history/fingerprint.h"

namespace isolde::timeline {

class KeyFilter {
 public:
  explicit KeyFilter(std::size_t most_bytes)
      : words_wanted_(std::bit_floor(std::clamp<std::size_t>(most_bytes, kLeast, kMost) / sizeof(std::uint64_t))) {}

  void add(Fingerprint key) {
    if (words_.empty()) words_.assign(words_wanted_, 0);
    each_bit(key, [this](std::uint64_t bit) {
      words_[bit / 64] |= std::uint64_t{1} << (bit % 64);
      return true;
    });
  }
  [[nodiscard]] bool may_hold(Fingerprint key) const {
    return !words_.empty() &&
           each_bit(key, [this](std::uint64_t bit) { return (words_[bit / 64] >> (bit % 64) & 1) != 0; });
  }
  [[nodiscard]] std::size_t bytes() const { return words_.size() * sizeof(std::uint64_t); }

  void save(StateWriter& out) const { out.put_all(words_); }
  [[nodiscard]] bool load(StateReader& in) {
    words_ = in.get_all<std::uint64_t>();
    return in.good() && (words_.empty() || std::has_single_bit(words_.size()));
  }

 private:
  static constexpr std::size_t kLeast = std::size_t{1} << 10, kMost = std::size_t{1} << 24;

  // Until f says no.
  template <typename F>
  bool each_bit(Fingerprint key, F&& f) const {
    const std::uint64_t hash = mix64(raw64(key) ^ 0x6b65'7973'676f'6e65ULL);
    const std::uint64_t step = mix64(hash) | 1;
    const std::uint64_t mask = words_.size() * 64 - 1;
    for (std::uint64_t i = 0; i < 4; ++i) {
      if (!f((hash + i * step) & mask)) return false;
    }
    return true;
  }

  std::size_t words_wanted_;
  std::vector<std::uint64_t> words_;
};

}  // namespace isolde::timeline
