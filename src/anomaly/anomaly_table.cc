#include "anomaly/anomaly_table.h"

#include <array>

#include "anomaly/level_list.h"

namespace isolde {
namespace {

using enum Level;

// The weakest levels that forbid it; those that imply one of them forbid it, too.
constexpr auto& kFromReadUncommitted = kLevelList<kReadUncommitted>;
constexpr auto& kFromReadCommitted = kLevelList<kReadCommitted>;
constexpr auto& kFromMonotonicAtomicView = kLevelList<kMonotonicAtomicView>;
constexpr auto& kFromCursorStability = kLevelList<kCursorStability>;
// What asks for one view of the database throughout a transaction.
constexpr auto& kFromOneView = kLevelList<kReadAtomic, kRepeatableRead, kSnapshotIsolation>;
constexpr auto& kFromReadAtomic = kLevelList<kReadAtomic>;
constexpr auto& kFromCausal = kLevelList<kCausal, kRepeatableRead, kSnapshotIsolation>;
constexpr auto& kFromPrefix = kLevelList<kPrefix, kRepeatableRead, kSnapshotIsolation>;
constexpr auto& kFromRepeatableRead = kLevelList<kRepeatableRead>;
constexpr auto& kFromSnapshotIsolation = kLevelList<kSnapshotIsolation>;
constexpr auto& kFromStrongSessionSnapshotIsolation = kLevelList<kStrongSessionSnapshotIsolation>;
constexpr auto& kFromStrongSnapshotIsolation = kLevelList<kStrongSnapshotIsolation>;
constexpr auto& kFromSerializable = kLevelList<kSerializable>;
constexpr auto& kFromOneState = kLevelList<kReadAtomic, kSnapshotIsolation>;

// In the order of the enumeration.
constexpr std::array<AnomalyInfo, kAnomalyCount> kAnomalies = {{
    {AnomalyKind::kG0, "G0", "dirty write: transactions overwrite each other in a cycle",
     "A cycle of write dependencies only: each transaction overwrote a version that the one before it in the cycle had "
     "written. The final state mixes them, and no order of the transactions could have left it.",
     R"({"id": "T1", "session": 1, "ops": [["w","x",1],["w","y",1]]}
{"id": "T2", "session": 2, "ops": [["w","x",2],["w","y",2]]}
{"version_order": {"x": [1,2], "y": [2,1]}}
)",
     "On x, T2 overwrote T1; on y, T1 overwrote T2.", kFromReadUncommitted},
    {AnomalyKind::kG1a, "G1a", "aborted read: a value from a transaction that was rolled back",
     "A committed transaction read a value that only a transaction known to have aborted had written.",
     R"({"id": "T1", "session": 1, "status": "aborted", "ops": [["w","x",1]]}
{"id": "T2", "session": 2, "ops": [["r","x",1]]}
)",
     "T1 was rolled back, so x was never 1, yet T2 read 1.", kFromReadCommitted},
    {AnomalyKind::kG1b, "G1b", "intermediate read: a value that its own transaction then overwrote",
     "A committed transaction read another transaction's write of a key that was not its last write of that key.",
     R"({"id": "T1", "session": 1, "ops": [["w","x",1],["w","x",2]]}
{"id": "T2", "session": 2, "ops": [["r","x",1]]}
)",
     "T1 left x at 2; the 1 that T2 read existed only while T1 was running.", kFromReadCommitted},
    {AnomalyKind::kG1c, "G1c", "circular information flow",
     "A cycle of write and read dependencies with at least one read dependency: each transaction saw, or overwrote, "
     "what the one before it in the cycle did, so each must come after itself.",
     R"({"id": "T1", "session": 1, "ops": [["w","x",1],["r","y",1]]}
{"id": "T2", "session": 2, "ops": [["w","y",1],["r","x",1]]}
)",
     "T1 read what T2 wrote and T2 read what T1 wrote: each had to commit before the other.", kFromReadCommitted},
    {AnomalyKind::kGSingle, "G-single", "read skew: one view mixes two moments",
     "A cycle with exactly one anti-dependency: a transaction did not see a write (so it comes before it), yet it saw, "
     "or overwrote, something that came after that write. Smaller forms are reported under their own names: "
     "fractured-read and OTV (half of one writer was seen), lost-update, session-order, realtime-order, and internal "
     "(one key, read twice with two results).",
     R"({"id": "T1", "session": 1, "ops": [["w","x",1]]}
{"id": "T2", "session": 2, "ops": [["r","x",1],["w","y",1]]}
{"id": "T3", "session": 3, "ops": [["r","y",1],["r","x",null]]}
)",
     "T3 read the y of T2, which had read the x of T1, so T3 comes after T1; but T3 did not see that x, so it comes "
     "before T1.",
     kFromCausal},
    {AnomalyKind::kGNonadjacent, "G-nonadjacent", "a cycle with anti-dependencies, no two of them adjacent",
     "A cycle with two or more anti-dependencies, any two of which have a read or write dependency between them. "
     "Snapshot isolation allows only cycles in which two anti-dependencies are adjacent. The smallest form is reported "
     "as long-fork.",
     R"({"id": "T1", "session": 1, "ops": [["w","x",1]]}
{"id": "T2", "session": 2, "ops": [["r","x",1],["w","a",1]]}
{"id": "T3", "session": 3, "ops": [["r","a",1],["r","y",null]]}
{"id": "T4", "session": 4, "ops": [["w","y",1]]}
{"id": "T5", "session": 5, "ops": [["r","y",1],["r","x",null]]}
)",
     "T3 saw T2, which saw T1, and missed the write of T4 (anti-dependency); T5 saw T4 and missed the write of T1 "
     "(anti-dependency).",
     kFromPrefix},
    {AnomalyKind::kG2Item, "G2-item", "a cycle with anti-dependencies on items",
     "A cycle of dependencies with at least one anti-dependency, all of them on single items. The name is used for "
     "cycles that are neither G-single nor G-nonadjacent: two anti-dependencies are adjacent, which snapshot isolation "
     "allows. A cycle of two transactions is reported as write-skew.",
     R"({"id": "T1", "session": 1, "ops": [["r","x",null],["w","y",1]]}
{"id": "T2", "session": 2, "ops": [["r","y",null],["w","z",1]]}
{"id": "T3", "session": 3, "ops": [["r","z",null],["w","x",1]]}
)",
     "T1 did not see the x of T3, T3 did not see the z of T2, and T2 did not see the y of T1: each comes before the "
     "next, in a cycle.",
     kFromRepeatableRead},
    {AnomalyKind::kG2, "G2", "a cycle with anti-dependencies through a predicate",
     "A cycle of dependencies with at least one anti-dependency through a predicate: a transaction searched, and "
     "another "
     "then inserted or changed a row that the search would have found (a phantom).",
     R"({"id": "T1", "session": 1, "ops": [["scan","v = 1",[]],["w","x",{"v":1}]]}
{"id": "T2", "session": 2, "ops": [["scan","v = 1",[]],["w","y",{"v":1}]]}
)",
     "Each looked for rows with v = 1, found none and inserted one; run one after the other, the second would have "
     "found the row of the first.",
     kFromSerializable, AnomalySeen::kPredicates},
    {AnomalyKind::kGSIa, "GSIa", "interference: depends on a transaction outside its snapshot",
     "By the database's own timestamps, a transaction read or overwrote a version from a transaction that its snapshot "
     "does not contain, because that one committed after it started.",
     R"({"id": "T1", "session": 1, "start_ts": 1, "commit_ts": 3, "ops": [["w","x",1]]}
{"id": "T2", "session": 2, "start_ts": 2, "commit_ts": 2, "ops": [["r","x",1]]}
)",
     "T2 started at 2 and read what T1 committed only at 3.", kFromSnapshotIsolation, AnomalySeen::kTimestamps},
    {AnomalyKind::kGSIb, "GSIb", "missed effects: does not see what its snapshot contains",
     "By the database's own timestamps, a transaction read an older version of a key than the one left by the last "
     "commit before its start.",
     R"({"id": "T1", "session": 1, "start_ts": 1, "commit_ts": 2, "ops": [["w","x",1]]}
{"id": "T2", "session": 2, "start_ts": 3, "commit_ts": 3, "ops": [["r","x",null]]}
)",
     "T1 had committed at 2; T2 started at 3 and did not see it.", kFromSnapshotIsolation, AnomalySeen::kTimestamps},
    {AnomalyKind::kLostUpdate, "lost-update", "an update overwritten by one that had not seen it",
     "Two transactions read the same version of a key and both wrote the key: whichever came second overwrote the "
     "first "
     "without having seen it.",
     R"({"id": "T1", "session": 1, "ops": [["r","x",null],["w","x",1]]}
{"id": "T2", "session": 2, "ops": [["r","x",null],["w","x",2]]}
)",
     "Both found x absent and both set it; one of the two updates left no trace.", kFromCursorStability},
    {AnomalyKind::kDirtyUpdate, "dirty-update", "an update built on one that was rolled back",
     "In the version order of a key, a committed version follows an aborted one and contains it: the aborted write "
     "became part of the state.",
     R"({"id": "T1", "session": 1, "status": "aborted", "ops": [["append","x",1]]}
{"id": "T2", "session": 2, "ops": [["append","x",2],["r","x",[1,2]]]}
)",
     "T2 appended to a list that still held the element of T1, although T1 was rolled back.", kFromReadCommitted},
    {AnomalyKind::kInternal, "internal", "a transaction does not see its own write",
     "A read after the transaction's own write of the key returned something other than the result of the "
     "transaction's own operations.",
     R"({"id": "T1", "session": 1, "ops": [["w","x",1],["r","x",null]]}
)",
     "T1 wrote x and then did not find it.", kFromReadCommitted},
    {AnomalyKind::kGarbageRead, "garbage-read", "a value that no transaction wrote",
     "A read returned a value that is not the initial value of the key and that no transaction in the history wrote.",
     R"({"id": "T1", "session": 1, "ops": [["r","x",1]]}
)",
     "No transaction wrote 1 to x.", kFromReadCommitted},
    {AnomalyKind::kDuplicateWrite, "duplicate-write", "one write took effect twice",
     "An element that was appended once is in the list twice (or an increment was applied twice), for example because "
     "a write that had succeeded was retried.",
     R"({"id": "T1", "session": 1, "ops": [["append","x",1]]}
{"id": "T2", "session": 2, "ops": [["r","x",[1,1]]]}
)",
     "T1 appended 1 once; T2 found it twice.", kFromReadCommitted},
    {AnomalyKind::kIncompatibleOrder, "incompatible-order", "two reads of one list, neither a prefix of the other",
     "Two reads of a key returned lists neither of which is a prefix of the other, so no single order of the appends "
     "explains both: one of them saw a state that was never committed.",
     R"({"id": "T1", "session": 1, "ops": [["append","x",1]]}
{"id": "T2", "session": 2, "ops": [["append","x",2]]}
{"id": "T3", "session": 3, "ops": [["r","x",[1,2]]]}
{"id": "T4", "session": 4, "ops": [["r","x",[2,1]]]}
)",
     "T3 saw 1 before 2, T4 saw 2 before 1.", kFromReadCommitted},
    {AnomalyKind::kPMP, "PMP", "one search, run twice, with two results",
     "Predicate-many-preceders: two searches of one transaction were evaluated on different states, because another "
     "transaction committed a matching row in between.",
     R"({"id": "T1", "session": 1, "ops": [["w","x",{"v":1}]]}
{"id": "T2", "session": 2, "ops": [["scan","v = 1",[]],["scan","v = 1",[["x",{"v":1}]]]]}
)",
     "The first search of T2 came before T1, the second after it.", kFromOneState, AnomalySeen::kPredicates},
    {AnomalyKind::kOTV, "OTV", "an observed transaction vanishes",
     "A transaction saw a write of another transaction, and one of its later reads returned a version older than "
     "another write of that same transaction.",
     R"({"id": "T1", "session": 1, "ops": [["w","x",1],["w","y",1]]}
{"id": "T2", "session": 2, "ops": [["r","x",1],["r","y",null]]}
)",
     "T2 saw the x of T1, but then not the y of T1.", kFromMonotonicAtomicView},
    {AnomalyKind::kFracturedRead, "fractured-read", "only part of a transaction is seen",
     "A transaction read one key from another transaction, but read an older version of a second key that the other "
     "transaction also wrote.",
     R"({"id": "T1", "session": 1, "ops": [["w","x",1],["w","y",1]]}
{"id": "T2", "session": 2, "ops": [["r","y",null],["r","x",1]]}
)",
     "T2 saw the x of T1 without its y.", kFromOneView},
    {AnomalyKind::kLongFork, "long-fork", "two writes seen in two orders",
     "Two transactions wrote different keys. One reader saw only the first write, another reader only the second: the "
     "state forked.",
     R"({"id": "T1", "session": 1, "ops": [["w","x",1]]}
{"id": "T2", "session": 2, "ops": [["w","y",1]]}
{"id": "T3", "session": 3, "ops": [["r","x",1],["r","y",null]]}
{"id": "T4", "session": 4, "ops": [["r","y",1],["r","x",null]]}
)",
     "T3 saw T1 and not T2; T4 saw T2 and not T1.", kFromPrefix},
    {AnomalyKind::kWriteSkew, "write-skew", "two decisions, each based on a state that the other changed",
     "Two transactions each read a key that the other wrote, neither saw the other's write, and no key was written by "
     "both. Each decision was right for what its transaction saw; together they may break a rule that spans the keys.",
     R"({"id": "T1", "session": 1, "ops": [["r","x",null],["r","y",null],["w","x",1]]}
{"id": "T2", "session": 2, "ops": [["r","x",null],["r","y",null],["w","y",1]]}
)",
     "Each found both keys absent and set one of them; run one after the other, the second would have seen the write "
     "of the first.",
     kFromRepeatableRead},
    {AnomalyKind::kResultSetMismatch, "result-set-mismatch", "a search returned rows that do not fit the state",
     "The result of a search or aggregate is not what its predicate gives on the state that the transaction sees: a "
     "row is missing, or a row that does not match is there.",
     R"({"id": "T1", "session": 1, "ops": [["w","x",{"v":1}]]}
{"id": "T2", "session": 2, "ops": [["r","x",{"v":1}],["scan","v = 1",[]]]}
)",
     "T2 read the row x, which matches, but the search did not return it.", kFromMonotonicAtomicView,
     AnomalySeen::kPredicates},
    {AnomalyKind::kSessionOrder, "session-order", "a client does not see its own earlier transaction",
     "A transaction's snapshot lacks the previous transaction of its session: according to what was read, or to the "
     "database's timestamps, that one committed after this one started.",
     R"({"id": "T1", "session": 1, "ops": [["w","x",1]]}
{"id": "T2", "session": 1, "ops": [["r","x",null]]}
)",
     "One client wrote x and did not find it in its next transaction.", kFromReadAtomic},
    {AnomalyKind::kRealtimeOrder, "realtime-order", "a stale snapshot: a transaction that had ended is not in it",
     "A transaction's snapshot lacks a transaction that had ended, by the clients' clock, before it began.",
     R"({"id": "T1", "session": 1, "begin": 1, "end": 2, "ops": [["w","x",1]]}
{"id": "T2", "session": 2, "begin": 3, "end": 4, "ops": [["r","x",null]]}
)",
     "T1 had ended at 2; T2 began at 3 and did not see it.", kFromStrongSnapshotIsolation},
    {AnomalyKind::kTimestampOrder, "timestamp-order", "a start timestamp after the commit timestamp",
     "By the database's own timestamps, a transaction committed before it started.",
     R"({"id": "T1", "session": 1, "start_ts": 2, "commit_ts": 1, "ops": [["w","x",1]]}
)",
     "T1 claims to have started at 2 and committed at 1.", kFromSnapshotIsolation, AnomalySeen::kTimestamps},
    {AnomalyKind::kCyclicVersions, "cyclic-versions", "versions that come before themselves",
     "What is known about the order of versions contradicts itself: a given version order puts the versions of a key "
     "in a cycle, on its own or together with updates that read one version and wrote the next. At causal, the name "
     "also stands for a cycle of versions in which each has to be the older one, because a transaction with that "
     "version in its past read the other one.",
     R"({"id": "T1", "session": 1, "ops": [["w","x",1]]}
{"id": "T2", "session": 2, "ops": [["w","x",2]]}
{"version_order": {"x": [1,2]}}
{"version_order": {"x": [2,1]}}
)",
     "One order says that T2 overwrote T1, the other that T1 overwrote T2.", kFromReadUncommitted},
    {AnomalyKind::kNoOrder, "no-order", "whichever of two writers comes first, there is a cycle",
     "Nothing shows which of two transactions wrote a key first, and it does not matter: either way, a transaction "
     "that read the key comes both before and after the other writer. With more than two writers, or with reads whose "
     "value several transactions wrote, there are more cases, and each of them ends in a cycle. For a small history, "
     "every order may have been tried; then the report names the reads that no order explains together.",
     R"({"id": "T1", "session": 1, "ops": [["r","a",null],["w","x",1]]}
{"id": "T2", "session": 2, "ops": [["r","b",null],["w","x",2]]}
{"id": "T3", "session": 3, "ops": [["w","a",1],["w","b",1]]}
{"id": "T4", "session": 4, "ops": [["r","b",1],["r","x",1]]}
{"id": "T5", "session": 5, "ops": [["r","a",1],["r","x",2]]}
)",
     "T1 and T2 come before T3, which overwrote what they read, and T4 and T5 come after it. If T1 wrote x before T2, "
     "then T4, which read the value of T1, comes before T2; if T2 wrote first, then T5 comes before T1.",
     kFromRepeatableRead},
    {AnomalyKind::kSessionGap, "session-gap", "by its numbers, a session has missing or misordered transactions",
     "The client numbers the transactions of its session (`sno`), and two consecutive transactions do not have "
     "consecutive numbers: either those between them are missing from the history, or the two are in the wrong order. "
     "This is part of the axiom SESSION of Chronos.",
     R"({"id": "T1", "session": 1, "sno": 0, "ops": [["w","x",1]]}
{"id": "T2", "session": 1, "sno": 2, "ops": [["r","x",1]]}
)",
     "The client's transaction number 1, between T1 and T2, is missing.", kFromStrongSessionSnapshotIsolation},
}};

constexpr bool anomalies_in_enumeration_order() {
  for (std::size_t i = 0; i < kAnomalies.size(); ++i) {
    if (static_cast<std::size_t>(kAnomalies[i].kind) != i) return false;
  }
  return true;
}
static_assert(anomalies_in_enumeration_order());

}  // namespace

std::span<const AnomalyInfo> anomaly_table() { return kAnomalies; }

}  // namespace isolde
