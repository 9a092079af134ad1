// check/mirror/partition.h: a share of the mirror's keys, and how shares are put together.
//
// What the mirror knows of a key (versions, locks, who read what) concerns that key alone, so keys can be dealt out to
// partitions, on threads or on machines. What ties keys together is only *when* a transaction took its snapshot and
// committed, whether an unknown one committed at all, and who depends on whom. So that is all that partitions exchange.
//
//   into a partition   every transaction that uses one of its keys, whole (its windows come from all of its statements;
//                      of its operations only those on the partition's keys are judged), in order of begin, and
//                      the watermark. After each step, what the merger learned.
//   out of it          violations that its keys alone prove, and a Summary of the step.
//   merged             Summaries form a set of facts: merge() is commutative, associative and idempotent as far as the
//                      merger concludes anything, so they may be merged in a tree, in any order, and twice.
//
// Why it is sound. Every fact in a Summary holds whatever other keys say: a partition sees all writers of its keys, and
// a window that it knows is at most too wide, so a version that is the only candidate for a read is the one that was
// read. The merger's network of moments is then a set of orders that all hold; one that it must refuse is a violation.
// Nothing is concluded from what a partition does not see: an unknown transaction stays "maybe" until the partition, or
// the merger, has been told that somebody saw one of its writes; a dependency counts only if both of its
// transactions do; "wrote" and "counts" are only ever set, windows only ever become tighter.
// What may be missed, compared with one instance: docs/profiles.md.
//
// Source: Leopard (section VI and appendix IV: instances by key; a certifier that gets their dependencies).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/ids.h"
#include "check/mirror/dependency_order.h"
#include "check/mirror/moments.h"
#include "check/online.h"
#include "history/fingerprint.h"

namespace isolde::mirror {

class Core;
struct MirrorOptions;

// Which keys a partition answers for. The same everywhere: a checkpoint is of one number of partitions.
struct KeyShare {
  std::uint32_t index = 0, count = 1;

  [[nodiscard]] static std::uint32_t owner(Fingerprint key, std::uint32_t count) {
    // Not the hash of the key table: the keys of a share should not crowd in one part of it.
    const std::uint64_t h = mix64(raw64(key) ^ 0x6b65792d73686172ULL) >> 32;
    return static_cast<std::uint32_t>((h * count) >> 32);
  }
  [[nodiscard]] bool holds(Fingerprint key) const { return count == 1 || owner(key, count) == index; }
  [[nodiscard]] bool is_all() const { return count == 1; }
  friend bool operator==(const KeyShare&, const KeyShare&) = default;
};

// Where the keys of a chunk belong, and who uses them: made once for all partitions.
class KeyOwners {
 public:
  KeyOwners(const Chunk& chunk, std::uint32_t count);

  [[nodiscard]] std::uint8_t of(KeyId key) const { return of_[raw(key)]; }
  // A bit each; and which of them answers for the transaction as a whole.
  struct Users {
    std::uint64_t partitions;
    std::uint32_t home;
  };
  [[nodiscard]] Users users(const Chunk& chunk, TxnId txn, std::uint32_t number) const;

 private:
  std::uint32_t count_;
  std::vector<std::uint8_t> of_;
};

// A moment of a transaction, by the transaction's number in the stream, the same in all partitions (whoever deals out
// the stream gives it), and kCommitMoment, kSnapshotMoment or the place of a statement.
struct MomentName {
  std::uint32_t txn = 0;
  std::uint32_t at = kUnnamedMoment;
  friend bool operator==(const MomentName&, const MomentName&) = default;
};

// What a partition knows of a transaction that the summary names.
struct SharedTxn {
  std::uint32_t number = 0;
  Status status = Status::kCommitted;
  bool counts = false;  // committed, or unknown and seen
  bool wrote = false;   // certainly left a version
  Fingerprint id = kNullFingerprint;
  std::int64_t begin = 0, end = 0;
  std::int64_t commit_lo = 0, commit_hi = 0;
  std::int64_t snapshot_lo = 0, snapshot_hi = 0;  // hi < lo: none is taken
};

// `first` comes before `second`; their windows overlap, else the clock says so. One of the two may have no name: then
// `bound` is its earliest (first) or latest (second) moment.
struct SharedOrder {
  MomentName first, second;
  std::int64_t bound = 0;
  std::int64_t rank = 0;                                         // end of the transaction whose judgement gave it
  Fingerprint key = kNullFingerprint, value = kNullFingerprint;  // `value`: what was read, if `has_value`
  Why why = Why::kClock;
  bool has_value = false;
};

// A moment lies within these.
struct SharedBound {
  MomentName moment;
  std::int64_t lo = kAlways, hi = kNever;
};

// `to` depends on `from`: certain, if both count.
struct SharedDependency {
  std::uint32_t from = 0, to = 0;
  std::int64_t rank = 0;
  Fingerprint key = kNullFingerprint;
  Dependency type = Dependency::kWr;
};

// A transaction was judged, by the partition that answers for it as a whole; or, elsewhere, its keys were left open.
struct JudgedTxn {
  std::uint32_t number = 0;
  bool home = false, late = false, open = false;
  std::int64_t settled = 0;  // when its reads were
  std::int64_t end = 0, commit_hi = 0;
};

struct Summary {
  std::vector<SharedTxn> txns;  // all that the following name, and more
  std::vector<SharedOrder> orders;
  std::vector<SharedBound> bounds;  // of statements that the orders name
  std::vector<SharedDependency> dependencies;
  std::vector<JudgedTxn> judged;
  std::vector<Fingerprint> told;  // ids of transactions of which a violation was told
  std::int64_t horizon = kNever;  // nobody whom the partition still waits for, or judges, began before

