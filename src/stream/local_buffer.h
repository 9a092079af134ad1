// stream/local_buffer.h: the pipeline's first level: what one producer gave and the consumer has not fetched yet.
//
// In, out: batches and promises from the producer's thread -> one batch at a time to the consumer's.
// Always:  bounded: who gives more than there is room for is refused, or waits; an empty buffer takes one batch of any
//          size, so that nobody waits for a room that cannot come.
// Cost:    a lock a batch.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "history/fingerprint.h"

namespace isolde::stream {

// An item without a time (kNoTime) follows the one before it.
template <typename Item>
struct Timed {
  std::int64_t time;
  Item item;
};

template <typename Item>
struct Batch {
  std::vector<Timed<Item>> items;
  std::int64_t arrived = 0;  // on the clock of arrivals
};

// A promise to give nothing more, but it may be broken.
inline constexpr std::int64_t kEver = std::numeric_limits<std::int64_t>::max();

enum class Pushed : std::uint8_t { kTaken, kFull };

// Where producers that the consumer does not look at tell that there is something to look at. Shared by all buffers.
template <typename Item>
class LocalBuffer;
template <typename Item>
struct Inbox {
  std::mutex mutex;
  std::vector<std::shared_ptr<LocalBuffer<Item>>> arrived;  // guarded by mutex
  std::atomic<bool> any{false};
  std::atomic<std::size_t> items{0};  // in all buffers, and fetched but not delivered

  void put(std::shared_ptr<LocalBuffer<Item>> buffer) {
    const std::lock_guard lock(mutex);
    arrived.push_back(std::move(buffer));
    any.store(true, std::memory_order_release);
  }
  [[nodiscard]] std::vector<std::shared_ptr<LocalBuffer<Item>>> take() {
    const std::lock_guard lock(mutex);
    any.store(false, std::memory_order_relaxed);
    return std::exchange(arrived, {});
  }
};

template <typename Item>
class LocalBuffer : public std::enable_shared_from_this<LocalBuffer<Item>> {
 public:
  LocalBuffer(Fingerprint fingerprint, Inbox<Item>& inbox, std::size_t max_items, std::size_t max_total)
      : fingerprint_(fingerprint), inbox_(inbox), max_items_(max_items), max_total_(max_total) {}

  // ---- the producer's side --------------------------------------------------------------------------------------
  // `batch` is left empty if it was taken, and as it was if not.
  [[nodiscard]] Pushed push(std::vector<Timed<Item>>& batch, std::int64_t now, bool wait) {
    if (batch.empty()) return Pushed::kTaken;
    std::int64_t latest = kNoTime;
    for (const Timed<Item>& timed : batch) latest = std::max(latest, timed.time);
    std::unique_lock lock(mutex_);
    if (!has_room(batch.size())) {
      if (!wait) return Pushed::kFull;
      room_.wait(lock, [&] { return has_room(batch.size()); });
    }
    items_ += batch.size();
    inbox_.items.fetch_add(batch.size(), std::memory_order_relaxed);
    heard_now(now);
    batches_.push_back({std::exchange(batch, {}), now});
    promise_ = std::max(promise_, latest);
    untimed_ = batches_.back().items.back().time == kNoTime;
    closed_ = false;  // a producer that ended may come back
    show();
    return Pushed::kTaken;
  }
  void heartbeat(std::int64_t time, std::int64_t now) {
    const std::lock_guard lock(mutex_);
    heard_now(now);
    promise_ = std::max(promise_, time);
    untimed_ = false;
    closed_ = false;
    show();
  }
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    show();
  }

  // ---- the consumer's side --------------------------------------------------------------------------------------
  enum class Has : std::uint8_t { kBatch, kNothing, kEnd };
  struct Look {
    Has has;
    std::int64_t promise;
    std::int64_t heard;
    std::uint64_t number;
  };
  // Moves the next batch into `into`, if there is one. kEnd: there is none and none will come.
  [[nodiscard]] Look fetch(Batch<Item>& into) {
    const std::lock_guard lock(mutex_);
    watched_ = true;
    Look look{Has::kNothing, untimed_ ? kEver : promise_, heard_, number_};
    if (first_ < batches_.size()) {
      into = std::move(batches_[first_++]);
      if (first_ * 2 >= batches_.size()) {
        batches_.erase(batches_.begin(), batches_.begin() + static_cast<std::ptrdiff_t>(first_));
        first_ = 0;
      }
      items_ -= into.items.size();
      room_.notify_one();
      look.has = Has::kBatch;
    } else if (closed_) {
      look.has = Has::kEnd;
      watched_ = false;
    }
    return look;
  }
  // The consumer stops looking at it: whatever comes next goes to the inbox. False, and nothing is done, if something
  // came since it was looked at.
  [[nodiscard]] bool leave(const Look& seen) {
    const std::lock_guard lock(mutex_);
    if (number_ != seen.number || closed_ || items_ != 0) return false;
    watched_ = false;
    return true;
  }
  // What a restart needs to know: the least time that it may still give, pending items included, and whether it ended.
  struct Pending {
    std::int64_t least;
    bool closed, drained;
  };
  [[nodiscard]] Pending pending() const {
    const std::lock_guard lock(mutex_);
    const bool none = items_ == 0;
    return {none ? promise_ : std::min(promise_, batches_[first_].items.front().time), closed_,
            none && closed_ && !watched_};
  }
  // After a restart: what was promised, and no sign of life.
  void restore(std::int64_t promise) {
    const std::lock_guard lock(mutex_);
    promise_ = promise;
  }
  // Its silence counts from `now` on.
  void touch(std::int64_t now) {
    const std::lock_guard lock(mutex_);
    heard_ = std::max(heard_, now);
  }
  [[nodiscard]] Fingerprint print() const { return fingerprint_; }

 private:
  [[nodiscard]] bool has_room(std::size_t more) const {
    return items_ == 0 ||
           (items_ + more <= max_items_ && inbox_.items.load(std::memory_order_relaxed) + more <= max_total_);
  }
  void heard_now(std::int64_t now) {
    heard_ = std::max(heard_, now);
    ++number_;
  }
  void show() {
    if (watched_) return;
    watched_ = true;  // in the inbox: it will be looked at
    inbox_.put(this->shared_from_this());
  }

  const Fingerprint fingerprint_;
  Inbox<Item>& inbox_;
  const std::size_t max_items_, max_total_;
  mutable std::mutex mutex_;  // guards all below
  std::condition_variable room_;
  std::vector<Batch<Item>> batches_;  // from first_ on
  std::size_t first_ = 0;
  std::size_t items_ = 0;
  std::int64_t promise_ = kNoTime;
  std::int64_t heard_ = kNoTime;
  std::uint64_t number_ = 0;  // of what came
  bool untimed_ = false;      // what it gave last had no time: nobody can wait for its next
  bool closed_ = false;
  bool watched_ = false;
};

}  // namespace isolde::stream
