// base/team.h: the same work for each of a few threads, round by round.
//
// In, out: a job for the numbers 0 to N-1 -> it has been done for all of them; number 0 on the caller's own thread.
// Always:  what was written before run() is seen by all of its jobs, and what jobs wrote by whoever called run().
// Cost:    two hand-overs per round, some microseconds: rounds should take longer than that. Nobody spins.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace isolde {

class Team {
 public:
  // `others`: threads beside the caller's.
  explicit Team(std::size_t others) {
    for (std::size_t i = 0; i < others; ++i) threads_.emplace_back([this, i] { work(i + 1); });
  }
  ~Team() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    begin_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  [[nodiscard]] std::size_t size() const { return threads_.size() + 1; }

  void run(const std::function<void(std::size_t)>& job) {
    {
      const std::lock_guard lock(mutex_);
      job_ = &job;
      ++round_;
      left_ = threads_.size();
    }
    begin_.notify_all();
    job(0);
    std::unique_lock lock(mutex_);
    end_.wait(lock, [this] { return left_ == 0; });
  }

 private:
  void work(std::size_t index) {
    std::uint64_t done = 0;
    std::unique_lock lock(mutex_);
    for (;;) {
      begin_.wait(lock, [&] { return over_ || round_ != done; });
      if (over_) return;
      done = round_;
      const std::function<void(std::size_t)>& job = *job_;
      lock.unlock();
      job(index);
      lock.lock();
      if (--left_ == 0) end_.notify_one();
    }
  }

  std::mutex mutex_;
  std::condition_variable begin_, end_;
  const std::function<void(std::size_t)>* job_ = nullptr;
  std::uint64_t round_ = 0;
  std::size_t left_ = 0;
  bool over_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace isolde
