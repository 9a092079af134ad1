// check/mirror/core.h: what the mirror holds, shared by its mechanisms: one file each works on it.
//
// A transaction goes through three steps: taken (its versions stand with their keys, its reads wait), judged (the
// watermark has passed its end: whoever can have committed before has arrived), closed (nobody who still waits or is
// still to come began before its end: its moments have no more to say and are dropped).
// Always:  every check of a pair is made when the later of the two is judged, once.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <queue>
#include <string>
#include <unordered_map>
#include <vector>

#include "check/mirror/columns.h"
#include "check/mirror/dependency_order.h"
#include "check/mirror/key_table.h"
#include "check/mirror/mirror.h"
#include "check/mirror/moments.h"
#include "check/mirror/partition.h"
#include "check/mirror/predicate_looks.h"
#include "check/mirror/recent.h"
#include "check/mirror/taken.h"
#include "check/mirror/windows.h"
#include "check/mirror/written_values.h"
#include "check/online.h"
#include "history/recent_names.h"

namespace isolde::mirror {

// Somebody who holds a lock on a key without a version of it.
struct Holder {
  std::int64_t lock_hi;
  std::int64_t lo, hi;  // release, as measured
  Fingerprint txn;
  NodeId node;
  std::uint32_t generation;
  std::uint32_t next;
  std::uint32_t judged_at;  // transactions with lower numbers have been compared with it
  bool exclusive;
};

// A transaction that read a version of a key, for certifiers.
struct Reader {
  Fingerprint from;  // id of the version's writer
  TxnSlot slot;
  std::uint32_t number;
  std::uint32_t next;
  Fingerprint only;  // kNullFingerprint: it comes before whoever replaces that version; else only before this one
};

// A read of a value that nobody has written yet, by a clock that may be wrong.
struct UnmetRead {
  Fingerprint txn, key, value;
  std::int64_t lo, hi, end;
};

// A moment in use: a node, or a window that nothing else shares.
struct Moment {
  std::int64_t lo, hi;
  NodeId node = kNoNode;
  TxnSlot owner = kNoTxnSlot;  // of a window that several constraints share: it becomes a node where one needs that
  std::uint32_t at = kUnnamedMoment;
};

// What was worked out of a transaction before it is taken (pipelined.cc).
struct Ready {
  const KeySlot* slots;  // one an operation; kNoKeySlot: it has no key; kFreshKey: to be begun
  const Window* windows;
  TxnWindows of;
};
inline constexpr KeySlot kFreshKey = 0x80000000U;

class Core {
 public:
  Core(const MirrorOptions& wanted, OnlineSink& told) : options(wanted), sink(told) {}

  const MirrorOptions options;
  OnlineSink& sink;
  OnlineCounts counts;
  StreamTime time;
  std::int64_t horizon = kAlways;  // whoever began before is judged and will not come
  RecentNames names{std::size_t{16} << 20};
  KeyTable keys;
  Columns columns;
  Looks looks;
  Moments moments;
  std::vector<Holder> holders{1};
  std::vector<std::uint32_t> free_holders;
  std::vector<Reader> readers{1};
  std::vector<std::uint32_t> free_readers;
  DependencyOrder order;  // Certifier::kCycles
  std::deque<std::array<std::uint32_t, 3>> told_dangerous;
  // Reads::kDirty and kCertified: all that was ever written, as fingerprints of key and value, while there is room; and
  // the reads whose value has not been met: they are reported at the end.
  WrittenValues written;
  std::vector<UnmetRead> unmet;
  Fingerprint default_initial = kNullFingerprint;
  bool gave_up_keys = false;  // a key that is not held may have been

  std::vector<Taken> txns;  // by slot
  std::vector<TxnSlot> free_txns;
  struct Waiting {
    std::int64_t end;
    std::uint32_t number;
    TxnSlot slot;
    friend bool operator<(const Waiting& a, const Waiting& b) {  // the heap's top is the earliest
      return a.end != b.end ? a.end > b.end : a.number > b.number;
    }
  };
  std::priority_queue<Waiting> waiting;  // taken, by end
  struct Place {
    std::int64_t time;  // of begin, or of end
    std::uint32_t number;
    TxnSlot slot;
  };
  std::deque<Place> in_order;           // taken, by begin; the front is not judged
  std::priority_queue<Waiting> judged;  // by end, to be closed
  std::vector<Waiting> closing;         // scratch
  std::int64_t last_begin = kAlways;    // of those taken
  std::deque<Place> unclosed;           // by arrival; the front is not closed
  std::uint32_t next_number = 1;
  KeySlot hand = 0;  // of the clock that gives up keys
  Recent recent;
  std::int64_t last_end = kAlways;  // of those judged
  // Steps that look_back() may take where something is open: many at first, then a share of the time.
  std::int64_t credit = kMostCredit;
  static constexpr std::int64_t kMostCredit = std::int64_t{1} << 17;
  static constexpr std::uint32_t kTransactionsAStep = 4;
  std::uint64_t motion_bytes = 0;  // of transactions that are not closed

