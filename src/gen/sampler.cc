#include "gen/sampler.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace isolde {
namespace {

constexpr double kLn2 = 0x1.62e42fefa39efp-1;
constexpr double kSqrtHalf = 0x1.6a09e667f3bcdp-1;

// Every product stands in a statement of its own, so that no compiler may fuse it with the sum that follows.
double natural_log(double x) {
  int exponent = 0;
  double m = std::frexp(x, &exponent);
  if (m < kSqrtHalf) {
    m = m * 2;
    --exponent;
  }
  const double t = (m - 1) / (m + 1);
  const double square = t * t;
  double power = t;
  double sum = 0;
  for (int k = 1; k <= 25; k += 2) {
    const double term = power / k;
    sum = sum + term;
    power = power * square;
  }
  const double whole = exponent * kLn2;
  const double part = sum * 2;
  return whole + part;
}

double exponential(double y) {
  const double k = std::floor(y / kLn2);
  const double whole = k * kLn2;
  const double r = y - whole;
  double term = 1;
  double sum = 1;
  for (int i = 1; i <= 22; ++i) {
    const double product = term * r;
    term = product / i;
    sum = sum + term;
  }
  return std::ldexp(sum, static_cast<int>(k));
}

}  // namespace

double portable_power(double base, double exponent) {
  const double y = exponent * natural_log(base);
  return exponential(y);
}

KeySampler::KeySampler(Distribution distribution, std::uint32_t keys, double zipf_exponent) : keys_(keys) {
  if (distribution == Distribution::kZipf) build_zipf(zipf_exponent);
  if (distribution == Distribution::kHotspot && keys > 1) {
    hot_ = std::max(1U, keys / 5);
    hot_threshold_ = 0xcccccccdU;  // 80 % of 2^32
  }
}

// Vose's way to build the alias table: every slot is shared by at most two keys.
void KeySampler::build_zipf(double exponent) {
  std::vector<double> weight(keys_);
  double sum = 0;
  for (std::uint32_t i = 0; i < keys_; ++i) {
    weight[i] = portable_power(i + 1.0, -exponent);
    sum = sum + weight[i];
  }
  std::vector<std::uint32_t> small;
  std::vector<std::uint32_t> large;
  for (std::uint32_t i = 0; i < keys_; ++i) {
    const double scaled = weight[i] * keys_;
    weight[i] = scaled / sum;
    (weight[i] < 1 ? small : large).push_back(i);
  }
  slots_.resize(keys_, Slot{0xffffffffU, 0});
  for (std::uint32_t i = 0; i < keys_; ++i) slots_[i].alias = i;
  while (!small.empty() && !large.empty()) {
    const std::uint32_t poor = small.back();
    const std::uint32_t rich = large.back();
    small.pop_back();
    slots_[poor] = {static_cast<std::uint32_t>(weight[poor] * 0x1.0p32), rich};
    const double both = weight[rich] + weight[poor];
    weight[rich] = both - 1;
    if (weight[rich] < 1) {
      large.pop_back();
      small.push_back(rich);
    }
  }
}

}  // namespace isolde
