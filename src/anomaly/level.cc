#include "anomaly/level.h"

#include <algorithm>
#include <array>

#include "anomaly/level_list.h"
#include "base/text.h"

namespace isolde {
namespace {

using enum Level;

constexpr std::string_view kRuAliases[] = {"ru", "pl-1"};
constexpr std::string_view kRcAliases[] = {"rc", "pl-2"};
constexpr std::string_view kCsAliases[] = {"cs", "pl-cs"};
constexpr std::string_view kMavAliases[] = {"mav"};
constexpr std::string_view kSessionMavAliases[] = {"ssmav",       "strong-session-mav",       "session-mav", "be-rc",
                                                   "rc-be",       "axiomatic-read-committed", "awdit-rc",    "plume-rc",
                                                   "rc-axiomatic"};
constexpr std::string_view kRaAliases[] = {"ra"};
constexpr std::string_view kCausalAliases[] = {"cc", "tcc", "causal-consistency", "transactional-causal-consistency"};
constexpr std::string_view kPrefixAliases[] = {"pc", "prefix-consistency", "consistent-prefix"};
constexpr std::string_view kRrAliases[] = {"rr", "pl-2.99"};
constexpr std::string_view kSiAliases[] = {"si", "pl-si", "snapshot"};
constexpr std::string_view kSessionSiAliases[] = {"sssi", "strong-session-si", "session-si",
                                                  "session-snapshot-isolation"};
constexpr std::string_view kStrongSiAliases[] = {"strong-si", "strict-si", "strict-snapshot-isolation"};
constexpr std::string_view kSerAliases[] = {"ser", "pl-3", "serializability", "serialisable"};
constexpr std::string_view kSessionSerAliases[] = {"ssser", "strong-session-ser", "session-serializable",
                                                   "strong-session-pl-3"};
constexpr std::string_view kStrictAliases[] = {
    "strict", "pl-ss", "strict-ser", "strong-serializable", "strong-ser", "sser", "strict-serializability"};

constexpr std::string_view kOppositeOverwrites =
    R"({"id": "T1", "session": 1, "ops": [["w","x",1],["w","y",1]]}
{"id": "T2", "session": 2, "ops": [["w","x",2],["w","y",2]]}
{"version_order": {"x": [1,2], "y": [2,1]}}
)";
constexpr std::string_view kAbortedRead =
    R"({"id": "T1", "session": 1, "status": "aborted", "ops": [["w","x",1]]}
{"id": "T2", "session": 2, "ops": [["r","x",1]]}
)";
constexpr std::string_view kLostUpdate =
    R"({"id": "T1", "session": 1, "ops": [["r","x",null],["w","x",1]]}
{"id": "T2", "session": 2, "ops": [["r","x",null],["w","x",2]]}
)";
constexpr std::string_view kVanished =
    R"({"id": "T1", "session": 1, "ops": [["w","x",1],["w","y",1]]}
{"id": "T2", "session": 2, "ops": [["r","x",1],["r","y",null]]}
)";
constexpr std::string_view kSessionBack =
    R"({"id": "T1", "session": 1, "ops": [["w","x",1]]}
{"id": "T2", "session": 1, "ops": [["w","x",2],["w","y",2]]}
{"id": "T3", "session": 2, "ops": [["r","y",2],["r","x",1]]}
)";
constexpr std::string_view kFractured =
    R"({"id": "T1", "session": 1, "ops": [["w","x",1],["w","y",1]]}
{"id": "T2", "session": 2, "ops": [["r","y",null],["r","x",1]]}
)";
constexpr std::string_view kCauseMissing =
    R"({"id": "T1", "session": 1, "ops": [["w","x",1]]}
{"id": "T2", "session": 2, "ops": [["r","x",1],["w","y",1]]}
{"id": "T3", "session": 3, "ops": [["r","y",1],["r","x",null]]}
)";
constexpr std::string_view kLongFork =
    R"({"id": "T1", "session": 1, "ops": [["w","x",1]]}
{"id": "T2", "session": 2, "ops": [["w","y",1]]}
{"id": "T3", "session": 3, "ops": [["r","x",1],["r","y",null]]}
{"id": "T4", "session": 4, "ops": [["r","y",1],["r","x",null]]}
)";
constexpr std::string_view kChangedRead =
    R"({"id": "T1", "session": 1, "ops": [["w","x",1]]}
{"id": "T2", "session": 2, "ops": [["r","x",null],["r","x",1]]}
)";
constexpr std::string_view kWriteSkew =
    R"({"id": "T1", "session": 1, "ops": [["r","x",null],["w","y",1]]}
{"id": "T2", "session": 2, "ops": [["r","y",null],["w","x",1]]}
)";
constexpr std::string_view kForgottenSession =
    R"({"id": "T1", "session": 1, "ops": [["w","x",1]]}
{"id": "T2", "session": 1, "ops": [["r","x",null]]}
)";
constexpr std::string_view kStaleRead =
    R"({"id": "T1", "session": 1, "begin": 1, "end": 2, "ops": [["w","x",1]]}
{"id": "T2", "session": 2, "begin": 3, "end": 4, "ops": [["r","x",null]]}
)";

