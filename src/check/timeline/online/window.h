// check/timeline/online/window.h: the transactions that are held: those that may still be judged or looked at.
//
// In, out: arrivals -> a record each, by their number in the order of arrival, until they are released in that order.
// Always:  a chunk is held as long as one of its transactions is; a key or session of a chunk is looked up once.
// Cost:    64 bytes a transaction beside its chunk; no allocation as long as the window does not grow.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "check/timeline/online/key_index.h"
#include "history/chunk.h"

namespace isolde::timeline {

enum TxnFlag : std::uint16_t {
  kAborted = 1,
  kUnknownOutcome = 2,
  kOpenPlace = 4,        // it has no sure place: judged by the replay of the window
  kFlipped = 8,          // a read of it changed its verdict
  kNoSnapshot = 16,      // its reads are not looked at
  kHasStart = 32,        // it has a start_ts, so that it may overlap with others
  kChained = 64,         // it is in TimeChains
  kPredicates = 128,     // it asks for all rows that match
  kCountedOpen = 256,    // kOpenPlace, and not settled yet
  kDeferred = 512,       // its deadline came while a key of it was open
  kAdopted = 1024,       // its place was found by who saw it
  kReadsStaged = 2048,   // its reads are to be put into the index, …
  kWritesStaged = 4096,  // … its writes are
  kAsked = 8192,         // its predicates were judged, or counted
};

struct TxnRecord {
  Fingerprint id;
  std::int64_t start, commit;  // where it reads and where it writes
  std::int64_t arrived;        // by then: StreamTime::came
  std::uint32_t chunk;
  TxnId txn;
  std::uint32_t same_time;  // the transaction before it in its chain (TimeChains)
  std::uint16_t flags;
  std::uint16_t wrong;  // reads that do not show their state
  std::uint8_t read_order, write_order;
};

class Window {
 public:
  // The chunk of a held transaction, with what is remembered of it.
  struct Held {
    std::shared_ptr<const Chunk> chunk;
    std::vector<std::uint32_t> key;      // KeyId -> number in the KeyIndex, or kNone32
    std::vector<std::uint32_t> session;  // likewise
    std::uint32_t unresolved = 0;        // of `key`, about
    std::uint32_t users = 0;
    std::size_t bytes = 0;
  };

  [[nodiscard]] std::uint32_t first() const { return first_; }
  [[nodiscard]] std::uint32_t next() const { return next_; }
  [[nodiscard]] std::size_t size() const { return next_ - first_; }
  [[nodiscard]] bool holds(std::uint32_t txn) const { return txn - first_ < next_ - first_; }
  [[nodiscard]] TxnRecord& at(std::uint32_t txn) { return records_[txn & (records_.size() - 1)]; }
  [[nodiscard]] const TxnRecord& at(std::uint32_t txn) const { return records_[txn & (records_.size() - 1)]; }
  [[nodiscard]] Held& held(const TxnRecord& r) { return chunks_[r.chunk - first_chunk_]; }
  [[nodiscard]] const Held& held(const TxnRecord& r) const { return chunks_[r.chunk - first_chunk_]; }
  [[nodiscard]] const History& history(const TxnRecord& r) const { return held(r).chunk->history; }

  // Adds a record; the rest of it is the caller's to fill.
  TxnRecord& take(const Arrival& arrival, bool& fresh_chunk);
  // Requires: size() > 0.
  void release();

  [[nodiscard]] std::size_t bytes() const { return records_.size() * sizeof(TxnRecord) + chunk_bytes_; }

  // Calls f(chunk) for each that is held, in order of number.
  template <typename F>
  void for_each_chunk(F&& f) const {
    for (std::size_t i = 0; i < chunks_.size(); ++i) f(first_chunk_ + static_cast<std::uint32_t>(i), chunks_[i]);
  }
  template <typename F>
  void for_each_held(F&& f) {
    for (Held& held : chunks_) f(held);
  }
  [[nodiscard]] std::uint32_t first_chunk() const { return first_chunk_; }
  // What a checkpoint says was held. Requires: the window is empty; the records' chunks are there.
  void restore(std::uint32_t first, std::vector<TxnRecord> records, std::uint32_t first_chunk,
               std::vector<std::shared_ptr<const Chunk>> chunks);

 private:
  std::uint32_t number_of(const std::shared_ptr<const Chunk>& chunk, bool& fresh);

  std::vector<TxnRecord> records_;
  std::uint32_t first_ = 0, next_ = 0;
  std::deque<Held> chunks_;
  std::uint32_t first_chunk_ = 0, last_chunk_ = 0;  // number of the first held, and of the one used last
  std::unordered_map<const Chunk*, std::uint32_t> numbers_;
  std::size_t chunk_bytes_ = 0;
};

// Which held transactions commit at one time: chains by hash, through the records, of which nothing is ever removed.
class TimeChains {
 public:
  // Puts a held transaction in front of its chain.
  void push(Window& window, std::uint32_t txn);
  // Makes the chains of all that is held anew.
  void restore(Window& window) { rehang(window, window.size(), window.next()); }
  // Calls f(other) for the others of the same time.
  template <typename F>
  static void for_each_other(const Window& window, std::uint32_t txn, F&& f) {
    const std::int64_t time = window.at(txn).commit;
    for (std::uint32_t t = window.at(txn).same_time; window.holds(t) && arrived_before(t, txn);
         t = window.at(t).same_time) {
      if (window.at(t).commit == time) f(t);
    }
  }

 private:
  void hang(Window& window, std::uint32_t txn);
  void rehang(Window& window, std::size_t size, std::uint32_t until);
  std::vector<std::uint32_t> heads_;
};

}  // namespace isolde::timeline
