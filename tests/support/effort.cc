#include "tests/support/effort.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/hash.h"

namespace isolde::effort {
namespace {

// What the environment says, or `otherwise`; a value that is no such number stops the program.
template <typename Number>
Number effort_setting(const char* name, Number otherwise) {
  const char* const text = std::getenv(name);
  if (text == nullptr) return otherwise;
  const std::string_view view(text);
  Number value{};
  const auto [end, error] = std::from_chars(view.data(), view.data() + view.size(), value);
  if (error == std::errc() && end == view.data() + view.size() && value >= 0) return value;
  fmt::print(stderr, "{}={}: not a number that is at least 0\n", name, view);
  std::exit(2);
}

double effort_factor() {
  static const double factor = effort_setting<double>("ISOLDE_EFFORT", 1);
  return factor;
}
std::uint64_t effort_round() {
  static const auto round = effort_setting<std::uint64_t>("ISOLDE_SEED", 0);
  return round;
}

// The test that runs, if it is a random one, and how many cases it was given.
class RandomTest : public ::testing::EmptyTestEventListener {
 public:
  static RandomTest& current() {
    static RandomTest* const listener = [] {
      auto* const made = new RandomTest;  // GoogleTest's from here on
      ::testing::UnitTest::GetInstance()->listeners().Append(made);
      return made;
    }();
    listener->is_random_ = true;
    return *listener;
  }

  void add(std::uint64_t cases, std::string_view kind) {
    tried_ += cases;
    ::testing::Test::RecordProperty("tried", std::to_string(tried_));
    if (!kind.empty()) ::testing::Test::RecordProperty(fmt::format("tried_{}", kind), std::to_string(tried_));
  }

  void OnTestEnd(const ::testing::TestInfo& test) override {
    if (is_random_ && test.result()->Failed()) {
      fmt::print("to repeat it: ISOLDE_SEED={} ISOLDE_EFFORT={} {} --gtest_filter='{}.{}'\n", effort_round(),
                 effort_factor(), program_invocation_name, test.test_suite_name(), test.name());
    }
    is_random_ = false;
    tried_ = 0;
  }

 private:
  bool is_random_ = false;
  std::uint64_t tried_ = 0;
};

}  // namespace

std::uint64_t tries(std::uint64_t usual, std::string_view kind) {
  const auto cases = static_cast<std::uint64_t>(std::llround(static_cast<double>(usual) * effort_factor()));
  RandomTest::current().add(std::max<std::uint64_t>(cases, 1), kind);
  return std::max<std::uint64_t>(cases, 1);
}

std::uint64_t seed(std::uint64_t usual) {
  RandomTest::current();
  return effort_round() == 0 ? usual : usual + (mix64(effort_round()) >> 16);
}

Seeds seeds(std::uint64_t first, std::uint64_t usual, std::string_view kind) {
  const std::uint64_t begin = seed(first);
  return {begin, begin + tries(usual, kind)};
}

bool takes(std::uint64_t i) {
  const double share = std::min(1.0, effort_factor());
  const double from = static_cast<double>(i + mix64(effort_round()) % 1024) * share;
  return std::floor(from + share) > std::floor(from);
}

std::uint64_t least_taken(std::uint64_t all) {
  return static_cast<std::uint64_t>(std::floor(static_cast<double>(all) * std::min(1.0, effort_factor())));
}

std::uint64_t size(std::uint64_t usual) { return std::max<std::uint64_t>(least_taken(usual), 1); }

bool reaches(double share, std::uint64_t count, std::uint64_t cases) {
  const auto n = static_cast<double>(cases);
  return static_cast<double>(count) >= n * share - 5 * std::sqrt(n * share * (1 - share));
}

}  // namespace isolde::effort
