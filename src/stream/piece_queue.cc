#include "stream/piece_queue.h"

#include <algorithm>
#include <utility>

namespace isolde::stream {
namespace {

constexpr std::size_t kMostItems = 16;
constexpr std::size_t kMostBytes = std::size_t{32} << 20;
constexpr std::chrono::milliseconds kWait{50};

std::size_t bytes_of(const PieceQueue::Item& item) { return item.next.piece ? item.next.piece->chunk->bytes() : 0; }

bool has_no_news(const Input::Next& next) {
  return !next.piece && next.notices.empty() && next.gone.empty() && !next.over;
}

bool is_tick(const PieceQueue::Item& item) { return !item.error && has_no_news(item.next); }

}  // namespace

PieceQueue::PieceQueue(Input& input, std::function<std::int64_t()> clock)
    : input_(input), clock_(std::move(clock)), thread_([this] { run(); }) {}

PieceQueue::~PieceQueue() {
  input_.stop();
  {
    const std::scoped_lock lock(mutex_);
    closed_ = true;
  }
  changed_.notify_all();
  thread_.join();
  if (covered_) input_.covered(*covered_);
}

void PieceQueue::run() {
  std::chrono::nanoseconds drained{0};
  while (true) {
    std::optional<std::string> covered;
    {
      const std::scoped_lock lock(mutex_);
      if (closed_) return;
      covered = std::exchange(covered_, std::nullopt);
    }
    if (covered) input_.covered(*covered);
    auto next = input_.next(kWait);
    Item item;
    item.came = clock_();
    const bool last = !next || next->over;
    if (next) {
      item.next = *std::move(next);
    } else {
      item.error = std::move(next).error();
    }
    {
      const std::scoped_lock lock(mutex_);
      counts_ = input_.counts();
    }
    if (!item.error && has_no_news(item.next) && item.next.drained <= drained) continue;
    drained = std::max(drained, item.next.drained);
    if (!push(std::move(item)) || last) return;
  }
}

bool PieceQueue::push(Item item) {
  const std::size_t size = bytes_of(item);
  std::unique_lock lock(mutex_);
  // What only tells the time takes the place of another one that does.
  if (!items_.empty() && !closed_ && is_tick(items_.back()) && is_tick(item)) {
    items_.back() = std::move(item);
    return true;
  }
  changed_.wait(
      lock, [&] { return closed_ || items_.empty() || (items_.size() < kMostItems && bytes_ + size <= kMostBytes); });
  if (closed_) return false;
  bytes_ += size;
  items_.push_back(std::move(item));
  lock.unlock();
  changed_.notify_all();
  return true;
}

std::optional<PieceQueue::Item> PieceQueue::take(std::chrono::milliseconds wait) {
  std::unique_lock lock(mutex_);
  if (!changed_.wait_for(lock, wait, [&] { return !items_.empty(); })) return std::nullopt;
  Item item = std::move(items_.front());
  items_.pop_front();
  bytes_ -= bytes_of(item);
  lock.unlock();
  changed_.notify_all();
  return item;
}

void PieceQueue::covered(std::string position) {
  const std::scoped_lock lock(mutex_);
  covered_ = std::move(position);
}

InputCounts PieceQueue::counts() const {
  const std::scoped_lock lock(mutex_);
  return counts_;
}

}  // namespace isolde::stream
