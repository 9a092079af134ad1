// tests/support/comes_true.h: waits for what must come to be; never a measure of speed.
#pragma once

#include <chrono>
#include <thread>

namespace isolde::test {

// Looks again and again; false if it has not come in minutes, which no machine is too slow for.
template <typename Condition>
[[nodiscard]] bool comes_true(Condition condition) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(5);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

}  // namespace isolde::test
