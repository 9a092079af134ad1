// stream/sequencer.h: the chunks of a stream -> its transactions in order of begin, as far as that can be known.
//
// In, out: chunks as they arrive, each with transactions and heartbeats of many sessions -> Arrivals in order of
//          (begin, session), those of one session in its order; what comes out of order has `late` set.
// Always:  every transaction is delivered once. A session holds the others back from its first transaction or heartbeat
//          on, until it has been silent for a stated time or is gone; one that was never heard of holds nobody back, so
//          a client does well to send a heartbeat before its first transaction. A transaction without `begin` is
//          delivered in its session's order, as if it began when it came to its turn. Held memory stays near the limit:
//          beyond it sessions are given up early (stream/pipeline.h says which), and told.
//          Restart: save() does not store pending transactions but which of those from oldest_needed() on were
//          delivered. The position of a checkpoint is the one right before piece oldest_needed(); what the input
//          repeats from there is added again, and what had been delivered is skipped, however it is cut into pieces.
// Cost:    linear in transactions, and a heap of sessions. One thread.
// Source:  Leopard (section IV-C).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/state_file.h"
#include "check/online.h"
#include "history/chunk.h"
#include "stream/pipeline.h"

namespace isolde::stream {

struct SequencerOptions {
  std::int64_t silence = 10'000'000'000;  // nanoseconds of arrival that a session is waited for; 0: for ever
  std::int64_t hold = 0;                  // nanoseconds that a transaction is kept, in case that a new session appears
  std::size_t max_bytes = std::size_t{256} << 20;  // of chunks that hold a pending transaction
  std::size_t max_sessions = 1 << 16;              // known at once; beyond it the longest silent are forgotten
};

struct SequencerCounts {
  std::uint64_t added = 0, delivered = 0, late = 0;
  std::uint64_t skipped = 0;               // delivered before a restart
  std::uint64_t silent = 0, for_room = 0;  // sessions given up: their time was over; memory was short
  std::uint64_t returned = 0;              // sessions that were missing and have caught up
  std::uint64_t forgotten = 0;             // sessions, for lack of room: the stream is never complete again
};

class Sequencer {
 public:
  explicit Sequencer(const SequencerOptions& options = {});

  // `now`: of arrival, nanoseconds on a clock that only goes forward; here and below.
  void add(const std::shared_ptr<const Chunk>& chunk, std::int64_t now);
  // The session's sender has left for good: it holds nobody back.
  void gone(Print session);
  void advance(std::int64_t now);
  // Calls take(const Arrival&) for all that may go out; returns how many.
  template <typename Take>
  std::size_t dispatch(Take&& take);
  // Nothing more comes: the next dispatch() delivers all that is held.
  void close_all();

  // For OnlineEngine::advance. What comes behind the watermark given here is late.
  [[nodiscard]] StreamTime time(std::int64_t now);
  // Sessions that are no longer waited for, or are behind: as JSON, in order; at most `max`.
  [[nodiscard]] std::vector<std::string> missing(std::size_t max = 16) const;
  // What a person should know, since it was last asked: "session 7 was silent for 10 s: …".
  [[nodiscard]] std::vector<std::string> notices();

  struct Held {
    std::size_t transactions, bytes;
  };
  [[nodiscard]] Held held() const;
  [[nodiscard]] SequencerCounts counts() const;

  // Pieces are the calls of add(), from 0. Everything before piece oldest_needed() was delivered.
  [[nodiscard]] std::uint64_t pieces() const;
  [[nodiscard]] std::uint64_t oldest_needed() const;
  // Counts of pieces go on after load(). `repeated`: the input begins with piece oldest_needed() again; if it goes on
  // with new ones instead, what was pending is lost (and held() said so). False: no such state.
  void save(StateWriter& out) const;
  [[nodiscard]] bool load(StateReader& in, bool repeated = true);
};

}  // namespace isolde::stream
