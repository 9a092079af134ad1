// base/limits.h: what a run may use, and who is told how far it is.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string_view>

namespace isolde {

namespace mirror {
struct Profile;
}

// Told how far a long piece of work is. The library never prints; src/cli shows these on a terminal.
class Progress {
 public:
  virtual ~Progress() = default;
  // `done` of `total` (0: not known) in the stage of that name. Called rarely, from the thread that does the work.
  virtual void advance(std::string_view stage, std::uint64_t done, std::uint64_t total) = 0;
};

struct Limits {
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  unsigned threads = 1;
  std::size_t max_anomalies = SIZE_MAX;  // how many are kept with their details; all are counted
  Progress* progress = nullptr;
  const mirror::Profile* profile = nullptr;  // of the engine `mirror`: what the DBMS does
  bool guess = true;  // hints may be tried before anything is proved; false is for measuring what that saves

  [[nodiscard]] bool out_of_time() const {
    return deadline != std::chrono::steady_clock::time_point::max() && std::chrono::steady_clock::now() >= deadline;
  }
};

}  // namespace isolde
