// check/mirror/columns.h: rows that are written and read in part: each column is an item of its own.
//
// A row's key carries what is about the row: its lock, who updated it first, and whether it is there. Its columns carry
// what was read. A row that was deleted and comes back has columns that nobody named: what stands in them is not known,
// so the columns of a deleted row are left unchecked from then on.
// Cost: 16 bytes a key beside the key table; a delete looks up every name that columns have.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/state_file.h"
#include "check/mirror/key_table.h"
#include "check/mirror/moments.h"
#include "history/chunk.h"

namespace isolde::mirror {

class Core;

// What a row's key holds while the row is there.
inline constexpr Fingerprint kPresentFingerprint{(mix64(0x69736f6c64652d72ULL) << 2) | 2};

constexpr Fingerprint column_fingerprint(Fingerprint row, Fingerprint name) {
  return Fingerprint{(mix64(mix64(raw64(row)) * 0x9e3779b97f4a7c15ULL + raw64(name)) << 2) | 2};
}

struct Columns {
  struct Of {
    Fingerprint row = kNullFingerprint, name = kNullFingerprint;
  };
  bool on = false;                                            // the stream's header says so
  std::vector<Of> of;                                         // by key slot; no name: no column
  std::vector<Fingerprint> names;                             // of columns so far, sorted
  std::vector<std::pair<Fingerprint, Fingerprint>> initials;  // name and value in a row that was not told of its own
  std::int64_t doubt_until = kAlways;  // somebody came late and may have deleted a row until then

  static constexpr std::size_t kMostNames = 4096;  // columns of other names are left unchecked

  [[nodiscard]] bool is_column(KeySlot key) const { return key < of.size() && of[key].name != kNullFingerprint; }
  void save(StateWriter& out) const;
  void load(StateReader& in);
};

// The header's initial values. A column whose first value is known has kPresentFingerprint among its written values.
void begin_columns(Core& core, const Chunk& head);
[[nodiscard]] KeySlot column_slot(Core& core, KeySlot row, Fingerprint name);
// What is in the row's columns is not known any more.
void doubt_columns(Core& core, KeySlot row);
// Whether somebody in motion left something else than a row there.
[[nodiscard]] bool row_in_doubt(Core& core, KeySlot row);
[[nodiscard]] bool is_row(const History& history, ValueId value);

}  // namespace isolde::mirror
