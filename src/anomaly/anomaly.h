// anomaly/anomaly.h: the anomalies as one table, and what an engine reports of one that it found.
//
// Always: an Anomaly is evidence, not prose: transactions, operations, values. Renderers in src/report make the text.
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
  kGSIa,  // interference: reads from, or overwrites, a transaction that its snapshot does not contain
  kGSIb,  // missed effects: does not see a transaction that its snapshot contains
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
  kSessionOrder,    // a transaction's snapshot lacks the one before it in its session
  kRealtimeOrder,   // … lacks one that had ended, by the client's clock, before it began
  kTimestampOrder,  // a start timestamp after the commit timestamp
  kCyclicVersions,  // the evidence puts the versions of one key in a circle
  kNoOrder,         // whichever of two writers comes first, a circle closes: told by `cases`, or every order was tried
};
inline constexpr int kAnomalyCount = 27;

// The order that a cycle needs beside its dependencies.
enum class Variant : std::uint8_t { kPlain, kSession, kRealtime };

// What shows it, which decides who looks at it.
enum class AnomalySeen : std::uint8_t {
  kItems,
  kPredicates,  // a search: repeatable-read allows whatever only searches show
  kTimestamps,  // the database's own: the snapshot family promises them, other levels say nothing of them
};

struct AnomalyInfo {
  AnomalyKind kind;
  std::string_view name;
  std::string_view summary;        // one line
  std::string_view definition;     // a paragraph
  std::string_view example;        // smallest history that shows it, native JSON Lines
  std::string_view example_says;   // what happens there
  std::span<const Level> weakest;  // the weakest levels that the example breaks; proscribes() has all of them
  AnomalySeen seen = AnomalySeen::kItems;
};

[[nodiscard]] std::span<const AnomalyInfo> all_anomalies();
[[nodiscard]] const AnomalyInfo& info(AnomalyKind kind);
// Whether the level forbids it, in the form of its example: by the table, and by what levels imply.
[[nodiscard]] bool proscribes(Level level, AnomalyKind kind);
// The levels that forbid it, and those that do not, from weak to strong.
[[nodiscard]] std::vector<Level> levels_against(AnomalyKind kind);
[[nodiscard]] std::vector<Level> levels_allowing(AnomalyKind kind);
// By name, case and separators as with levels; a `-session`, `-process` or `-realtime` ending is taken off.
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

// What an order of two versions of a key rests on: the reason of a ww or rw step.
enum class Ground : std::uint8_t {
  kReads,       // the values read, and nothing else
  kSeen,        // some transaction saw the one and read the key from the other
  kList,        // a list that was read shows it
  kUpdate,      // a transaction read the one version and wrote the next
  kGiven,       // a version order of the history says so
  kLastLeft,    // no other place is left
  kTimestamps,  // the commit timestamps of the two writers
  kSnapshot,    // the one writer is in the other's snapshot, as PostgreSQL tells it
  kPast,        // the one writer is in the other's past, by sessions and reads
  kAssumed,     // one of the choices that the case is about
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
  // kWw with Ground::kSeen: who had seen `from` and read the key from `to`, where it is told.
  TxnId reader = kNoTxn;
};

// One circle of a proof by cases. A step with Ground::kAssumed stands only if its choice is made so:
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
  kIntermediate,  // a write that its own transaction overwrote before commit
  kAborted,       // a transaction that did not commit
  kOwn,           // the reader itself, earlier
  kOwnLater,      // the reader itself, by a write that comes after the read
  kNeverWritten,  // nobody
  kUntraceable,   // a counter's value, or a list that no single write explains
  // Of predicate operations (kResultSetMismatch):
  kRowMissed,       // the version that it was evaluated on matches, and the result lacks its key
  kRowExtra,        // the result has the key, and the version that it was evaluated on does not match
  kWrongAggregate,  // of the versions that match the aggregate is another
};

struct Anomaly {
  AnomalyKind kind;
  Variant variant = Variant::kPlain;
  std::vector<TxnId> transactions;  // those involved, the guilty one first
  std::vector<Step> steps;
  // kNoOrder: of two writers of a key one comes before the other, and a read has one of its possible writers; there is
  // no way to choose all these so that no case closes.
  std::vector<Case> cases;
  // kNoOrder without cases: every order was tried, and none explains these reads and predicate operations together.
  bool tried_all = false;
  std::vector<OpId> unexplained = {};
  // About one read: what it returned, what it should have, and whence. kNotARead: the rest is not set.
  ReadSource source = ReadSource::kNotARead;
  OpId op = kNoOp;
  KeyId key = kNoKey;
  ValueId read = kNullValue;
  ValueId expected = kNullValue;
  bool expected_known = false;
  // For lists and counters the state may be no value of the table; then this holds it as JSON text.
  std::string expected_text;
  TxnId expected_writer = kNoTxn;  // kNoTxn: the initial state
  TxnId source_writer = kNoTxn;
  // Of the engine `mirror`: which rule of its profile broke, and the intervals that leave no way.
  std::string says = {};
};

// "G-single", "G-single-realtime", …
[[nodiscard]] std::string full_name(AnomalyKind kind, Variant variant);
[[nodiscard]] inline std::string full_name(const Anomaly& anomaly) { return full_name(anomaly.kind, anomaly.variant); }

}  // namespace isolde
