// history/history_builder.h: the only way to make a History; every reader, generator and recorder uses it.
//
// In, out: names, values and operations, transaction by transaction -> finish() -> History.
// Always:  transactions are added in session order; nothing of an abandoned transaction is kept.
// Cost:    constant per operation; names and values are interned here and nowhere else.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/column.h"
#include "base/ids.h"
#include "base/result.h"
#include "history/history.h"
#include "history/value.h"

namespace isolde {

class HistoryBuilder {
 public:
  HistoryBuilder();
  ~HistoryBuilder();
  HistoryBuilder(HistoryBuilder&&) noexcept;
  HistoryBuilder& operator=(HistoryBuilder&&) noexcept;

  // Values: `values().integer(7)`, `values().list(…)`; null is kNullValue.
  ValueInterner& values() { return values_; }
  KeyId key(ValueId name);
  KeyId key(std::string_view name) { return key(values_.string(name)); }
  KeyId key(std::int64_t name) { return key(values_.integer(name)); }
  // A key named only by text, as in a JSON object: the string key of that name if there is one, else the integer key
  // that the text spells, else a new string key.
  KeyId key_by_name(std::string_view name) { return resolve(values_.string(name)); }
  SessionId session(ValueId name);
  SessionId session(std::int64_t name) { return session(values_.integer(name)); }

  // One transaction: begin, then any of the others, then end (or abandon).
  TxnId begin_txn(SessionId session);
  void set_session(SessionId session);
  void set_id(ValueId id);  // default: the position of the transaction, from 0
  // The position of the first transaction, if this is a piece of something longer.
  void set_first_place(std::int64_t place) { first_place_ = place; }
  void set_status(Status status);
  void set_begin(std::int64_t time);
  void set_end(std::int64_t time);
  void set_start_ts(std::int64_t time);
  void set_commit_ts(std::int64_t time);
  void set_order(std::int64_t place);
  void drop_order() { c_->order.resize(0, kNoTime); }  // of all transactions
  void set_sno(std::int64_t number);
  // The client's clock around the commit; `after` is kNoTime if no answer came. finish() rejects an interval that
  // contradicts the other readings of the transaction (history/commit_interval.h).
  void set_commit(std::int64_t before, std::int64_t after);
  void set_snapshot(std::optional<std::int64_t> xid, std::int64_t xmin, std::int64_t xmax,
                    std::span<const std::int64_t> active);

  void read(KeyId key, ValueId value, Lock lock = Lock::kNone) { add(OpKind::kRead, lock, raw(key), value); }
  void write(KeyId key, ValueId value) { add(OpKind::kWrite, Lock::kNone, raw(key), value); }
  void append(KeyId key, ValueId element) { add(OpKind::kAppend, Lock::kNone, raw(key), element); }
  // Requires: `delta` is an integer.
  void increment(KeyId key, ValueId delta) { add(OpKind::kIncrement, Lock::kNone, raw(key), delta); }
  void scan(std::string_view where, std::span<const Item> result, Lock lock = Lock::kNone);
  void aggregate(std::string_view expression, std::string_view where, ValueId value, Lock lock = Lock::kNone);
  void update(std::string_view where, std::span<const Item> rows_after);
  // Details of the last operation added.
  void at(std::int64_t before, std::int64_t after);
  // Requires: the last operation is a predicate operation.
  void vset(std::span<const Item> versions);
  // The key of entry `place` of the last version set added, by its name: as key_by_name, but resolved by finish(), when
  // all keys are known.
  void name_vset_key(std::size_t place, std::string_view name);

  void end_txn();
  void abandon_txn();
  [[nodiscard]] std::uint32_t txn_count() const { return static_cast<std::uint32_t>(c_->session.size()); }
  // Operations of the open transaction.
  [[nodiscard]] std::uint32_t open_ops() const {
    return static_cast<std::uint32_t>(c_->op.size()) - c_->first_op.back();
  }
  // What was added so far, for evidence that is derived from it. Requires: no transaction is open, and finish() was not
  // called.
  [[nodiscard]] const OwnedColumns& columns() const { return *c_; }

