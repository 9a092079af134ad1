#include "stream/pace.h"

#include <algorithm>

namespace isolde::stream {
namespace {

constexpr std::int64_t kTogether = 100'000'000;
constexpr std::int64_t kLately = 2'000'000'000;
constexpr double kNanosecondsPerSecond = 1e9;

}  // namespace

void Pace::came(std::int64_t now, std::uint64_t arrived) {
  if (arrived == arrived_) return;
  arrived_ = arrived;
  last_came_ = now;
  if (!waiting_.empty() && now - waiting_.back().time < kTogether) {
    waiting_.back().count = arrived;
  } else {
    waiting_.push_back({now, arrived});
  }
}

void Pace::judged(std::int64_t now, std::uint64_t checked, bool idle) {
  while (!waiting_.empty() && waiting_.front().count <= checked) waiting_.pop_front();
  const std::int64_t until = idle ? last_came_ : now;
  lag_ = waiting_.empty() ? 0 : static_cast<double>(until - waiting_.front().time) / kNanosecondsPerSecond;
  most_lag_ = std::max(most_lag_, lag_);

  samples_.push_back({now, arrived_, checked});
  while (samples_.size() > 2 && now - samples_[1].time >= kLately) samples_.pop_front();
  const Sample& first = samples_.front();
  if (now <= first.time) return;
  const double seconds = static_cast<double>(now - first.time) / kNanosecondsPerSecond;
  in_ = static_cast<double>(arrived_ - first.arrived) / seconds;
  out_ = static_cast<double>(checked - first.checked) / seconds;
}

}  // namespace isolde::stream
