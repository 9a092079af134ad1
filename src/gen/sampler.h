// gen/sampler.h: draws keys by a distribution.
//
// Always: the same draws on every machine: weights come from the four arithmetic operations alone, not from the
//         mathematical library, whose last digits differ.
// Cost:   one random word and at most one look into a table of 8 bytes a key (Walker's alias method) a draw.
#pragma once

#include <cstdint>

#include "base/column.h"
#include "base/rng.h"
#include "gen/options.h"

namespace isolde {

class KeySampler {
 public:
  // Requires: 0 < keys <= 2^27.
  KeySampler(Distribution distribution, std::uint32_t keys, double zipf_exponent);

  // A place in 0 … keys-1.
  std::uint32_t draw(Rng& rng) const {
    const std::uint64_t word = rng.next();
    const auto low = static_cast<std::uint32_t>(word);
    const std::uint64_t high = word >> 32;
    if (!slots_.empty()) {
      const auto place = static_cast<std::uint32_t>((high * keys_) >> 32);
      const Slot slot = slots_[place];
      return low < slot.threshold ? place : slot.alias;
    }
    if (low < hot_threshold_) return static_cast<std::uint32_t>((high * hot_) >> 32);
    return hot_ + static_cast<std::uint32_t>((high * (keys_ - hot_)) >> 32);
  }

 private:
  struct Slot {
    std::uint32_t threshold, alias;
  };
  void build_zipf(double exponent);

  std::uint32_t keys_;
  std::uint32_t hot_ = 0;            // the first so many keys …
  std::uint32_t hot_threshold_ = 0;  // … get this share of 2^32
  Column<Slot> slots_;               // kZipf only
};

// base^exponent for base >= 1, the same on every machine, to about 15 digits.
[[nodiscard]] double portable_power(double base, double exponent);

}  // namespace isolde
