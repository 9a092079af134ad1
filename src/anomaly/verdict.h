// anomaly/verdict.h: the result of a check: satisfied with a witness, violated with anomalies, or undecided with a
// reason.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "anomaly/anomaly.h"
#include "anomaly/level.h"
#include "base/ids.h"
#include "base/limits.h"

namespace isolde {

enum class Outcome : std::uint8_t { kSatisfied, kViolated, kUndecided };
[[nodiscard]] std::string_view name(Outcome outcome);

// An order that shows why a level holds; src/proof replays it. Transactions that are not in it do not count: they
// aborted, or their outcome is unknown and nobody saw them.
struct Witness {
  enum class Kind : std::uint8_t {
    kNone,
    kSerialOrder,  // events are TxnIds, in serial order
    kPoints,       // events are TxnId * 2 for a start and TxnId * 2 + 1 for a commit
  };
  Kind kind = Kind::kNone;
  std::vector<std::uint32_t> events;

  static std::uint32_t start_of(TxnId t) { return raw(t) * 2; }
  static std::uint32_t commit_of(TxnId t) { return raw(t) * 2 + 1; }
};

// How a search for an order went, counted in pairs of writers of one key that no evidence orders.
struct SearchStats {
  std::uint64_t pairs = 0;      // at the start
  std::uint64_t pruned = 0;     // ordered because the other order would close a cycle
  std::uint64_t guessed = 0;    // of the rest, ordered by a hint
  std::uint64_t searched = 0;   // ordered by the search
  std::uint64_t reads = 0;      // with several possible writers
  std::uint64_t conflicts = 0;  // dead ends that the search learned from
};

// What a verdict takes as given, in addition to values, sessions and the client's clock.
enum class Given : std::uint8_t {
  kVersionOrders,  // those of the history
  kTimestamps,     // start_ts and commit_ts as start and commit points (serializable family: as positions in the order)
  kExpectedOrder,  // the field `order`
  kProfile,        // how a DBMS works, and the client's clock: says nothing about the level itself
};

// Why a verdict is undecided.
enum class WhyOpen : std::uint8_t {
  kDecided,    // it is not
  kWork,       // a limit of work ran out
  kTime,       // the time limit ran out
  kCancelled,  // somebody asked for an end
  kMemory,     // what is needed does not fit into the memory that was allowed
  kEvidence,   // the history does not say enough, or not to this method
  kUntested,   // it has nothing to test the added order of the level by: `holds` says what was tested
  kFindsOnly,  // the method finds violations and certifies nothing, and it found none
  kNoMethod,   // no engine can judge this history at this level
  kNotProved,  // the verdict did not stand up to its proof: a fault of Isolde
};

struct Verdict {
  Outcome outcome = Outcome::kUndecided;
  Level level = Level::kSerializable;
  std::string_view method;  // name of the engine, for people
  WhyOpen why_open = WhyOpen::kDecided;
  std::string reason;  // kUndecided: `why_open` in words, which limit ran out or which evidence is missing
  // kUndecided only because the history has nothing to test the added order of the level by (check/tested.h): the level
  // that holds without it. The witness is one for that level.
  std::optional<Level> holds;
  std::vector<Anomaly> anomalies;                     // at most Limits::max_anomalies
  std::array<std::uint64_t, kAnomalyCount> counts{};  // all anomalies found, by AnomalyKind
  std::vector<std::string> notes;  // what a reader should know: unused evidence, clocks that disagree, …
  Witness witness;
  std::optional<SearchStats> search;  // engine `solver` only
  Given given = Given::kVersionOrders;

  // These keep what was found: anomalies and notes. What is left open has no witness.
  void leave_open(WhyOpen why, std::string words);
  void leave_open(const Limits& limits);  // Requires: limits.exhausted().
  // Undecided for want of something to test: `form` holds, and the witness is for that.
  void withhold(Level form, std::string words);
  void decide(Outcome decided);

  // Counts it, and keeps its details if there is room for them.
  void add(Anomaly anomaly, std::size_t most);
  void count(AnomalyKind kind) { ++counts[static_cast<std::size_t>(kind)]; }
  [[nodiscard]] std::uint64_t total() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t n : counts) sum += n;
    return sum;
  }
};

// Whether a step relies on the database's own word (timestamps, snapshots) for the order of versions.
[[nodiscard]] bool rests_on_the_database(const Verdict& verdict);

}  // namespace isolde
