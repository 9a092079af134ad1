// stream/feed.h: in which order an online engine gets what arrived.
//
// In, out: chunks as they arrive -> transactions, each once.
// Always:  what a chunk says is repeated is left out. Session order is kept within a session. What waits to be
// delivered is not saved: a restart repeats the input
//          from piece oldest_needed() on, and what of that had been delivered is left out.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/state_file.h"
#include "check/online.h"
#include "history/chunk.h"

namespace isolde::stream {

class Feed {
 public:
  using Take = std::function<void(const Arrival&)>;

  virtual ~Feed() = default;
  // Times are those of watching (stream/arrival_clock.h). `came`: the chunk had arrived by then. `now`, here and below:
  // everything that had arrived by then was added; what has to wait for a moment waits until that is behind it.
  virtual void add(const std::shared_ptr<const Chunk>& chunk, std::int64_t now, std::int64_t came) = 0;
  // This session's sender has left: nothing more comes of it.
  virtual void gone(Fingerprint session, std::int64_t now) = 0;
  // Hands on what may go by now, about `most` of it; returns how many. Fewer than `most`: that was all.
  virtual std::size_t deliver(std::int64_t now, const Take& take, std::size_t most) = 0;
  // Nothing more comes: everything may go.
  virtual void close() = 0;
  [[nodiscard]] virtual StreamTime time(std::int64_t now) = 0;

  struct Held {
    std::uint64_t transactions = 0, bytes = 0;
  };
  [[nodiscard]] virtual Held held() const = 0;
  // Sessions that are waited for no longer, as JSON; the first few.
  [[nodiscard]] virtual std::vector<std::string> missing() const { return {}; }
  // Whether what was delivered is judged only when sessions go on.
  [[nodiscard]] virtual bool waits_for_sessions() const { return false; }
  // What a person should know, since it was last asked.
  [[nodiscard]] virtual std::vector<std::string> notices() { return {}; }

  // Pieces are the calls of add(), counted on over restarts.
  [[nodiscard]] virtual std::uint64_t pieces() const = 0;
  [[nodiscard]] virtual std::uint64_t oldest_needed() const = 0;

  virtual void save(StateWriter& out) const = 0;
  [[nodiscard]] virtual bool load(StateReader& in) = 0;
};

// As they come.
[[nodiscard]] std::unique_ptr<Feed> feed_as_it_comes();

struct OrderOptions {
  std::int64_t silence = 0;      // nanoseconds that a session is waited for; 0: for ever
  std::int64_t hold = 0;         // nanoseconds that a transaction is kept, in case that a session appears that is new
  bool whole = false;            // nothing goes out before all is there, or what waits is too much
  std::size_t max_bytes = 0;     // of chunks that wait
  std::size_t max_sessions = 0;  // known at once
};
// In order of begin, as far as that can be known (stream/sequencer.h).
[[nodiscard]] std::unique_ptr<Feed> feed_in_order(const OrderOptions& options);

}  // namespace isolde::stream
