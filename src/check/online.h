// check/online.h: the small interface that every online engine implements.
//
// In, out: the transactions of a stream, one by one -> violations, each reported once, while the stream goes on.
// Always:  the same answers as the offline engine on the same transactions; memory within a given limit, however long
//          the stream; a violation is reported only when nothing that may still arrive can refute it.
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

// Why one transaction of a violation comes before another, for drawing it.
struct OnlineStep {
  std::uint32_t from, to;  // places in OnlineViolation::transactions
  StepType type;           // kRealtime: the clients' clocks leave no other order
  std::string key = {};    // as JSON; empty: not about one key
};

// Anomalies of a History point into it. These are self-contained, because the past of a stream is gone.
struct OnlineViolation {
  AnomalyKind kind;
  Variant variant = Variant::kPlain;
  std::string_view rule;                  // the broken promise: "consistent read", "first updater wins", "EXT"
  std::vector<std::string> transactions;  // ids, the offending one first
  std::string key, read, expected;        // as JSON; empty if it is not about one key or read
  std::string text;                       // one or two sentences that name everything needed to check it by hand
  std::vector<OnlineStep> steps;          // those that are certain; empty if it is not about two transactions
  std::int64_t time = kNoTime;            // on the stream's own clock
  // Mirror: the predicate operation that it is about, by its place in the guilty transaction; kNone32: none.
  std::uint32_t statement = kNone32;
  // The same violation has the same identity in every run and every order of arrival, so that restarts and other
  // engines can compare. Made of the kind, the ids of the transactions and the key.
  std::uint64_t identity = 0;
};
[[nodiscard]] std::uint64_t identity_of(const OnlineViolation& violation);

class OnlineSink {
 public:
  virtual ~OnlineSink() = default;
  virtual void violated(const OnlineViolation& violation) = 0;
  // It looks like a violation, but a missing part of the stream might explain it.
  virtual void suspected(const OnlineViolation& violation, std::string_view why) = 0;
};

struct OnlineCounts {
  std::uint64_t taken = 0, checked = 0;  // transactions; `checked`: their result is final
  std::uint64_t pending = 0;             // taken but not yet checked
  std::uint64_t operations = 0;
  std::uint64_t violations = 0, suspicions = 0;
  std::uint64_t late = 0;        // arrivals behind the watermark
  std::uint64_t unchecked = 0;   // reads and predicate operations not judged, for lack of memory or evidence
  std::uint64_t unsearched = 0;  // mirror: transactions that neither the rules nor the exact search could judge
  std::uint64_t flips = 0;       // timeline: changes of a read's tentative verdict
  std::uint64_t flipped_txns = 0;
  std::uint64_t dependencies = 0, overlapping = 0,
                deduced = 0;  // mirror: all; of overlapping intervals; of these ordered
  // timeline, at levels that add an order: committed transactions that follow another one of their session, and how
  // many have a begin and an end.
  std::uint64_t in_session = 0, began = 0, ended = 0;
  std::uint64_t bytes = 0;    // held by the engine
  std::uint64_t spilled = 0;  // bytes on disk
};

// What the caller knows about the stream as a whole.
struct StreamTime {
  std::int64_t now = 0;              // everything that had arrived by then was taken; nanoseconds, never goes back
  std::int64_t watermark = kNoTime;  // no transaction that comes in order begins before this, by the clients' clocks
  bool complete = true;              // false: a session missed its time limit and is missing; it may still come
  std::int64_t came = kNoTime;       // what is taken from now on had arrived by then, if that is later than `now`
};

class OnlineEngine {
 public:
  virtual ~OnlineEngine() = default;

  // The first line of the stream: the values of keys before their first write. Called at most once, before any
  // transaction.
  virtual void begin(const Chunk& head) = 0;
  // Timeline: in order of arrival, which is session order within a session. Mirror: in order of begin, except for late
  // ones.
  virtual void take(const Arrival& arrival) = 0;
  virtual void advance(const StreamTime& time) = 0;
  // The stream has ended: judges everything that was waiting.
  virtual void finish() = 0;

  [[nodiscard]] virtual OnlineCounts counts() const = 0;

  // Everything needed to continue after a restart as if nothing had happened.
  virtual void save(StateWriter& out) const = 0;
  [[nodiscard]] virtual bool load(StateReader& in) = 0;  // false: not a state of this engine with these settings
};

}  // namespace isolde
