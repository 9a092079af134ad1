// history/history.h: a finished history: immutable columns of transactions, operations, keys, values and evidence.
//
// In, out: HistoryBuilder::finish() or a mapped `.isl` file -> spans that engines iterate over.
// Always:  transactions of one session are in session order; `first_op` is ascending; every id is in range. For a key
//          that holds lists (it is appended to, or it only ever has lists or absence and `[]` is never written), the
//          empty list and absence are the same state, and both are kNullValue.
// Cost:    8 bytes per operation (16 with client intervals); 61 bytes per transaction if every time is known, 8 of
//          them for the interval of the commit. Columns that no transaction has are empty.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/column.h"
#include "base/ids.h"
#include "history/value.h"

namespace isolde {

enum class Status : std::uint8_t { kCommitted, kAborted, kUnknown };

enum class OpKind : std::uint8_t {
  kRead,
  kWrite,      // null: delete
  kAppend,     // one element to a list
  kIncrement,  // add an integer to a counter
  kScan,       // predicate read
  kAggregate,  // aggregate over a predicate
  kUpdate,     // predicate update
};

enum class Lock : std::uint8_t { kNone, kUpdate, kShare };

constexpr bool is_predicate(OpKind kind) { return kind >= OpKind::kScan; }
constexpr bool is_item_write(OpKind kind) { return kind >= OpKind::kWrite && kind <= OpKind::kIncrement; }

// An operation's kind and subject: 4 bits of kind and lock, 28 bits of key (or of predicate, from kScan on).
class OpHead {
 public:
  constexpr OpHead(OpKind kind, Lock lock, std::uint32_t subject) : word_(code(kind, lock) | (subject << kCodeBits)) {}
  constexpr explicit OpHead(std::uint32_t word) : word_(word) {}

  [[nodiscard]] constexpr OpKind kind() const { return kKinds[word_ & kCodeMask]; }
  [[nodiscard]] constexpr Lock lock() const { return kLocks[word_ & kCodeMask]; }
  [[nodiscard]] constexpr KeyId key() const { return KeyId{word_ >> kCodeBits}; }
  [[nodiscard]] constexpr PredicateId predicate() const { return PredicateId{word_ >> kCodeBits}; }
  [[nodiscard]] constexpr std::uint32_t word() const { return word_; }
  [[nodiscard]] constexpr bool is_read() const { return (word_ & kCodeMask) <= 2; }
  [[nodiscard]] constexpr bool is_read_or_write() const { return (word_ & kCodeMask) <= 3; }
  [[nodiscard]] constexpr bool valid() const { return (word_ & kCodeMask) < 13; }

  static constexpr std::uint32_t kMaxSubjects = 1U << 28;