// In the order of the enumeration.
constexpr std::array<LevelInfo, kLevelCount> kLevels = {{
    {kReadUncommitted,
     "read-uncommitted",
     kRuAliases,
     LevelFamily::kGraph,
     AddedOrder::kNone,
     {},
     "writes of transactions do not interleave; reads may return anything",
     "There is an order of the versions of each key in which the transactions do not overwrite each other in a cycle "
     "(no G0). Only final states are protected: a read may see uncommitted, aborted or intermediate data.",
     kOppositeOverwrites,
     "T2 overwrote x of T1, but T1 overwrote y of T2: the final x and y come from different transactions, each of "
     "which would have to be the last."},
    {kReadCommitted, "read-committed", kRcAliases, LevelFamily::kGraph, AddedOrder::kNone, kLevelList<kReadUncommitted>,
     "only committed, final values are read",
     "Adya's PL-2. Every read returns the transaction's own last write of the key, else the final value that some "
     "committed transaction wrote, or the initial one (no G1a, no G1b). There is a version order in which overwrites "
     "and reads-from form no cycle (no G0, no G1c). Session order does not matter, and two reads of one key may differ "
     "in any way.",
     kAbortedRead, "T2 read what T1 wrote, but T1 was rolled back: the value never existed."},
    {kCursorStability, "cursor-stability", kCsAliases, LevelFamily::kGraph, AddedOrder::kNone,
     kLevelList<kReadCommitted>, "read committed, and no update is lost",
     "There is a version order without G1 (aborted, intermediate or circular reads) in which no transaction that reads "
     "a key and then writes it misses a version in between: no cycle of one anti-dependency and write dependencies "
     "that "
     "are all on one key (G-cursor, lost update). Adya's PL-CS, with every read taken as a read through a cursor.",
     kLostUpdate, "T1 and T2 both read x before either wrote it; whichever wrote first was overwritten unseen."},
    {kMonotonicAtomicView, "monotonic-atomic-view", kMavAliases, LevelFamily::kGraph, AddedOrder::kNone,
     kLevelList<kReadCommitted>, "once a transaction is seen, all of it stays seen",
     "There is a version order without G1 in which, after a transaction has read anything from T, each of its later "
     "reads returns a version at least as new as T's own write of that key (no OTV). Session order does not matter.",
     kVanished, "T2 saw the x of T1; a moment later it did not see the y of T1."},
    {kStrongSessionMonotonicAtomicView, "strong-session-monotonic-atomic-view", kSessionMavAliases,
     LevelFamily::kAxiomatic, AddedOrder::kSession, kLevelList<kMonotonicAtomicView>,
     "monotonic atomic view in an order that respects sessions",
     "There is a commit order that contains session order and reads-from, such that whenever a transaction reads x "
     "from T1 after it has read anything from a T2 that also writes x, T2 comes before T1. Every read returns the "
     "transaction's own last write of the key, else the final value that some committed transaction wrote, or the "
     "initial one. Two reads of one key may differ, but never go back. This is what Biswas and Enea, dbcop, Plume and "
     "AWDIT call read committed.",
     kSessionBack,
     "T3 had seen T2 when it read the x of T1, so the x of T1 is the newer one; but T1 comes before T2 in its "
     "session."},
    {kReadAtomic, "read-atomic", kRaAliases, LevelFamily::kAxiomatic, AddedOrder::kSession,
     kLevelList<kStrongSessionMonotonicAtomicView>, "a transaction's writes are seen all together or not at all",
     "Only committed, final values are read, and there is a commit order that contains session order and reads-from, "
     "such that whenever a transaction T reads x from T1, and T2 writes x too, and T2 comes before T in its session or "
     "T reads anything from T2, then T2 comes before T1. Two reads of one key with no write of its own in between "
     "return the same value.",
     kFractured, "T2 saw the x of T1 but not its y: half of a transaction."},
    {kCausal, "causal", kCausalAliases, LevelFamily::kAxiomatic, AddedOrder::kSession, kLevelList<kReadAtomic>,
     "a transaction that sees an effect also sees its causes",
     "As read atomic, but it is enough that T2 comes before T by any chain of session order and reads-from: whenever T "
     "reads x from T1 and such a T2 writes x, T2 comes before T1 in the commit order. Unrelated writes may be seen in "
     "different orders by different transactions.",
     kCauseMissing, "T2 wrote y as an answer to the x of T1; T3 sees the answer but not what it answers."},
    {kPrefix, "prefix", kPrefixAliases, LevelFamily::kPrefix, AddedOrder::kSession, kLevelList<kCausal>,
     "every transaction sees a prefix of one order of commits",
     "Every transaction has a start point and a commit point on one time line. It reads the state left by the commits "
     "before its start point, changed by its own operations, and it starts after the transactions before it in its "
     "session have committed. Overlapping transactions may write the same key.",
     kLongFork,
     "T3 sees the write of T1 but not that of T2; T4 sees the opposite. No order of T1 and T2 has both views as "
     "prefixes."},
    {kRepeatableRead, "repeatable-read", kRrAliases, LevelFamily::kGraph, AddedOrder::kNone,
     kLevelList<kCursorStability, kMonotonicAtomicView>, "serializable, except for predicates",
     "There is a version order in which read, write and anti-dependencies on single items form no cycle and nothing "
     "aborted or intermediate is read (no G1, no G2-item: Adya's PL-2.99). Only anti-dependencies through predicates "
     "(phantoms) are allowed.",
     kChangedRead, "T2 read x twice and got two values, because T1 wrote it in between."},
    {kSnapshotIsolation, "snapshot-isolation", kSiAliases, LevelFamily::kSnapshot, AddedOrder::kNone,
     kLevelList<kCursorStability, kMonotonicAtomicView>,
     "every transaction reads a snapshot, and the first writer of a key wins",
     "Every transaction has a start point and a commit point on one time line. It reads the state left by the commits "
     "before its start point, changed by its own operations. Of two transactions that write the same key, one commits "
     "before the other starts. Session order and real time do not matter: a snapshot may be old.",
     kLostUpdate,
     "Both read x before either wrote it, so they overlap; both write x, which overlapping transactions may not do."},
    {kStrongSessionSnapshotIsolation, "strong-session-snapshot-isolation", kSessionSiAliases, LevelFamily::kSnapshot,
     AddedOrder::kSession, kLevelList<kSnapshotIsolation, kPrefix>, "snapshot isolation that respects sessions",
     "Snapshot isolation in which a transaction starts after the transactions before it in its session have committed: "
     "a client sees its own earlier writes.",
     kForgottenSession, "One client wrote x and then, in its next transaction, did not find it."},
    {kStrongSnapshotIsolation, "strong-snapshot-isolation", kStrongSiAliases, LevelFamily::kSnapshot,
     AddedOrder::kRealTime, kLevelList<kStrongSessionSnapshotIsolation>, "snapshot isolation that respects real time",
     "Strong-session snapshot isolation in which a transaction also starts after every committed transaction that had "
     "ended, by the clients' clock, before it began: snapshots are never old.",
     kStaleRead, "T1 had ended when T2 began, yet the snapshot of T2 does not contain it."},
    {kSerializable, "serializable", kSerAliases, LevelFamily::kSerializable, AddedOrder::kNone,
     kLevelList<kSnapshotIsolation, kRepeatableRead>, "as if the transactions ran one after another",
     "There is one order of the transactions such that running them one after another in that order gives every read "
     "the result it had. The order need not respect sessions or real time.",
     kWriteSkew,
     "T1 did not see the write of T2, so T1 comes first; T2 did not see the write of T1, so T2 comes first."},
    {kStrongSessionSerializable, "strong-session-serializable", kSessionSerAliases, LevelFamily::kSerializable,
     AddedOrder::kSession, kLevelList<kSerializable, kStrongSessionSnapshotIsolation>,
     "serializable in an order that respects sessions",
     "Serializable in an order that contains the session order: the transactions of each session keep their order.",
     kForgottenSession,
     "To explain its read, T2 would have to come before T1, but both belong to one client, and T1 was first."},
    {kStrictSerializable, "strict-serializable", kStrictAliases, LevelFamily::kSerializable, AddedOrder::kRealTime,
     kLevelList<kStrongSessionSerializable, kStrongSnapshotIsolation>,
     "serializable in an order that respects real time",
     "Strong-session serializable in an order that also respects real time: a committed transaction that ended, by the "
     "clients' clock, before another began comes before it.",
     kStaleRead, "To explain its read, T2 would have to come before T1, but T1 had ended when T2 began."},
}};

