// check/mirror/script.h: what one transaction asked and was told, statement by statement: all that the exact
// search needs of it.
//
// In, out: a transaction of a chunk -> its acts, one a key that a statement read or changed, in program order.
// Always:  nothing is concluded here; the profile is not known.
// Cost:    56 bytes an act; made only where a search looks at the transaction.
#pragma once

#include <cstdint>
#include <vector>

#include "base/state_file.h"
#include "check/mirror/partition.h"
#include "check/mirror/windows.h"
#include "history/chunk.h"

namespace isolde::mirror {

enum class ActKind : std::uint8_t {
  kRead,
  kSet,  // null: a delete, which may find nothing
  kRow,  // a row that a predicate update found and set
  kAppend,
  kIncrement,
  kRange,  // what lies in [key, value], integers, and was not among the rows before it, was absent
};

struct Act {
  Fingerprint key, value;
  std::int64_t lo, hi;  // of its statement
  std::uint32_t place;  // of its statement
  ActKind kind;
  Lock lock;
  bool timed;  // the statement's interval was recorded: it was answered
  std::uint8_t unused = 0;
};

struct Script {
  Fingerprint id = kNullFingerprint;
  std::uint32_t number = 0;
  Status status = Status::kCommitted;
  TxnWindows at{};
  std::uint32_t statements = 0;
  Window first{};                // the first statement's
  Window first_read{};           // the first plain read's
  std::uint32_t read_place = 0;  // … its place; `statements`: there is none
  bool first_timed = true;
  bool looks = false;  // it has predicates other than ranges of keys: of these, acts are only the rows
  std::vector<Act> acts;

  [[nodiscard]] bool writes(const Act& act) const { return act.kind != ActKind::kRead && act.kind != ActKind::kRange; }
  void save(StateWriter& out) const;
  void load(StateReader& in);
};

// Only acts on keys of the share.
[[nodiscard]] Script script_of(const Chunk& chunk, TxnId txn, std::uint32_t number, const KeyShare& share);

// Whether an act of kind kRange is about `key`.
[[nodiscard]] inline bool in_range(const Act& range, Fingerprint key) {
  return is_integer(key) && integer_of(key) >= integer_of(range.key) && integer_of(key) <= integer_of(range.value);
}

}  // namespace isolde::mirror
