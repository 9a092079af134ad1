#include "batch/local_ranks.h"

#include <condition_variable>
#include <mutex>
#include <thread>

namespace isolde::batch {
namespace {

// Where the ranks of a group meet.
class MeetingPoint {
 public:
  explicit MeetingPoint(unsigned size) : boxes_(size, std::vector<std::string>(size)), size_(size) {}

  std::vector<std::string> exchange(unsigned rank, std::vector<std::string> out) {
    for (unsigned to = 0; to < size_; ++to) boxes_[to][rank] = std::move(out[to]);
    wait();
    std::vector<std::string> in = std::move(boxes_[rank]);
    boxes_[rank].assign(size_, {});
    wait();
    return in;
  }

 private:
  void wait() {
    std::unique_lock lock(mutex_);
    const std::uint64_t round = round_;
    if (++arrived_ == size_) {
      arrived_ = 0;
      ++round_;
      all_here_.notify_all();
    } else {
      all_here_.wait(lock, [&] { return round_ != round; });
    }
  }

  // By receiver, then sender. Each slot is touched by one rank between two waits.
  std::vector<std::vector<std::string>> boxes_;
  const unsigned size_;
  std::mutex mutex_;
  std::condition_variable all_here_;
  unsigned arrived_ = 0;
  std::uint64_t round_ = 0;
};

class LocalRank final : public Ranks {
 public:
  LocalRank(MeetingPoint& point, unsigned size, unsigned rank) : point_(point), size_(size), rank_(rank) {}
  [[nodiscard]] unsigned size() const override { return size_; }
  [[nodiscard]] unsigned rank() const override { return rank_; }

 protected:
  std::vector<std::string> exchange_bytes(std::vector<std::string> out, std::uint64_t& rounds) override {
    ++rounds;
    return point_.exchange(rank_, std::move(out));
  }

 private:
  MeetingPoint& point_;
  const unsigned size_, rank_;
};

}  // namespace

void run_local_ranks(unsigned size, const std::function<void(Ranks&)>& work) {
  MeetingPoint point(size);
  const auto run = [&](unsigned rank) {
    LocalRank ranks(point, size, rank);
    work(ranks);
  };
  std::vector<std::thread> threads;
  for (unsigned rank = 1; rank < size; ++rank) threads.emplace_back(run, rank);
  run(0);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace isolde::batch
