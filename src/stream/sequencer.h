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
#include <utility>
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
  std::uint64_t skipped = 0;               // delivered before a restart, or repeated
  std::uint64_t silent = 0, for_room = 0;  // sessions given up: their time was over; memory was short
  std::uint64_t returned = 0;              // sessions that were missing and have caught up
  std::uint64_t forgotten = 0;             // sessions, for lack of room: the stream is never complete again
};

class Sequencer {
 public:
  explicit Sequencer(const SequencerOptions& options = {});

  // `now`, here and below: nanoseconds on a clock that only goes forward; everything that had arrived by then was
  // added. `came`: the chunk had arrived by then, which may be later.
  void add(const std::shared_ptr<const Chunk>& chunk, std::int64_t now, std::int64_t came);
  void add(const std::shared_ptr<const Chunk>& chunk, std::int64_t now) { add(chunk, now, now); }
  // The session's sender has left for good: it holds nobody back.
  void gone(Fingerprint session);
  void advance(std::int64_t now);
  // Calls take(const Arrival&) for all that may go out, at most `max` of them; returns how many.
  template <typename Take>
  std::size_t dispatch(Take&& take, std::size_t max = SIZE_MAX) {
    const std::size_t given = pipeline_.dispatch(
        [&](const Pending& pending, bool late) {
          if (arrival_.chunk != pending.piece->chunk) arrival_.chunk = pending.piece->chunk;
          arrival_.txn = pending.txn;
          arrival_.late = late;
          take(std::as_const(arrival_));
          delivered(pending);
        },
        [this] { return pressed(); }, max);
    arrival_.chunk.reset();
    drop_ended();
    return given;
  }
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
  [[nodiscard]] Held held() const { return {pipeline_.held(), bytes_}; }
  [[nodiscard]] SequencerCounts counts() const;

  // Pieces are the calls of add(), from 0. Everything before piece oldest_needed() was delivered.
  [[nodiscard]] std::uint64_t pieces() const { return first_piece_ + pieces_.size(); }
  [[nodiscard]] std::uint64_t oldest_needed() const { return first_piece_; }
  // Counts of pieces go on after load(). `repeated`: the input begins with piece oldest_needed() again; if it goes on
  // with new ones instead, what was pending is lost (and held() said so). False: no such state.
  void save(StateWriter& out) const;
  [[nodiscard]] bool load(StateReader& in, bool repeated = true);

 private:
  struct Piece {
    std::shared_ptr<const Chunk> chunk;  // while a transaction of it is pending
    std::size_t bytes = 0;
    std::uint32_t transactions = 0, pending = 0;
    std::vector<bool> delivered;  // while some are pending
  };
  struct Pending {
    Piece* piece;
    TxnId txn;
  };
  struct Session {
    Pipeline<Pending>::Producer producer;
    std::string name;  // as JSON; empty if only a heartbeat told of it
    std::int64_t heard = 0;
    bool leaving = false;
  };

  [[nodiscard]] Session& session(Fingerprint fingerprint, std::int64_t now);
  [[nodiscard]] std::string name_of(Fingerprint fingerprint) const;
  [[nodiscard]] bool pressed() const;
  void delivered(const Pending& pending);
  void drop_ended();
  void forget_silent();
  void end_of_repeat();
  [[nodiscard]] std::vector<std::uint8_t> delivered_marks() const;

  SequencerOptions options_;
  Pipeline<Pending> pipeline_;
  std::unordered_map<std::uint64_t, Session> sessions_;  // by fingerprint
  std::vector<Fingerprint> leaving_;                     // gone, and perhaps not yet all delivered
  std::deque<Piece> pieces_;                             // from the oldest with something pending on
  std::uint64_t first_piece_ = 0;
  std::size_t bytes_ = 0;
  bool closed_ = false;
  bool restored_ = false;  // and no time is known yet
  Arrival arrival_;
  std::vector<std::vector<Timed<Pending>>> batches_;  // of the chunk at hand, one a session
  std::vector<std::uint32_t> batch_sizes_;
  // After a restart: what is given again, in order, and whether it had been delivered.
  std::vector<std::uint8_t> repeated_;
  std::size_t repeated_at_ = 0;
  std::vector<Fingerprint> leave_after_repeat_;
  SequencerCounts counts_;  // what the pipeline does not count, and all that was counted before a restart
};

}  // namespace isolde::stream
