// tests/oracle/tiny.h: a history made small for exhaustive search: states of keys as small numbers.
//
// In, out: History -> Tiny, whose operations are reads and changes of single keys.
// Always:  equal states have equal numbers; a state that no data type explains (append to a number) equals nothing
// read.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "history/history.h"
#include "history/predicate_set.h"
#include "tests/oracle/oracle.h"

namespace isolde::tiny {

using State = std::int16_t;
using States = std::array<State, kOracleMaxKeys>;  // by key
using TxnSet = std::uint32_t;                      // bit t: transaction t

constexpr bool contains(TxnSet set, std::size_t t) { return (set >> t & 1U) != 0; }

struct Op {
  OpKind kind;  // kRead, kWrite, kAppend or kIncrement
  std::uint32_t key;
  State state;     // kRead: what was returned; kWrite: what was written
  ValueId value;   // as in the history
  std::size_t id;  // place among all operations of the Tiny
};

// A predicate operation. Its rows stand among the transaction's operations too, as reads or writes; this is what it
// says of all keys.
struct Look {
  OpKind kind;  // kScan, kAggregate or kUpdate
  PredicateId predicate;
  std::size_t place;                                          // it comes before that operation of the transaction
  std::vector<std::pair<std::uint32_t, State>> items;         // key and row; of an update: the row after
  std::optional<States> looked;                               // the version set, by key
  ValueId value;                                              // kAggregate: what was returned
  std::vector<std::pair<std::uint32_t, ValueId>> named = {};  // by the version set: who wrote these was seen
};

// Whether something is so, where a condition may have a fault that leaves it open.
enum class Fit : std::uint8_t { kNo, kOpen, kYes };

// The versions of one key in their order: [0] is the initial one.
struct Version {
  State state;
  std::optional<std::size_t> writer;
};
using Versions = std::array<std::vector<Version>, kOracleMaxKeys>;  // by key
using Places = std::array<std::size_t, kOracleMaxKeys>;             // by key: a place in its versions

struct Txn {
  Status status;
  std::uint32_t session;
  std::int64_t begin, end, start_ts, commit_ts, order;
  std::vector<Op> ops;
  std::uint32_t writes = 0;  // set of keys
  std::vector<Look> looks = {};
  struct Seen {
    std::optional<std::int64_t> xid;
    std::int64_t xmin, xmax;
    std::vector<std::int64_t> active;
  };
  std::optional<Seen> snapshot = std::nullopt;  // PostgreSQL's
};

class Tiny {
 public:
  // Requires: at most kOracleMaxTxns transactions and kOracleMaxKeys keys.
  explicit Tiny(const History& history);

  std::vector<Txn> txns;
  States initial{};
  std::size_t keys = 0;
  bool registers_only = true;  // no append or increment
  bool has_looks = false, has_vsets = false;
  std::string defect;             // of the predicates
  bool open_fits = true;          // how what is open counts
  bool by_snapshot_sets = false;  // OracleEvidence::kSnapshotSets counts

  [[nodiscard]] std::size_t size() const { return txns.size(); }
  [[nodiscard]] TxnSet committed() const { return committed_; }
  [[nodiscard]] TxnSet unknown() const { return unknown_; }

  // The state after a write, append or increment.
  [[nodiscard]] State apply(State before, const Op& op);
  // Whether every read and predicate operation of `t` returns what follows from `snapshot`, changed by its own earlier
  // operations; one with a version set, what follows from that.
  [[nodiscard]] bool explains(const States& snapshot, std::size_t t);
  // … whether its version sets agree with the places that it stands at in the order of all versions: it comes after
  // those up to the one looked at that change the matches, and before those after it that do.
  [[nodiscard]] bool vsets_fit(std::size_t t, const Versions& versions, const Places& at);
  // … and those that snapshots stand for.
  [[nodiscard]] bool snapshot_sets_fit(std::size_t t, const Versions& versions, const Places& at);

  [[nodiscard]] bool accepts(Fit fit) const { return fit == Fit::kYes || (fit == Fit::kOpen && open_fits); }
  [[nodiscard]] Fit matches(const Look& look, std::size_t key, State state);
  // Whether the operation's result follows from that version of that key, or from all versions.
  [[nodiscard]] Fit follows(const Look& look, std::size_t key, State state);
  [[nodiscard]] Fit follows(const Look& look, const States& states);
  // … or from its version set, if it has one, where its transaction had written the keys `own`.
  [[nodiscard]] Fit follows(const Look& look, const States& now, std::uint32_t own);
  // docs/predicates.md does not speak of one who looks, before writing the key, at what it writes or at what came
  // later.
  [[nodiscard]] static Fit may_look_at(std::size_t t, const std::vector<Version>& versions, std::size_t v);
  // Of versions [v] and [v-1]: whether the one changes the matches that the other leaves.
  [[nodiscard]] bool changes_matches(const Look& look, std::size_t key, const std::vector<Version>& versions,
                                     std::size_t v);
  // Of one key: no version between the one looked at and the one that stands there changes the matches.
  [[nodiscard]] bool agree(const Look& look, std::size_t key, const std::vector<Version>& versions, std::size_t looked,
                           std::size_t at);
  // The keys that `t` wrote before the look, and what it left there on top of `states`.
  [[nodiscard]] std::uint32_t own_before(std::size_t t, const Look& look, States& states);
  void commit(States& states, std::size_t t);