  // Helpers of the mechanisms.
  [[nodiscard]] bool ordered_by_locks() const {
    return options.profile.write_locks || options.profile.first_updater_wins;
  }
  // Whether the order of two versions of a key, the first with the earlier commit, follows from a mechanism.
  [[nodiscard]] bool orderly(const Version& a, const Version& b) const {
    const std::uint32_t both = a.flags & b.flags;
    return (both & (kHoldsLock | kUpdateWins)) != 0 && a.lo < b.lo;
  }
  [[nodiscard]] Moment commit_of(const Version& v) const {
    if (moments.is(v.node, v.generation)) return {moments[v.node].lo, moments[v.node].hi, v.node, kNoTxnSlot};
    return {v.lo, v.hi, kNoNode, kNoTxnSlot};
  }
  [[nodiscard]] Moment now(Moment m) const {
    if (m.node == kNoNode) return m;
    return {moments[m.node].lo, moments[m.node].hi, m.node, m.owner, m.at};
  }
  // Takes "a before b"; a window that is no node is tightened where it stands. False: it cannot be. `read`: the value
  // that says so.
  bool before(Moment& a, Moment& b, Why why, KeySlot key, const Fingerprint* read = nullptr);
  void make_node(Moment& m);
  // What a fingerprint stands for, as JSON.
  [[nodiscard]] std::string name(Fingerprint fingerprint) const;
  [[nodiscard]] std::string key_name(Fingerprint key) const;   // … of a column: its row's and its own
  [[nodiscard]] std::string text_of(Fingerprint text) const;   // … of a text, without quotes
  std::unordered_map<std::uint64_t, std::string> saved_names;  // from before a restart

  // Where the keys are dealt out to partitions (partition.h).
  KeyShare share;
  const KeyOwners* owners = nullptr;  // of the chunk that is taken from; null: there are no others
  std::uint32_t searchers = 1;        // that share the time for the exact search
  Summary* summary = nullptr;         // what the others should know; null: there are no others
  std::uint32_t summary_number = 0;
  std::int64_t rank = kAlways;  // of the transaction that is judged
  struct LeftOpen {
    std::uint32_t number;
    TxnSlot slot;
    bool unread;  // its reads count only if it turns out to have committed
  };
  std::vector<LeftOpen> left_open;  // judged in this step
  OnlineCounts guests;              // part of `counts`: transactions that another partition answers for

