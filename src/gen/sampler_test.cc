#include "gen/sampler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace isolde {
namespace sampler_test {

std::vector<double> shares(Distribution distribution, std::uint32_t keys, double exponent = 0.99) {
  constexpr int kDraws = 1'000'000;
  const KeySampler sampler(distribution, keys, exponent);
  Rng rng(7);
  std::vector<double> share(keys, 0);
  for (int i = 0; i < kDraws; ++i) share.at(sampler.draw(rng)) += 1.0 / kDraws;
  return share;
}

TEST(KeySampler, UniformGivesEveryKeyTheSameShare) {
  for (const double share : shares(Distribution::kUniform, 50)) EXPECT_NEAR(share, 0.02, 0.002);
}

TEST(KeySampler, ZipfFollowsThePowerOfTheRank) {
  for (const double exponent : {0.0, 0.5, 0.99, 2.0}) {
    double sum = 0;
    for (int i = 1; i <= 100; ++i) sum += std::pow(i, -exponent);
    const std::vector<double> share = shares(Distribution::kZipf, 100, exponent);
    for (std::size_t i = 0; i < 100; ++i) {
      EXPECT_NEAR(share[i], std::pow(static_cast<double>(i) + 1, -exponent) / sum, 0.002) << i << " at " << exponent;
    }
  }
}

TEST(KeySampler, HotspotPutsFourFifthsOnAFifthOfTheKeys) {
  const std::vector<double> share = shares(Distribution::kHotspot, 100);
  double hot = 0;
  for (std::size_t i = 0; i < 20; ++i) hot += share[i];
  EXPECT_NEAR(hot, 0.8, 0.01);
  EXPECT_NEAR(share[99], 0.2 / 80, 0.001);
}

TEST(KeySampler, OneKeyIsAlwaysDrawn) {
  for (const Distribution d : {Distribution::kUniform, Distribution::kZipf, Distribution::kHotspot}) {
    EXPECT_EQ(shares(d, 1).size(), 1U);
  }
}

TEST(KeySampler, PortablePowerAgreesWithTheLibrary) {
  for (const double base : {1.0, 2.0, 3.0, 1000.0, 123456.0, 1e8}) {
    for (const double exponent : {-0.99, -0.5, 0.0, -2.0, -10.0, 1.5}) {
      const double expected = std::pow(base, exponent);
      EXPECT_NEAR(portable_power(base, exponent) / expected, 1, 1e-12) << base << "^" << exponent;
    }
  }
}

}  // namespace sampler_test
}  // namespace isolde
