// stream/feed.h: in which order an online engine gets what arrived.
//
// In, out: chunks as they arrive -> transactions, each once.
// Always:  session order is kept within a session.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/state_file.h"
#include "check/online.h"
#include "history/chunk.h"

namespace isolde::stream {

class Feed {
 public:
  using Take = std::function<void(const Arrival&)>;

  virtual ~Feed() = default;
  virtual void add(const std::shared_ptr<const Chunk>& chunk, std::int64_t now) = 0;
  // This session's sender has left: nothing more comes of it.
  virtual void gone(Print session, std::int64_t now) = 0;
  // Hands on what may go by now.
  virtual void deliver(std::int64_t now, const Take& take) = 0;
  // Nothing more comes: hands on everything.
  virtual void deliver_all(std::int64_t now, const Take& take) = 0;
  [[nodiscard]] virtual StreamTime time(std::int64_t now) const = 0;

  struct Held {
    std::uint64_t transactions = 0, bytes = 0;
    std::vector<Print> missing;  // sessions that are waited for no longer
  };
  [[nodiscard]] virtual Held held() const = 0;

  virtual void save(StateWriter& out) const = 0;
  [[nodiscard]] virtual bool load(StateReader& in) = 0;
};

// As they come.
[[nodiscard]] std::unique_ptr<Feed> feed_as_it_comes();

}  // namespace isolde::stream
