// anomaly/anomaly.h: the anomalies as one table, and what an engine reports about one that it found.
//
// Always: an Anomaly is evidence, not prose: transactions, operations, values. Renderers in src/report write the text.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "anomaly/level.h"
#include "base/ids.h"
#include "history/value.h"

namespace isolde {

enum class AnomalyKind : std::uint8_t {
  kG0,
  kG1a,
  kG1b,
  kG1c,
  kGSingle,
  kGNonadjacent,
  kG2Item,
  kG2,
  kGSIa,  // interference: it reads from, or overwrites, a transaction that its snapshot does not contain
  kGSIb,  // missed effects: it does not see a transaction that its snapshot contains
  kLostUpdate,
  kDirtyUpdate,
  kInternal,
  kGarbageRead,
  kDuplicateWrite,
  kIncompatibleOrder,
  kPMP,
  kOTV,
  kFracturedRead,
  kLongFork,
  kWriteSkew,
  kResultSetMismatch,
  kSessionOrder,    // a transaction's snapshot lacks the previous one of its session
  kRealtimeOrder,   // … lacks one that had ended, by the client's clock, before it began
  kTimestampOrder,  // a start timestamp after the commit timestamp
  kCyclicVersions,  // the evidence puts the versions of one key in a cycle
  kNoOrder,         // whichever of two writers comes first, a cycle closes: shown by `cases`, or every order was tried
  kSessionGap,      // by the client's numbers, transactions of a session are missing or out of order
};
inline constexpr int kAnomalyCount = 28;

// The order that a cycle needs in addition to its dependencies.
enum class Variant : std::uint8_t { kPlain, kSession, kRealtime };

// What shows the anomaly, which decides who looks for it.
enum class AnomalySeen : std::uint8_t {
  kItems,
  kPredicates,  // a search: repeatable-read allows what only searches show
  kTimestamps,  // the database's own: only the snapshot family is about them
};

struct AnomalyInfo {
  AnomalyKind kind;
  std::string_view name;
  std::string_view summary;        // one line
  std::string_view definition;     // a paragraph
  std::string_view example;        // the smallest history that shows it, native JSON Lines
  std::string_view example_says;   // what happens in the example
  std::span<const Level> weakest;  // the weakest levels that the example breaks; proscribes() covers all of them
  AnomalySeen seen = AnomalySeen::kItems;
};

[[nodiscard]] std::span<const AnomalyInfo> all_anomalies();
[[nodiscard]] const AnomalyInfo& info(AnomalyKind kind);
// Whether the level forbids it, in the form of its example: by the table and by the lattice of levels.
[[nodiscard]] bool proscribes(Level level, AnomalyKind kind);
// The levels that forbid it, and those that do not, from weak to strong.
[[nodiscard]] std::vector<Level> levels_against(AnomalyKind kind);
[[nodiscard]] std::vector<Level> levels_allowing(AnomalyKind kind);
// By name; case and separators are ignored as with levels, and so is an ending -session, -process or -realtime.
[[nodiscard]] std::optional<AnomalyKind> anomaly_named(std::string_view name);

// Why one transaction is ordered before another.
enum class StepType : std::uint8_t {
  kWw,         // `to` overwrote what `from` wrote
  kWr,         // `to` read what `from` wrote
  kRw,         // `to` overwrote what `from` read
  kSession,    // `from` comes before `to` in one session
  kRealtime,   // `from` ended before `to` began, by the client's clock
  kVisible,    // commit_ts(from) <= start_ts(to): `from` is in the snapshot of `to`
  kInvisible,  // start_ts(from) < commit_ts(to): `to` is not in the snapshot of `from`
  kCommit,     // commit_ts(from) < commit_ts(to)
  kOrder,      // order(from) < order(to): the expected serialization order
  kProgram,    // two operations of one transaction (from == to), in program order
};
[[nodiscard]] std::string_view name(StepType type);

// The evidence for the order of two versions of a key: the reason of a ww or rw step.
enum class Ground : std::uint8_t {
  kReads,       // the values read, and nothing else
  kSeen,        // a transaction that had seen the first read the key from the second
  kList,        // a list that was read shows it
  kUpdate,      // a transaction read the first version and wrote the second
  kGiven,       // a version order of the history says so
  kLastLeft,    // no other position is left
  kTimestamps,  // the commit timestamps of the two writers
  kSnapshot,    // the first writer is in the second one's snapshot, as PostgreSQL reports it
  kPast,        // the first writer is in the second one's past, by sessions and reads
  kAssumed,     // one of the choices of the case
};
[[nodiscard]] std::string_view name(Ground ground);

struct Step {
  StepType type;
  TxnId from = kNoTxn;
  TxnId to = kNoTxn;
  KeyId key = kNoKey;  // kNoKey: the step is not about one key
  OpId from_op = kNoOp;
  OpId to_op = kNoOp;
  Ground ground = Ground::kReads;
  // kRw, in a case: whose version `from` read; kNoTxn: the initial state.
  TxnId source = kNoTxn;
  // kWw with Ground::kSeen: the transaction that had seen `from` and read the key from `to`, if it is named.
  TxnId reader = kNoTxn;
};

// One cycle of a proof by cases. A step with Ground::kAssumed holds only if its choice is made:
//   kWw   `from` comes before `to`: both write `key`;
//   kWr   `to` reads the version of `from` by its operation to_op, whose value several transactions wrote;
//   kRw   `from` reads the version of `source` by its operation from_op (a choice where several wrote that value), and
//         `source`, if there is one, comes before `to` (always a choice).
// So not all choices of one case can be made.
struct Case {
  std::vector<Step> steps;
};

// Where a value that was read came from.
enum class ReadSource : std::uint8_t {
  kNotARead,
  kInitial,       // the state before all transactions
  kOlder,         // a version that had been overwritten in the reader's snapshot
  kNewer,         // a version committed after the reader's snapshot was taken
  kCurrent,       // the very version it should have seen
  kIntermediate,  // a write that its own transaction overwrote before it committed
  kAborted,       // a transaction that did not commit
  kOwn,           // the reader itself, earlier
  kOwnLater,      // the reader itself, by a write that comes after the read
  kNeverWritten,  // no transaction
  kUntraceable,   // a counter's value, or a list that no single write explains
  // Of predicate operations (kResultSetMismatch):
  kRowMissed,       // the version that it was evaluated on matches, but the result lacks its key
  kRowExtra,        // the result has the key, but the version that it was evaluated on does not match
  kWrongAggregate,  // the aggregate of the matching versions is different
};

struct Anomaly {
  AnomalyKind kind;
  Variant variant = Variant::kPlain;
  std::vector<TxnId> transactions;  // those involved, the offending one first
  std::vector<Step> steps;
  // kNoOrder: of two writers of a key, one comes before the other; a read has one of its possible writers. Whatever is
  // chosen, at least one of these cases closes.
  std::vector<Case> cases;
  // kNoOrder without cases: every order was tried, and none explains these reads and predicate operations together.
  bool tried_all = false;
  std::vector<OpId> unexplained = {};
  // About one read: what it returned, what it should have returned, and where that came from. kNotARead: the rest is
  // not set.
  ReadSource source = ReadSource::kNotARead;
  OpId op = kNoOp;
  KeyId key = kNoKey;
  ValueId read = kNullValue;
  ValueId expected = kNullValue;
  bool expected_known = false;
  // For lists and counters, the state may not be in the value table; then this is its JSON text.
  std::string expected_text;
  TxnId expected_writer = kNoTxn;  // kNoTxn: the initial state
  TxnId source_writer = kNoTxn;
  // Engine `mirror`: which rule of the profile was broken, and the intervals that leave no other explanation.
  std::string says = {};
};

// "G-single", "G-single-realtime", …
[[nodiscard]] std::string full_name(AnomalyKind kind, Variant variant);
[[nodiscard]] inline std::string full_name(const Anomaly& anomaly) { return full_name(anomaly.kind, anomaly.variant); }

}  // namespace isolde