 private:
  static constexpr std::uint32_t kCodeBits = 4;
  static constexpr std::uint32_t kCodeMask = 15;
  static constexpr OpKind kKinds[16] = {OpKind::kRead,   OpKind::kRead,      OpKind::kRead,      OpKind::kWrite,
                                        OpKind::kAppend, OpKind::kIncrement, OpKind::kScan,      OpKind::kScan,
                                        OpKind::kScan,   OpKind::kAggregate, OpKind::kAggregate, OpKind::kAggregate,
                                        OpKind::kUpdate, OpKind::kRead,      OpKind::kRead,      OpKind::kRead};
  static constexpr Lock kLocks[16] = {
      Lock::kNone,  Lock::kUpdate, Lock::kShare,  Lock::kNone,  Lock::kNone, Lock::kNone, Lock::kNone, Lock::kUpdate,
      Lock::kShare, Lock::kNone,   Lock::kUpdate, Lock::kShare, Lock::kNone, Lock::kNone, Lock::kNone, Lock::kNone};
  static constexpr std::uint32_t code(OpKind kind, Lock lock) {
    constexpr std::uint32_t kFirst[] = {0, 3, 4, 5, 6, 9, 12};
    return kFirst[static_cast<int>(kind)] + static_cast<std::uint32_t>(lock);
  }
  std::uint32_t word_;
};

// A key and a row, in the result or the version set of a predicate operation.
struct Item {
  KeyId key;
  ValueId value;
  friend bool operator==(const Item&, const Item&) = default;
};

// The details of one kScan, kAggregate or kUpdate operation.
struct Predicate {
  ValueId where;        // SQL text
  ValueId aggregate;    // "max(c1)", or null
  std::uint32_t items;  // first of its result items (the rows of a scan, or the rows that an update left)
  std::uint32_t item_count;
  std::uint32_t vset;  // first item of its version set, in the same column
  std::uint32_t vset_count;
  std::uint8_t has_vset;
  std::uint8_t unused[3];
};

// What a transaction sees, according to PostgreSQL.
struct Snapshot {
  TxnId txn;
  std::uint32_t active;  // first of its active transaction ids
  std::uint32_t active_count;
  std::uint32_t has_xid;
  std::int64_t xid, xmin, xmax;
};

// The order of the versions of one key, as given. With `by_txn` the entries are TxnIds, otherwise ValueIds.
struct VersionOrder {
  KeyId key;
  std::uint8_t by_txn;
  std::uint8_t complete;
  std::uint8_t unused[2];
  std::uint32_t first;  // entries of this order in the column `version_entries`
  std::uint32_t count;
};

// The interval of an operation on the client's clock that does not fit 32-bit offsets.
struct WideInterval {
  std::int64_t before, after;
  OpId op;
  std::uint32_t unused;
};

// The interval of a commit on the client's clock that does not fit 32-bit offsets. `after` may be kNoTime.
struct WideCommit {
  std::int64_t before, after;
  TxnId txn;
  std::uint32_t unused;
};
// In `commit_length`: the time of the commit's answer is not known.
inline constexpr std::uint32_t kOpenCommit = kNone32 - 1;

// Something that was done to the system while the history was recorded: a restart, a killed connection, an operation of
// a Jepsen nemesis. On the clock of the transactions' begin and end. It is for people: no engine looks at it.
struct FaultMark {
  std::int64_t begin, end;  // `end` is kNoTime for a moment
  ValueId name;             // a string: "restart", "start-partition"
  ValueId detail;           // a string, or null
};

// Every column, each `Of<element>`: owned while building, a span when finished. An optional column is empty if nothing
// in the history has it.
template <template <typename> class Of>
struct ColumnsOf {
  // one entry per transaction (first_op: one more)
  Of<std::uint32_t> first_op;
  Of<SessionId> session;
  Of<ValueId> id;
  Of<Status> status;
  Of<std::int64_t> begin, end;           // optional; kNoTime where not known
  Of<std::int64_t> start_ts, commit_ts;  // optional
  Of<std::int64_t> order;                // optional
  Of<std::int64_t> sno;                  // optional: the number that the client gave it in its session
  // optional: the interval of the commit: offset from the begin of the transaction, and duration (kNone32: not known)
  Of<std::uint32_t> commit_before, commit_length;
  Of<WideCommit> wide_commits;  // for offsets of kNone32 with length 0; ordered by txn
  // one entry per operation
  Of<OpHead> op;
  Of<ValueId> op_value;
  Of<std::uint32_t> op_before, op_length;  // optional: offset from the transaction's begin, and duration
  Of<WideInterval> wide_intervals;         // for offsets of kNone32 with length 0; ordered by op
  // names
  Of<ValueId> key_name;
  Of<ValueId> key_initial;  // optional, one per key; otherwise defaults[0] applies
  Of<ValueId> session_name;
  // values
  Of<std::uint64_t> value_begin;
  Of<std::uint8_t> value_type, value_bytes;
  // predicates
  Of<Predicate> predicates;
  Of<Item> items;
  // evidence
  Of<Snapshot> snapshots;  // ordered by txn
  Of<std::int64_t> active_xids;
  Of<VersionOrder> version_orders;
  Of<std::uint32_t> version_entries;
  Of<FaultMark> faults;  // in the order of the file
  // single values
  Of<ValueId> defaults;     // [0]: initial value of every key
  Of<std::uint32_t> flags;  // [0]: HistoryFlag bits
  Of<char> about;
};

template <typename T>
using ConstSpan = std::span<const T>;
using HistoryColumns = ColumnsOf<ConstSpan>;
using OwnedColumns = ColumnsOf<Column>;

enum HistoryFlag : std::uint32_t {
  kSerialByCommitTs = 1,    // the header says that commit timestamps are the serialization order
  kVersionsByCommitTs = 2,  // never in a file: the user says that they order versions where nothing else does
  kInitialGuessed = 4,      // some initial values are a guess (history/guessed_initial.h)
};

// Calls `f(number, name, column…)` for each column of the given sets: the one list from which files and views are made.
// The numbers are part of the `.isl` format: their meaning never changes.
template <typename F, typename... Columns>
void for_each_column(F&& f, Columns&... c) {
  f(1, "first_op", c.first_op...);
  f(2, "session", c.session...);
  f(3, "id", c.id...);
  f(4, "status", c.status...);
  f(5, "begin", c.begin...);
  f(6, "end", c.end...);
  f(7, "start_ts", c.start_ts...);
  f(8, "commit_ts", c.commit_ts...);
  f(9, "order", c.order...);
  f(10, "op", c.op...);
  f(11, "op_value", c.op_value...);
  f(12, "op_before", c.op_before...);
  f(13, "op_length", c.op_length...);
  f(14, "wide_intervals", c.wide_intervals...);
  f(15, "key_name", c.key_name...);
  f(16, "key_initial", c.key_initial...);
  f(17, "session_name", c.session_name...);
  f(18, "value_begin", c.value_begin...);
  f(19, "value_type", c.value_type...);
  f(20, "value_bytes", c.value_bytes...);
  f(21, "predicates", c.predicates...);
  f(22, "items", c.items...);
  f(23, "snapshots", c.snapshots...);
  f(24, "active_xids", c.active_xids...);
  f(25, "version_orders", c.version_orders...);
  f(26, "version_entries", c.version_entries...);
  f(27, "defaults", c.defaults...);
  f(28, "flags", c.flags...);
  f(29, "about", c.about...);
  f(30, "sno", c.sno...);
  f(31, "commit_before", c.commit_before...);
  f(32, "commit_length", c.commit_length...);
  f(33, "wide_commits", c.wide_commits...);
  f(34, "faults", c.faults...);
}

class History {
 public:
  // `storage` keeps the memory alive that the columns point into. Requires: defect_of(columns) is empty.
  History(HistoryColumns columns, std::shared_ptr<const void> storage)
      : c_(columns), values_(c_.value_begin, c_.value_type, c_.value_bytes), storage_(std::move(storage)) {}

