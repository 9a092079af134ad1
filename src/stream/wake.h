// stream/wake.h: how a thread that waits for files and sockets is told to look up: stop() from another thread.
#pragma once

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>

namespace isolde::stream {

class Wake {
 public:
  Wake() : fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  Wake(const Wake&) = delete;
  Wake& operator=(const Wake&) = delete;
  ~Wake() {
    if (fd_ >= 0) ::close(fd_);
  }

  void stop() {
    stopped_.store(true);
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(fd_, &one, sizeof one);  // whoever polls it sees it from now on
  }
  [[nodiscard]] bool stopped() const { return stopped_.load(); }
  [[nodiscard]] int fd() const { return fd_; }

  // Waits until stop() is called or the time is over.
  void wait(std::chrono::milliseconds time) const {
    pollfd wake{fd_, POLLIN, 0};
    ::poll(&wake, 1, poll_time(time));
  }

  static int poll_time(std::chrono::milliseconds time) {
    return static_cast<int>(
        std::clamp<std::chrono::milliseconds::rep>(time.count(), 0, std::numeric_limits<int>::max()));
  }

 private:
  int fd_;
  std::atomic<bool> stopped_ = false;
};

}  // namespace isolde::stream
