// stream/piece_queue.h: an input on a thread of its own, and a short queue between it and the checker.
//
// In, out: an Input -> what it gave, in order, each with the moment at which it came; and, while nothing comes, how far
//          the input's time of watching has gone on.
// Always:  holds a few pieces; when the checker is behind, the input is not asked for more, and so whoever sends has
//          to wait. The input is used by its own thread alone; only stop() is called from outside.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "stream/input.h"

namespace isolde::stream {

class PieceQueue {
 public:
  struct Item {
    Input::Next next;
    std::optional<Error> error;  // the stream ended with it
    std::int64_t came = 0;       // by `clock`
  };

  // `input` and `clock` outlive it; `clock` is called from both threads.
  PieceQueue(Input& input, std::function<std::int64_t()> clock);
  PieceQueue(const PieceQueue&) = delete;
  PieceQueue& operator=(const PieceQueue&) = delete;
  ~PieceQueue();  // stops the input and waits for it

  // Nothing: nothing came in time. After an item that is over or an error nothing more comes.
  [[nodiscard]] std::optional<Item> take(std::chrono::milliseconds wait);
  void stop() { input_.stop(); }
  void covered(std::string position);
  [[nodiscard]] InputCounts counts() const;

 private:
  void run();
  [[nodiscard]] bool push(Item item);

  Input& input_;
  const std::function<std::int64_t()> clock_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> items_;
  std::size_t bytes_ = 0;
  bool closed_ = false;
  std::optional<std::string> covered_;
  InputCounts counts_;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace isolde::stream
