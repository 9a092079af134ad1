// stream/pace.h: how fast a stream comes and is judged, and how far the one is behind the other.
//
// In, out: how many transactions had come and been judged at which moment -> rates of the last seconds, and the lag.
// Always:  bounded: arrivals within a tenth of a second are one.
#pragma once

#include <cstdint>
#include <deque>

namespace isolde::stream {

class Pace {
 public:
  // So many have come in all; nanoseconds.
  void came(std::int64_t now, std::uint64_t arrived);
  // So many are judged for good. `idle`: the others wait for what is to come, and nothing comes.
  void judged(std::int64_t now, std::uint64_t checked, bool idle = false);

  [[nodiscard]] double in_per_second() const { return in_; }
  [[nodiscard]] double checked_per_second() const { return out_; }
  // Seconds that the oldest transaction that is not judged for good has waited since it came, or, of an idle stream,
  // had waited when the last one came.
  [[nodiscard]] double lag() const { return lag_; }
  [[nodiscard]] double most_lag() const { return most_lag_; }

 private:
  struct Mark {
    std::int64_t time;
    std::uint64_t count;  // had come by then
  };
  struct Sample {
    std::int64_t time;
    std::uint64_t arrived, checked;
  };
  std::deque<Mark> waiting_;
  std::deque<Sample> samples_;
  std::uint64_t arrived_ = 0;
  std::int64_t last_came_ = 0;
  double in_ = 0, out_ = 0, lag_ = 0, most_lag_ = 0;
};

}  // namespace isolde::stream
