// check/mirror: rows that are written and read in part (columns.h), as a transaction is taken.
#include <algorithm>

#include "check/mirror/arrival_reader.h"

namespace isolde::mirror {

// Columns of a row (columns.h).
void ArrivalReader::read_row(KeySlot row, ValueId value, Lock lock, std::uint32_t moment, const Window& at,
                             std::uint32_t op) {
  const Profile& profile = core_.options.profile;
  if (wrote(row) && own(row).value != kPresentFingerprint) {
    if ((own(row).flags & kStepwise) != 0) return leave_out();
    if ((own(row).flags & kDelete) == 0) return own_read_differs(row, kPresentFingerprint, own(row).value, op);
    write_was_idle(row, core_.keys[row]);
  }
  const bool own_row = wrote(row);
  const bool first = txn_.moments[moment].rows == 0;
  // Its own write may have made the latest state visible, or have changed nothing.
  const bool takes_latest = (lock != Lock::kNone || profile.read_locks) && profile.locking_reads_see_latest;
  const bool by_snapshot = profile.reads == Reads::kTransaction && !takes_latest;
  const bool same = by_snapshot ? profile.first_updater_wins && !profile.locking_reads_see_latest
                                : profile.write_locks || profile.reads == Reads::kCertified;
  const bool unclear = own_row && !same;
  if (!own_row && profile.reads != Reads::kDirty && profile.reads != Reads::kCertified) {
    txn_.reads.push_back({kPresentFingerprint, kNullFingerprint, row, moment, kPresence, kNoTxnSlot});
  }
  const bool doubted = in_doubt(row);
  for (const RowField& field : h_.values().row(value)) {
    const KeySlot column = touch_column(row, field, doubted);
    const Fingerprint seen = chunk_.value(field.value);
    if (core_.keys[column].has(kLossy)) {
      leave_out();
    } else if (wrote(column)) {
      if (own(column).value == seen) continue;
      if (same_value_is_idle()) {
        leave_out();
      } else {
        own_read_differs(column, seen, own(column).value, op);
      }
    } else if (unclear) {
      leave_out();
    } else {
      txn_.reads.push_back(
          {seen, kNullFingerprint, column, moment, lock == Lock::kNone ? 0U : kLockingRead, kNoTxnSlot});
      ++txn_.moments[moment].rows;
    }
  }
  if (own_row) return;  // and its lock
  if ((lock != Lock::kNone && profile.write_locks) || (lock == Lock::kNone && profile.read_locks)) {
    const bool latest = profile.reads != Reads::kTransaction || profile.locking_reads_see_latest;
    txn_.locks.push_back({at.hi, row, lock == Lock::kUpdate ? 1U : 0U, latest && first ? moment : kNone32});
  }
}

void ArrivalReader::write_row(KeySlot row, ValueId value, const Window& at, std::uint32_t op) {
  write(row, kPresentFingerprint, at, 0, op);
  const bool doubted = in_doubt(row);
  for (const RowField& field : h_.values().row(value)) {
    write(touch_column(row, field, doubted), chunk_.value(field.value), at, 0, op);
  }
}

// A delete, or something that is no row, is written: if a row was there, its columns are gone.
void ArrivalReader::replace_row(KeySlot row, Fingerprint value) {
  bool was_row = value == kNullFingerprint || core_.keys[row].base == kPresentFingerprint || wrote(row);
  for (const Version& v : core_.keys.versions(row)) was_row = was_row || v.value == kPresentFingerprint;
  if (was_row) doubt_columns(core_, row);
  if (txn_.late || txn_.begin < core_.horizon) {
    core_.columns.doubt_until = std::max(core_.columns.doubt_until, txn_.commit_hi);
  }
}

bool ArrivalReader::in_doubt(KeySlot row) {
  if (txn_.begin <= core_.columns.doubt_until || row_in_doubt(core_, row)) return true;
  if (!wrote(row)) return false;
  return std::any_of(txn_.writes.begin(), txn_.writes.end(),
                     [&](const TakenWrite& w) { return w.key == row && w.value != kPresentFingerprint; });
}

KeySlot ArrivalReader::touch_column(KeySlot row, const RowField& field, bool doubted) {
  const KeySlot column = column_slot(core_, row, chunk_.value(field.name));
  KeyState& state = core_.keys[column];
  state.flags |= kRecent;
  if (doubted) state.flags |= kLossy;
  state.touched = txn_.number;
  return column;
}

}  // namespace isolde::mirror
