// base/limits.h: how much work and time a run may use, and how it reports progress.
//
// Always:  work is counted, not timed. A deadline is set only by an option that names a time; without one, a run stops
//          at the same point on every machine, however slow or busy it is.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace isolde {

// Receives the progress of long work. The library never prints; src/cli shows the progress on a terminal.
class Progress {
 public:
  virtual ~Progress() = default;
  // `done` of `total` (0: not known) in the named stage. Called rarely, from the thread that does the work.
  virtual void advance(std::string_view stage, std::uint64_t done, std::uint64_t total) = 0;
};

// Work, counted in steps. A step is one operation, edge, version or the like being examined: about 10 ns on a machine
// of 2025. The code that does the work spends what it did, or is about to do, in portions that depend only on the
// input, so a budget runs out at the same point on every machine. Only one thread spends: work that is shared by
// several threads is spent before it is handed out.
class WorkBudget {
 public:
  static constexpr std::uint64_t kUnlimited = UINT64_MAX;

  WorkBudget() = default;
  // `subject`, `advice`: what the budget is for, and what a user can do when it runs out, for reason(); literals.
  // `outer`: a budget that this one is part of. It is spent too, and when it runs out, so does this one.
  explicit WorkBudget(std::uint64_t most, std::string_view subject = "the check", std::string_view advice = {},
                      WorkBudget* outer = nullptr)
      : most_(most), subject_(subject), advice_(advice), outer_(outer) {}

  void spend(std::uint64_t steps) {
    spent_ += steps;
    if (outer_ != nullptr) outer_->spend(steps);
  }
  [[nodiscard]] std::uint64_t spent() const { return spent_; }
  [[nodiscard]] bool ran_out() const { return spent_ >= most_ || (outer_ != nullptr && outer_->ran_out()); }
  // Requires: ran_out().
  [[nodiscard]] std::string reason() const {
    if (spent_ < most_) return outer_->reason();
    std::string text = std::string(subject_) + " reached its limit of " + std::to_string(most_) + " steps";
    if (!advice_.empty()) text += " (" + std::string(advice_) + ")";
    return text;
  }

 private:
  std::uint64_t most_ = kUnlimited, spent_ = 0;
  std::string_view subject_, advice_;
  WorkBudget* outer_ = nullptr;
};

struct Limits {
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  unsigned threads = 1;
  std::size_t max_anomalies = SIZE_MAX;  // how many are kept with details; all are counted
  Progress* progress = nullptr;
  WorkBudget* work = nullptr;                    // null: work is not counted
  const std::atomic<bool>* cancelled = nullptr;  // set, by any thread: the run ends soon, undecided

  [[nodiscard]] bool has_deadline() const { return deadline != std::chrono::steady_clock::time_point::max(); }
  [[nodiscard]] bool out_of_time() const { return has_deadline() && std::chrono::steady_clock::now() >= deadline; }

  void spend(std::uint64_t steps) const {
    if (work != nullptr) work->spend(steps);
  }
  [[nodiscard]] bool out_of_work() const { return work != nullptr && work->ran_out(); }
  [[nodiscard]] bool is_cancelled() const { return cancelled != nullptr && cancelled->load(std::memory_order_relaxed); }
  // Whether work or time ran out, or somebody cancelled the run: the one question that all engines ask.
  [[nodiscard]] bool exhausted() const { return out_of_work() || is_cancelled() || out_of_time(); }
  // Which of them, in words. Requires: exhausted().
  [[nodiscard]] std::string exhausted_by() const {
    if (is_cancelled()) return "it was cancelled";
    return out_of_work() ? work->reason() : "the time limit ran out";
  }
};

}  // namespace isolde
