// gen/recorder.h: writes simulated transactions down as a History, with the evidence that was asked for.
//
// Always: keys are named by their index and sessions by their number; ones that no transaction touches are not in the
//         history. Nothing that the simulation does depends on what is recorded.
// Cost:   constant an operation, plus the elements of each list that is read.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/column.h"
#include "base/ids.h"
#include "base/result.h"
#include "base/rng.h"
#include "gen/options.h"
#include "history/history_builder.h"

namespace isolde {

// When a transaction did what: on the clients' clock, and by the store's oracle.
struct TxnTimes {
  std::int64_t begin, start, commit, end;  // begin < start < commit < end; `start` and `commit` are when the store acts
  std::int64_t start_ts, commit_ts;        // commit_ts: kNoTime if it did not commit
};

class Recorder {
 public:
  explicit Recorder(const GenOptions& options);

  // Requires: `ops` > 0, the number of operations that follow.
  TxnId open(std::uint32_t session, Status status, const TxnTimes& times, std::uint32_t ops);
  void read(std::uint32_t key, ValueId value) {
    builder_.read(id_of(key), value);
    if (op_intervals_) record_interval();
  }
  // A write, or on lists an append of that element.
  void write(std::uint32_t key, ValueId value) {
    if (lists_) {
      builder_.append(id_of(key), value);
    } else {
      builder_.write(id_of(key), value);
    }
    if (op_intervals_) record_interval();
  }
  void scan(std::string_view where, std::span<const Item> rows) {
    builder_.scan(where, rows);
    if (op_intervals_) record_interval();
  }
  void update(std::string_view where, std::span<const Item> rows_after) {
    builder_.update(where, rows_after);
    if (op_intervals_) record_interval();
  }
  void aggregate(std::string_view expression, std::string_view where, ValueId value) {
    builder_.aggregate(expression, where, value);
    if (op_intervals_) record_interval();
  }
  // Of the operation recorded last.
  void vset(std::span<const Item> versions) { builder_.vset(versions); }
  void close() { builder_.end_txn(); }
  // The open transaction made `value` the newest version of `key`. Called in commit order.
  void install(std::uint32_t key, ValueId value) {
    if (versions_) installs_.push_back({key, by_txn_ ? builder_.txn_count() - 1 : raw(value)});
  }

  [[nodiscard]] ValueId list(std::span<const ValueId> elements) {
    return elements.empty() ? kNullValue : builder_.values().list(elements);
  }
  [[nodiscard]] ValueId row(std::uint32_t c0, std::uint32_t c1, std::uint32_t version);
  [[nodiscard]] ValueId integer(std::int64_t value) { return builder_.values().integer(value); }
  [[nodiscard]] ValueId real(double value) { return builder_.values().real(value); }
  KeyId id_of(std::uint32_t key) {
    if (key < key_ids_.size() && key_ids_[key] != kNoKey) return key_ids_[key];
    return new_key(key);
  }
  [[nodiscard]] std::uint32_t txn_count() const { return builder_.txn_count(); }
  [[nodiscard]] Result<History> finish();

 private:
  struct Install {
    std::uint32_t key, entry;
  };

  KeyId new_key(std::uint32_t key);
  void record_interval();
  void record_version_orders();

  HistoryBuilder builder_;
  bool timestamps_, intervals_, op_intervals_, versions_, order_, lists_, by_txn_;
  Column<KeyId> key_ids_;          // by key; kNoKey: not touched yet
  Column<SessionId> session_ids_;  // by session
  Column<Install> installs_;
  double versions_share_;
  Rng kept_;    // which versions are; apart, likewise
  Rng jitter_;  // of the operations' intervals; apart, so that recording them changes nothing else
  TxnTimes times_{};
  std::uint32_t ops_ = 0, op_ = 0;
};

}  // namespace isolde