  [[nodiscard]] std::uint32_t txn_count() const { return static_cast<std::uint32_t>(c_.session.size()); }
  [[nodiscard]] std::uint32_t op_count() const { return static_cast<std::uint32_t>(c_.op.size()); }
  [[nodiscard]] std::uint32_t key_count() const { return static_cast<std::uint32_t>(c_.key_name.size()); }
  [[nodiscard]] std::uint32_t session_count() const { return static_cast<std::uint32_t>(c_.session_name.size()); }

  [[nodiscard]] SessionId session(TxnId t) const { return c_.session[raw(t)]; }
  [[nodiscard]] Status status(TxnId t) const { return c_.status[raw(t)]; }
  [[nodiscard]] std::int64_t begin(TxnId t) const { return time(c_.begin, t); }
  [[nodiscard]] std::int64_t end(TxnId t) const { return time(c_.end, t); }
  [[nodiscard]] std::int64_t start_ts(TxnId t) const { return time(c_.start_ts, t); }
  [[nodiscard]] std::int64_t commit_ts(TxnId t) const { return time(c_.commit_ts, t); }
  [[nodiscard]] std::int64_t order(TxnId t) const { return time(c_.order, t); }
  [[nodiscard]] std::int64_t sno(TxnId t) const { return time(c_.sno, t); }
  [[nodiscard]] const Snapshot* snapshot(TxnId t) const;