  // Evidence and header.
  void set_about(std::string_view text) { about_ = text; }
  // For a reader that finds out only at the end that the file has no clock.
  void forget_ends() { c_->end.clear(); }
  void set_serial_by_commit_ts() { flags_ |= kSerialByCommitTs; }
  void set_initial_guessed() { flags_ |= kInitialGuessed; }
  void set_default_initial(ValueId value) { default_initial_ = value; }
  void set_initial(KeyId key, ValueId value);
  // As key_by_name, but resolved by finish(), when all keys are known.
  void set_initial_by_name(std::string_view name, ValueId value);
  void version_order(KeyId key, std::span<const ValueId> versions, bool complete);
  void version_order_by_name(std::string_view name, std::span<const ValueId> versions, bool complete, bool by_txn);
  // Done to the system while the history was recorded (FaultMark). `end` is kNoTime for a moment.
  void fault(std::int64_t begin, std::int64_t end, ValueId name, ValueId detail) {
    c_->faults.push_back({begin, end, name, detail});
  }
  [[nodiscard]] std::size_t fault_count() const { return c_->faults.size(); }
  // For a reader that finds out only at the end when, or whether, a fault ended.
  void end_fault(std::size_t place, std::int64_t end, ValueId detail);
  void forget_faults() { c_->faults.clear(); }
  [[nodiscard]] std::size_t version_order_count() const { return pending_orders_.size(); }
  // `txn_ids`: ids as given to set_id; they must be known when finish() is called.
  void version_order_by_txn(KeyId key, std::span<const ValueId> txn_ids, bool complete);

  // Ensures: a well-formed History, or an error. If the error is at one transaction, `faulty_txn()` names it.
  [[nodiscard]] Result<History> finish();
  [[nodiscard]] std::optional<TxnId> faulty_txn() const { return faulty_txn_; }
  // If the error is at one version order: its number, from 0, in the order in which they were added.
  [[nodiscard]] std::optional<std::size_t> faulty_version_order() const { return faulty_order_; }

 private:
  struct PendingName {
    ValueId name;  // a string
    ValueId value;
  };
  struct PendingOrder {
    ValueId name;
    KeyId key;  // kNoKey: by name
    bool complete;
    bool by_txn;
    std::uint32_t first, count;  // in pending_entries_
  };

  void add(OpKind kind, Lock lock, std::uint32_t subject, ValueId value) {
    c_->op.push_back(OpHead(kind, lock, subject));
    c_->op_value.push_back(value);
  }
  void store_intervals();
  void store_commit();
  PredicateId new_predicate(ValueId where, ValueId aggregate, std::span<const Item> items);
  void set_time(Column<std::int64_t>& column, std::int64_t value);
  [[nodiscard]] KeyId resolve(ValueId name);
  [[nodiscard]] std::optional<Error> too_large() const;
  void settle_initial();
  void unify_empty_lists();
  [[nodiscard]] std::optional<Error> resolve_ids();
  [[nodiscard]] std::optional<Error> resolve_orders();

  ValueInterner values_;
  std::int64_t first_place_ = 0;
  Column<std::uint32_t> small_key_;  // KeyId of the integer keys below kSmallKeys
  IdIndex key_index_, session_index_;
  Column<std::uint32_t> small_session_;
  std::unique_ptr<OwnedColumns> c_;

  std::vector<WideInterval> open_intervals_;                   // of the open transaction
  History::Interval open_commit_ = {kNoTime, kNoTime};         // likewise
  std::optional<std::pair<TxnId, std::string>> commit_fault_;  // the first one
  struct PendingKey {
    std::uint32_t item;
    ValueId name;
  };
  std::vector<PendingKey> pending_keys_;  // of items, ascending
  std::vector<PendingName> pending_initial_;
  std::vector<PendingOrder> pending_orders_;
  Column<ValueId> pending_entries_;
  std::string about_;
  std::uint32_t flags_ = 0;
  ValueId default_initial_ = kNullValue;
  bool open_ = false;
  std::optional<TxnId> faulty_txn_;
  std::optional<std::size_t> faulty_order_;
  // where the open transaction began in the shared columns, for abandon_txn()
  std::size_t open_predicates_ = 0, open_items_ = 0, open_wide_ = 0, open_snapshots_ = 0, open_active_ = 0;
};

}  // namespace isolde