  // Pairs (a, b) of `counted`: a comes before b because they follow each other in a session.
  [[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> session_pairs(TxnSet counted) const;
  // … because a had ended before b began.
  [[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> realtime_pairs(TxnSet counted) const;
  // … because a given version order says so; nothing if an entry may be of two transactions.
  [[nodiscard]] std::optional<std::vector<std::pair<std::size_t, std::size_t>>> version_pairs(TxnSet counted) const;
  [[nodiscard]] std::optional<std::vector<std::pair<std::size_t, std::size_t>>> version_pairs(TxnSet counted,
                                                                                              std::uint32_t key) const;
  // The committed transactions, and the unknown ones that one of these, or one of those, saw: it read what nobody else
  // who may have committed wrote.
  [[nodiscard]] TxnSet seen() const;

  // What is done to a key beside reading it.
  enum class KeyUse : std::uint8_t { kWritten, kAppended, kOther };
  [[nodiscard]] KeyUse use_of(std::uint32_t key) const { return use_[key]; }
  // The one transaction of the history that wrote or appended `value` to `key`, if it is one; the initial state counts
  // as a writer too where there are others, unless it is left out.
  enum class Writers : std::uint8_t { kNobody, kOne, kSeveral };
  [[nodiscard]] std::pair<Writers, std::size_t> writer_of(std::uint32_t key, ValueId value, TxnSet among = ~0U,
                                                          bool with_initial = true) const;
  // The elements of a list state, or null.
  [[nodiscard]] const std::vector<ValueId>* list(State state) const;

 private:
  // The place of the version that the snapshot of `t` shows.
  [[nodiscard]] std::optional<std::size_t> shown(std::size_t t, const std::vector<Version>& versions) const;
  struct Content {
    enum class Type : std::uint8_t { kOther, kInteger, kList, kBroken } type;
    ValueId value = kNullValue;  // kOther; null is one of these
    std::int64_t integer = 0;
    std::vector<ValueId> elements;
    friend bool operator==(const Content&, const Content&) = default;
  };
  State intern(Content content);
  State state_of(ValueId value, std::uint32_t key);
  void add_op(Txn& txn, OpKind kind, KeyId key, ValueId value);

  void add_look(Txn& txn, OpHead op, ValueId value);

  const History& history_;
  PredicateSet predicates_;
  std::vector<ValueId> value_of_;  // by state; of registers
  std::vector<bool> is_list_;      // by key
  std::vector<KeyUse> use_;        // by key
  std::vector<Content> states_;
  std::vector<std::vector<State>> applied_;  // by state and operation; -1: not known yet
  std::size_t op_count_ = 0;
  TxnSet committed_ = 0, unknown_ = 0;
};

using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

// As PostgreSQL tells whether a tuple by `a` is visible in the snapshot of `b`.
[[nodiscard]] bool visible(const Txn& a, const Txn& b);

// What is known of version orders with timestamps and snapshots; nothing if a given entry may be of two transactions.
struct VersionEvidence {
  Pairs pairs;
  bool one_order_each = true;  // the evidence leaves one order of the versions of each key
};
[[nodiscard]] std::optional<VersionEvidence> version_evidence(Tiny& tiny, TxnSet counted, Level level,
                                                              OracleEvidence use);

// One search a family; each judges the history with exactly `counted` as the transactions that took place.
[[nodiscard]] bool points_exist(Tiny& tiny, TxnSet counted, Level level, OracleEvidence use, const Pairs& versions);
[[nodiscard]] bool serial_order_exists(Tiny& tiny, TxnSet counted, Level level, OracleEvidence use,
                                       const Pairs& versions);
[[nodiscard]] bool axioms_hold(Tiny& tiny, TxnSet counted, Level level, const Pairs& versions);
[[nodiscard]] bool graph_exists(Tiny& tiny, TxnSet counted, Level level, const Pairs& versions);
// … at the levels that take what predicates looked at as read; where there are predicates, beside the two above.
[[nodiscard]] bool looked_exists(Tiny& tiny, TxnSet counted, Level level, const Pairs& versions);

}  // namespace isolde::tiny
