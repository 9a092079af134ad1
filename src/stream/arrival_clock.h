// stream/arrival_clock.h: how far a stream's time has gone on, counted in what was read.
//
// A deadline gives a sender so much time. It must not run while the reader is the slow one: while bytes lie unread
// since the process got no processor, or while a sender cannot write since its pipe is full. So the time of watching is
// the time in which nothing waited to be read. From the last read until a look finds nothing, nothing came, and whoever
// sends was free to; from that look on until something is found likewise, unless so much is found then that the sender
// may have been held up. All other time does not count: it can only make the watcher more patient.
//
// In, out: looks at the input, and reads from it -> two times of watching: by when what is read now had arrived, and up
//          to when everything that had arrived has been read.
// Always:  what is sent within D of something is read before drained() is D after the came() of that.
#pragma once

#include <chrono>
#include <optional>

namespace isolde::stream {

class ArrivalClock {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Duration = std::chrono::nanoseconds;

  // A look at `now` found nothing to be read, and all that was read has been given.
  void found_nothing(Time now) {
    if (empty_since_) {
      free_ += now - *empty_since_;
    } else if (last_read_) {
      free_ += now - *last_read_;
    }
    empty_since_ = now;
    drained_ = free_;
  }
  // A look found something. `much`: so much that whoever sends may have had to wait.
  void found_something(Time now, bool much) {
    if (empty_since_ && !much) free_ += now - *empty_since_;
    empty_since_.reset();
    last_read_.reset();
  }
  void has_read(Time now) { last_read_ = now; }

  // What was read had arrived by then.
  [[nodiscard]] Duration came() const { return free_; }
  // All that had arrived by then was read.
  [[nodiscard]] Duration drained() const { return drained_; }

 private:
  Duration free_{0}, drained_{0};
  std::optional<Time> empty_since_, last_read_;
};

}  // namespace isolde::stream
