// check/online.h: the one small interface behind which every online engine stands.
//
// In, out: the transactions of a stream, one by one -> violations, each told once, while the stream goes on.
// Always:  the same answers as the offline engine gives on the same transactions; memory within a given limit however
//          long the stream is; a violation is told only when nothing that may still come can take it back.
//          Deterministic: equal calls give equal violations, with equal identities, in equal order.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "anomaly/anomaly.h"
#include "base/state_file.h"
#include "history/chunk.h"

namespace isolde {

// Why one transaction of a violation comes before another: what a picture of it shows.
struct OnlineStep {
  std::uint32_t from, to;  // places in OnlineViolation::transactions
  StepType type;           // kRealtime: the clients' clocks leave no other order
  std::string key = {};    // as JSON; empty: not about one key
};

// Anomalies of a History point into it; these stand on their own, since a stream's past is gone.
struct OnlineViolation {
  AnomalyKind kind;
  Variant variant = Variant::kPlain;
  std::string_view rule;                  // which promise broke: "consistent read", "first updater wins", "EXT"
  std::vector<std::string> transactions;  // ids, the guilty one first
  std::string key, read, expected;        // as JSON; empty where it is not about one key or read
  std::string text;                       // one or two sentences that name all of it, to be checked by hand
  std::vector<OnlineStep> steps;          // as far as they are certain; empty where no two transactions are the matter
  std::int64_t time = kNoTime;            // on the stream's own clock
  // Mirror: the predicate operation that it is about, by its place in the guilty transaction; kNone32: none.
  std::uint32_t statement = kNone32;
  // The same violation has the same identity in every run and in every order of arrival: what restarts and other
  // engines compare. Made of the kind, the transactions' ids and the key.
  std::uint64_t identity = 0;
};
[[nodiscard]] std::uint64_t identity_of(const OnlineViolation& violation);

class OnlineSink {
 public:
  virtual ~OnlineSink() = default;
  virtual void violated(const OnlineViolation& violation) = 0;
  // Would be a violation, but a part of the stream is missing that might explain it.
  virtual void suspected(const OnlineViolation& violation, std::string_view why) = 0;
};

struct OnlineCounts {
  std::uint64_t taken = 0, checked = 0;  // transactions; `checked`: nothing can change what was said of them
  std::uint64_t pending = 0;             // taken and not yet checked
  std::uint64_t operations = 0;
  std::uint64_t violations = 0, suspicions = 0;
  std::uint64_t late = 0;        // arrivals behind the watermark
  std::uint64_t unchecked = 0;   // reads of keys whose state had been given up for memory, or that evidence leaves open
  std::uint64_t unsearched = 0;  // mirror: transactions that the rules leave open and the exact search could not take
  std::uint64_t flips = 0;       // timeline: changes of a read's tentative verdict
  std::uint64_t flipped_txns = 0;
  std::uint64_t dependencies = 0, overlapping = 0,
                deduced = 0;  // mirror: all; of overlapping intervals; of these ordered
  // timeline, at levels that add an order: committed transactions that follow one of their session, and that have a
  // clock.
  std::uint64_t in_session = 0, began = 0, ended = 0;
  std::uint64_t bytes = 0;    // held by the engine
  std::uint64_t spilled = 0;  // bytes on disk
};

// What the caller knows of the stream as a whole.
struct StreamTime {
  std::int64_t now = 0;              // everything that had arrived by then was taken; nanoseconds, only goes forward
  std::int64_t watermark = kNoTime;  // no transaction still to come in order begins before this, by the clients' clock
  bool complete = true;              // false: a session is missing since its time limit ran out; it may still come
  std::int64_t came = kNoTime;       // what is taken from now on had arrived by then, if that is later than `now`
};

class OnlineEngine {
 public:
  virtual ~OnlineEngine() = default;

  // The stream's first line: what keys hold before their first write. Called once, before any transaction, if there is
  // one.
  virtual void begin(const Chunk& head) = 0;
  // Timeline: in order of arrival, which is session order within a session. Mirror: in order of begin, except for
  // those that are late.
  virtual void take(const Arrival& arrival) = 0;
  virtual void advance(const StreamTime& time) = 0;
  // Nothing more comes: everything that waited is judged.
  virtual void finish() = 0;

  [[nodiscard]] virtual OnlineCounts counts() const = 0;

  // All that is needed to go on after a restart as if nothing had happened.
  virtual void save(StateWriter& out) const = 0;
  [[nodiscard]] virtual bool load(StateReader& in) = 0;  // false: not a state of this engine with these settings
};

}  // namespace isolde
