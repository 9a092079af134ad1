// audit/facts/mapping.h: is one value always a function of others, and too often for chance?
//
// Always:  holds() only if no pair that was added contradicts another, and what repeats would repeat by chance with a
//          probability of less than a millionth (every value as likely as its share in all of them).
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

#include "audit/schema/ids.h"

namespace isolde::audit {

class Mapping {
 public:
  void add(const std::vector<LiteralId>& from, LiteralId to) {
    ++uses_;
    ++shares_[to];
    const auto [place, is_new] = to_.try_emplace(from, to);
    if (is_new) return;
    ++repeats_;
    conflicts_ += place->second == to ? 0 : 1;
  }
  [[nodiscard]] std::uint64_t repeats() const { return repeats_; }
  [[nodiscard]] std::uint64_t conflicts() const { return conflicts_; }
  [[nodiscard]] bool holds() const {
    if (conflicts_ > 0 || repeats_ == 0) return false;
    double q = 0;
    for (const auto& [value, times] : shares_) {
      const double share = static_cast<double>(times) / static_cast<double>(uses_);
      q += share * share;
    }
    return static_cast<double>(repeats_) * std::log(q) <= std::log(1e-6);
  }

 private:
  std::map<std::vector<LiteralId>, LiteralId> to_;
  std::map<LiteralId, std::uint64_t> shares_;
  std::uint64_t uses_ = 0, repeats_ = 0, conflicts_ = 0;
};

}  // namespace isolde::audit
