// check/mirror/arrival_reader.h: one Arrival read into a Taken: operation by operation, with the transaction's own
// writes in mind.
//
// In, out: an Arrival -> Taken, and its versions with their keys. Parts: taken.cc (operations), arrival_rows.cc
//          (columns), arrival_steps.cc (what it changed itself), arrival_install.cc (what it leaves behind).
// Cost:    linear in its operations; buffers are reused.
#pragma once

#include "check/mirror/core.h"
#include "check/mirror/windows.h"

namespace isolde::mirror {

class ArrivalReader {
 public:
  ArrivalReader(Core& core, const Arrival& arrival, Taken& txn)
      : core_(core),
        chunk_(*arrival.chunk),
        h_(arrival.history()),
        t_(arrival.txn),
        txn_(txn),
        slots_(core.scratch_slots) {}

  void run();

 private:
  void look_up_keys();
  void take_slots();
  KeySlot slot_of(Fingerprint key);
  void begin_key(KeySlot slot);
  [[nodiscard]] const Window& window(std::uint32_t op) const { return core_.scratch_windows[op - first_]; }
  void measure_all();
  [[nodiscard]] bool takes_snapshot(OpHead head) const;
  // The latest that the first operation can have been sent, for a snapshot that was taken before.
  [[nodiscard]] std::int64_t first_before(std::uint32_t op) const {
    return h_.at(t_, OpId{op}).before == kNoTime ? window(op).hi : window(op).lo;
  }
  void read_operations();
  // The moment that its rows share.
  std::uint32_t scan(const Predicate& predicate, Lock lock, const Window& at, std::uint32_t op);
  // arrival_predicates.cc
  void look(OpHead head, const Window& at, std::uint32_t op, std::uint32_t moment);
  void look_at_rows(const CompiledPredicate& condition, TakenLook& look, std::span<const Item> items);
  void look_at_own(const CompiledPredicate& condition, TakenLook& look, std::span<const Item> items);
  void look_differs(const TakenLook& look, KeySlot key, Fingerprint version, bool returned, std::string_view text);
  std::uint32_t moment_of(Lock lock, const Window& at, std::uint32_t name);
  [[nodiscard]] bool mine(KeyId key) const {
    return core_.owners == nullptr || core_.owners->of(key) == core_.share.index;
  }
  [[nodiscard]] std::int64_t when_settled() const;
  // Whether it certainly leaves a version of a key that is not of this partition.
  [[nodiscard]] bool writes_elsewhere() const;
  void read_value(KeySlot key, ValueId value, Lock lock, std::uint32_t moment, const Window& at, std::uint32_t op);
  void write_value(KeySlot key, ValueId value, const Window& at, std::uint32_t op);
  // Columns of a row (columns.h).
  void read_row(KeySlot row, ValueId value, Lock lock, std::uint32_t moment, const Window& at, std::uint32_t op);
  void write_row(KeySlot row, ValueId value, const Window& at, std::uint32_t op);
  // A delete, or something that is no row, is written: if a row was there, its columns are gone.
  void replace_row(KeySlot row, Fingerprint value);
  [[nodiscard]] bool in_doubt(KeySlot row);
  KeySlot touch_column(KeySlot row, const RowField& field, bool doubted);
  void leave_out() { ++core_.counts.unchecked; }
  [[nodiscard]] bool wrote(KeySlot key) const { return core_.keys[key].own == txn_.number; }
  [[nodiscard]] const TakenWrite& own(KeySlot key) const { return txn_.writes[core_.keys[key].own_at]; }
  void read(KeySlot key, Fingerprint value, Lock lock, std::uint32_t moment, const Window& at, std::uint32_t op,
            ValueId read_value);
  // What was there before its own appends and increments, by what it read after them.
  void read_after_steps(KeySlot key, const TakenWrite& own, Fingerprint value, ValueId read_value, std::uint32_t moment,
                        std::uint32_t op);
  void step(KeySlot key, const TakenStep& step, const Window& at);
  // A write that changed nothing was a read of what stood there, at its moment.
  void write_was_idle(KeySlot key, KeyState& state);
  // InnoDB at REPEATABLE READ: a write of the value that stands there already leaves the row to the snapshot.
  [[nodiscard]] bool same_value_is_idle() const {
    const Profile& profile = core_.options.profile;
    return profile.reads == Reads::kTransaction && profile.locking_reads_see_latest && !profile.first_updater_wins;
  }
  void own_read_differs(KeySlot key, Fingerprint read, Fingerprint own, std::uint32_t);
  void write(KeySlot key, Fingerprint value, const Window& at, std::uint32_t flags, std::uint32_t);
  void install();
  [[nodiscard]] bool was_grown_without(const TakenWrite& write);
  [[nodiscard]] TxnSlot txn_slot() const { return static_cast<TxnSlot>(&txn_ - core_.txns.data()); }

  Core& core_;
  const Chunk& chunk_;
  const History& h_;
  const TxnId t_;
  Taken& txn_;
  std::uint32_t first_ = 0, end_ = 0;
  bool snapshot_taken_ = false;
  std::vector<KeySlot>& slots_;
};

}  // namespace isolde::mirror