constexpr bool levels_in_enumeration_order() {
  for (std::size_t i = 0; i < kLevels.size(); ++i) {
    if (static_cast<std::size_t>(kLevels[i].level) != i) return false;
  }
  return true;
}
static_assert(levels_in_enumeration_order());

// What each level implies, as a bit set; rows are filled from weak to strong as `weaker` says.
constexpr std::array<std::uint32_t, kLevelCount> closure() {
  std::array<std::uint32_t, kLevelCount> implied{};
  for (std::size_t i = 0; i < kLevels.size(); ++i) implied[i] = 1U << i;
  for (int round = 0; round < kLevelCount; ++round) {
    for (std::size_t i = 0; i < kLevels.size(); ++i) {
      for (const Level weak : kLevels[i].weaker) implied[i] |= implied[static_cast<std::size_t>(weak)];
    }
  }
  return implied;
}
constexpr std::array<std::uint32_t, kLevelCount> kImplied = closure();

}  // namespace

std::span<const LevelInfo> all_levels() { return kLevels; }

const LevelInfo& info(Level level) { return kLevels[static_cast<std::size_t>(level)]; }

std::optional<Level> level_named(std::string_view name) {
  const std::string wanted = folded(name);
  for (const LevelInfo& row : kLevels) {
    const auto matches = [&](std::string_view known) { return folded(known) == wanted; };
    if (matches(row.name) || std::any_of(row.aliases.begin(), row.aliases.end(), matches)) return row.level;
  }
  return std::nullopt;
}

bool implies(Level strong, Level weak) {
  return (kImplied[static_cast<std::size_t>(strong)] >> static_cast<std::uint32_t>(weak) & 1U) != 0;
}

bool asks_for_one_order(Level level) {
  const LevelFamily family = info(level).family;
  return family == LevelFamily::kSerializable || family == LevelFamily::kSnapshot || family == LevelFamily::kPrefix ||
         level == Level::kRepeatableRead;
}

}  // namespace isolde