  // The operations of `t` are first_op(t) … first_op(t+1)-1.
  [[nodiscard]] std::uint32_t first_op(TxnId t) const { return c_.first_op[raw(t)]; }
  [[nodiscard]] std::uint32_t end_op(TxnId t) const { return c_.first_op[raw(t) + 1]; }
  [[nodiscard]] OpHead op(std::uint32_t op) const { return c_.op[op]; }
  [[nodiscard]] ValueId op_value(std::uint32_t op) const { return c_.op_value[op]; }
  // The transaction that an operation belongs to. Cost: logarithmic.
  [[nodiscard]] TxnId txn_of(OpId op) const;
  // The operation's interval on the client's clock; both kNoTime if it is not known.
  struct Interval {
    std::int64_t before, after;
  };
  [[nodiscard]] Interval at(TxnId txn, OpId op) const;
  // The client's clock before the commit was sent and after it was answered (for an aborted transaction: the refused
  // commit, or the rollback). Both are kNoTime if not known; only `after` is if no answer came.
  [[nodiscard]] Interval commit_interval(TxnId txn) const;

  [[nodiscard]] const Predicate& predicate(PredicateId p) const { return c_.predicates[raw(p)]; }
  [[nodiscard]] std::span<const Item> items(const Predicate& p) const {
    return c_.items.subspan(p.items, p.item_count);
  }
  [[nodiscard]] std::span<const Item> vset(const Predicate& p) const { return c_.items.subspan(p.vset, p.vset_count); }

  [[nodiscard]] std::span<const FaultMark> faults() const { return c_.faults; }

  // The value of the key before its first write.
  [[nodiscard]] ValueId initial(KeyId k) const {
    return c_.key_initial.empty() ? c_.defaults[0] : c_.key_initial[raw(k)];
  }
  [[nodiscard]] ValueId default_initial() const { return c_.defaults[0]; }
  [[nodiscard]] bool has_flag(HistoryFlag flag) const { return (c_.flags[0] & flag) != 0; }
  [[nodiscard]] std::string_view about() const { return {c_.about.data(), c_.about.size()}; }

  [[nodiscard]] const ValueTable& values() const { return values_; }
  [[nodiscard]] const HistoryColumns& columns() const { return c_; }

  // Names as a person knows them, e.g. x, 7, "a b".
  [[nodiscard]] std::string key_text(KeyId k) const { return plain(c_.key_name[raw(k)]); }
  [[nodiscard]] std::string txn_text(TxnId t) const { return plain(c_.id[raw(t)]); }
  [[nodiscard]] std::string session_text(SessionId s) const { return plain(c_.session_name[raw(s)]); }
  [[nodiscard]] std::string value_text(ValueId v) const { return values_.json(v); }

 private:
  [[nodiscard]] static std::int64_t time(std::span<const std::int64_t> column, TxnId t) {
    return column.empty() ? kNoTime : column[raw(t)];
  }
  [[nodiscard]] std::string plain(ValueId v) const;

  HistoryColumns c_;
  ValueTable values_;
  std::shared_ptr<const void> storage_;
};

// Checks columns that were read from a file, before a History is made of them: empty if they are well formed, otherwise
// what is wrong. Cost: linear.
[[nodiscard]] std::string defect_of(const HistoryColumns& columns);

// Compares two histories: the same transactions in the same order, with the same names, operations and evidence. Ids
// may differ. Empty if they are equal, otherwise the first difference.
[[nodiscard]] std::string difference(const History& a, const History& b);

}  // namespace isolde