  const Ready* ready = nullptr;  // of the transaction that is taken, if it is known
  std::vector<KeySlot> scratch_slots;
  std::vector<Window> scratch_windows;
};

// steps.cc
void begin_core(Core& core, const Chunk& head);
TxnSlot take(Core& core, const Arrival& arrival, bool guest);
// Two steps before a transaction is taken, some transactions earlier each, so that its keys are in the cache by then:
// where they stand in the index, then they themselves.
void look_ahead(const Core& core, const Arrival& arrival, const KeyOwners* owners);
void look_nearer(const Core& core, const Arrival& arrival, const KeyOwners* owners);
// Judges all that are settled by the watermark. The result: nobody who waits, or is still to come, began before.
std::int64_t judge_until(Core& core, std::int64_t watermark);
[[nodiscard]] std::size_t bytes_of(const Core& core);
// taken.cc
TxnSlot take_in(Core& core, const Arrival& arrival);
// sharing.cc: into the summary for other partitions, if there is one
void share_txn(Core& core, TxnSlot slot);
void share_order(Core& core, const Moment& a, const Moment& b, Why why, KeySlot key, const Fingerprint* read);
void share_dependency(Core& core, const Taken& from, const Taken& to, Dependency type, Fingerprint key);
void share_judged(Core& core, const Taken& txn, bool open);
// judge.cc
void judge(Core& core, TxnSlot slot);
// consistent_read.cc
// An unknown transaction was seen by one that counts, no later than `hi`: it counts too.
void count_unknown(Core& core, Version& seen, std::int64_t hi);
void count_committed(Core& core, TxnSlot slot, std::int64_t hi);
void check_reads(Core& core, Taken& txn, TxnSlot slot);
// look_at_keys.cc
void check_looks(Core& core, Taken& txn, TxnSlot slot);
// Windows have become tighter: the reads that were left open are asked again.
void check_open_reads(Core& core, Taken& txn, TxnSlot slot);
// mutual_exclusion.cc
void check_locks(Core& core, Taken& txn, TxnSlot slot);
// first_updater.cc
void check_updates(Core& core, Taken& txn, TxnSlot slot);
// Nothing more comes: what nobody wrote is told.
void tell_unmet(Core& core);
// exact/look_back.cc
// A transaction was judged: is there any order that explains it and those around it? `open`: the rules could not say.
void look_back(Core& core, TxnSlot slot, bool open);
// Nothing more comes: the same for what could not be said before.
void look_back_at_all(Core& core);
// certifier.cc
// A read's version has become certain: the one at `version` of its key, or the base (-1).
void read_traced(Core& core, TxnSlot slot, const TakenRead& read, int version);
// A look found the key in a run of versions that match alike. `first`: the version that began the run, `next`: the one
// that ended it, `last`: the one before that; each a place among its versions. -1: none that is certain (`last`: the
// base). False: who ended it is too long over for that to be compared.
bool look_traced(Core& core, TxnSlot slot, KeySlot key, int first, int last, int next);
// Both count, and the one depends on the other.
void depend(Core& core, TxnSlot from, TxnSlot to, Dependency type, Fingerprint key);
// A transaction that counts is judged: what its version of the key replaces.
void version_judged(Core& core, TxnSlot slot, KeySlot key);
// Certifier::kSsi: asked again before a moment is dropped, since windows may have become tighter.
void check_dangerous_around(Core& core, const Taken& txn);
// versions.cc
// Whether nothing can lie between version `v` (-1: the base) of a key and the later one at `n`.
[[nodiscard]] bool is_next(const Core& core, std::span<const Version> versions, int v, std::size_t n);
// Appends and increments whose predecessor is certain get their state. Requires: as settle_deletes().
void settle_steps(Core& core, KeySlot key, std::int64_t until);
// What a kStepwise version makes of `state`; nothing if that is not known.
[[nodiscard]] std::optional<Fingerprint> after_version(const Core& core, const Version& v, KeySlot key,
                                                       Fingerprint state);
// deletes.cc
// Deletes that certainly found a row become versions like others. Requires: all that commit until `until` have arrived.
void settle_deletes(Core& core, KeySlot key, std::int64_t until);
// collect.cc
void close_until(Core& core, std::int64_t horizon);
void settle_key(Core& core, KeySlot key);
// Called before a key is added: gives up others where the limit is reached.
void make_room(Core& core);
// Gives up so many, if that many are out of use, after a look at so many.
void give_up_keys(Core& core, std::size_t wanted, std::size_t looks);
// How many keys may be held, and how much may be in motion.
[[nodiscard]] std::size_t max_keys(const Core& core);
[[nodiscard]] std::size_t max_keys(std::size_t memory_limit, bool columns, bool looks);
[[nodiscard]] std::size_t max_motion(const Core& core);
// state.cc
void save_core(Core& core, StateWriter& out);
[[nodiscard]] bool load_core(Core& core, StateReader& in);
// report.cc
struct Found {
  AnomalyKind kind;
  std::string_view rule;
  std::vector<Fingerprint> txns;  // the guilty one first
  bool about_key = true;
  Fingerprint key = kNullFingerprint;
  bool about_read = false;
  Fingerprint read = kNullFingerprint;
  bool expects = false;
  Fingerprint expected = kNullFingerprint;
  std::string text;
  std::int64_t time = kNoTime;
  // The predicate operation that it is about, by its place in the transaction, and a version of the key that shows it.
  std::uint32_t statement = kNone32;
  Fingerprint version = kNullFingerprint;
  struct Step {
    std::uint32_t from, to;  // places in txns
    StepType type;
    Fingerprint key = kNullFingerprint;  // kNullFingerprint: not about one
  };
  std::vector<Step> steps = {};
};
void tell(Core& core, const Found& found);
[[nodiscard]] std::string window_text(std::int64_t lo, std::int64_t hi);
[[nodiscard]] std::string txn_text(const Core& core, Fingerprint id);

}  // namespace isolde::mirror