  void clear() {
    txns.clear();
    orders.clear();
    bounds.clear();
    dependencies.clear();
    judged.clear();
    told.clear();
    horizon = kNever;
  }
};
// Both as one. Duplicates are harmless and stay.
void merge(Summary& into, const Summary& from);

// What all partitions together know: windows that became tighter, and unknown transactions that committed.
struct Learned {
  struct Seen {
    std::uint32_t txn;
    std::int64_t hi;  // its commit came no later
  };
  std::vector<SharedBound> bounds;
  std::vector<Seen> committed;

  [[nodiscard]] bool empty() const { return bounds.empty() && committed.empty(); }
  void clear() {
    bounds.clear();
    committed.clear();
  }
};

// Violations in the order in which they were found, to be told later from one thread.
class Findings final : public OnlineSink {
 public:
  struct One {
    OnlineViolation violation;
    std::string why;  // suspected
    bool suspected = false;
  };
  void violated(const OnlineViolation& violation) override { all.push_back({violation, {}, false}); }
  void suspected(const OnlineViolation& violation, std::string_view why) override {
    all.push_back({violation, std::string(why), true});
  }
  std::vector<One> all;
};

// One share. All calls of a partition from one thread at a time; partitions share nothing but the chunks of arrivals.
class Partition {
 public:
  // `options.memory_limit`: of this partition.
  Partition(const MirrorOptions& options, KeyShare share);
  ~Partition();

  void begin(const Chunk& head);

  // A step: what the merger learned in the step before, and up to where all partitions are; then transactions in order
  // of begin, each with its number, that use one of its keys or that it answers for (`home`); then the watermark.
  void learn(const Learned& learned, std::int64_t horizon);
  void take(const Arrival& arrival, std::uint32_t number, const KeyOwners& owners, bool home);
  // The arrival will be taken after so many others: called with 4, then with 2, its keys are in the cache by then.
  void expect(const Arrival& arrival, const KeyOwners& owners, std::uint32_t steps) const;
  void judge(const StreamTime& time, std::int64_t watermark);
  // Of this step.
  [[nodiscard]] const Summary& summary() const { return summary_; }
  // Nothing more comes, and all steps are over.
  void finish();

  // Violations since they were last taken.
  [[nodiscard]] std::vector<Findings::One> take_findings() { return std::exchange(findings_.all, {}); }
  // Transactions count where their first operation is; all else adds up.
  [[nodiscard]] OnlineCounts counts() const;
  void save(StateWriter& out) const;
  [[nodiscard]] bool load(StateReader& in);

 private:
  [[nodiscard]] std::uint32_t slot_of(std::uint32_t number) const;
  void note_slot(std::uint32_t slot);
  void tighten(const SharedBound& bound);

  Findings findings_;
  Summary summary_;
  std::unique_ptr<Core> core_;
  std::vector<std::uint32_t> slots_;  // by number
};

// Puts summaries together: the network of all moments, and the certifier. Where it is also given the transactions
// themselves, it asks the exact search about groups whose keys lie in several partitions.
class Merger {
 public:
  // `sink` outlives it.
  Merger(const MirrorOptions& options, OnlineSink& sink);
  ~Merger();

  void begin(const Chunk& head);
  void arrived(const Arrival& arrival, std::uint32_t number);
  // One step of all partitions, merged.
  void step(const Summary& all, const StreamTime& time, Learned& learned);
  // `told`: as Summary::told, since the last step.
  void finish(const std::vector<Fingerprint>& told);

  [[nodiscard]] OnlineCounts counts() const;  // its own: violations, suspicions, groups not searched, bytes
  void save(StateWriter& out) const;
  [[nodiscard]] bool load(StateReader& in);

 private:
  [[nodiscard]] std::uint32_t slot_of(std::uint32_t number) const;
  void note_slot(std::uint32_t slot);
  std::uint32_t new_slot(std::uint32_t number);
  void absorb(const SharedTxn& txn, Learned& learned);
  void absorb(const SharedBound& bound);
  void absorb(const SharedOrder& order);
  void absorb(const SharedDependency& dependency);
  void absorb(const JudgedTxn& judged, bool open, const std::vector<std::uint64_t>& told);
  [[nodiscard]] NodeId node_of(const MomentName& name);
  void tell_refused(const SharedOrder& order);

  std::unique_ptr<Core> core_;
  std::vector<std::uint32_t> slots_;  // by number
  std::vector<NodeId> changed_;
  std::int64_t horizon_ = kAlways;  // of the step before
};

}  // namespace isolde::mirror
