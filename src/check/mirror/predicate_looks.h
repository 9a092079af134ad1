// check/mirror/predicate_looks.h: predicate operations: what they say of the keys that their result does not show.
//
// A scan, an aggregate or a predicate update looks at one version of every key at the moment of its statement (Leopard:
// a range read is a consistent read of a set of versions). Rows that it returned are reads like others, and must match.
// A key that is known and not in the result was read, too: in some version that does not match, or is absent. If every
// version that can have been seen matches, the row was missed. If just one does not, that one was seen, and orders
// commits as any read does. Certifiers get a dependency where a version changes the match, and only there (Adya's
// predicate-read and predicate-anti-dependencies): a database need not notice other changes.
// In, out: predicate operations as a transaction is taken (arrival_predicates.cc) -> TakenLook; judged with it
//          (look_at_keys.cc, look_aggregates.cc).
// Always:  what a version holds is known by its fingerprint only as long as RowValues has it; else that key says
// nothing, and
//          the operation counts as unchecked, once. Nothing rests on a version on which the condition has a fault.
// Cost:    one evaluation per key (for a key range, per key in it) while `credit` lasts; after that the operation
//          counts as unchecked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/state_file.h"
#include "check/mirror/key_table.h"
#include "check/predicates/header_keys.h"
#include "check/predicates/row_values.h"
#include "history/chunk.h"

namespace isolde::mirror {

class Core;

enum class LookKind : std::uint8_t { kScan, kUpdate, kAggregate };

// A key that the operation itself says something of: a row of its result, or one that its transaction had written.
struct LookRow {
  Fingerprint value;  // what the transaction had written
  KeySlot key;
  std::uint32_t own;  // 1: it had
};

[[nodiscard]] constexpr std::string_view look_name(LookKind kind) {
  return kind == LookKind::kScan ? "scan" : kind == LookKind::kUpdate ? "update" : "aggregate";
}

struct TakenLook {
  Fingerprint where, aggregate, result;  // texts, and an aggregate's value
  std::uint32_t moment;                  // in Taken::moments
  std::uint32_t statement;               // its place in the transaction
  std::uint32_t first_row, rows;         // in Taken::look_rows, by key
  LookKind kind;
  bool alone;   // each key has a moment of its own
  bool moving;  // a row that is changed while it is looked for may be missed, or met twice
  bool open;    // something about it cannot be judged
  std::uint8_t unused[4] = {};
};

enum class Match : std::uint8_t { kNo, kYes, kUnclear };

struct Looks {
  bool on = false;  // the stream has predicates
  RowValues rows;
  std::int64_t credit = kMostCredit;  // evaluations
  static constexpr std::int64_t kMostCredit = std::int64_t{1} << 24, kCreditALook = std::int64_t{1} << 14;
  std::uint64_t waits_for_sweep = std::uint64_t{1} << 32;  // transactions since values were last swept

  HeaderKeys header;

  // The condition of that text; null: it is not held, or not understood.
  [[nodiscard]] const CompiledPredicate* condition(Fingerprint where);
  [[nodiscard]] Match match(const CompiledPredicate& condition, const KeyState& state, KeySlot key, Fingerprint value);
  // In `rows`; nothing if it is not held.
  [[nodiscard]] std::optional<ValueId> value_of(KeySlot key, Fingerprint value);

  [[nodiscard]] std::size_t bytes() const { return rows.bytes() + known_.capacity() * sizeof(Known); }
  void save(StateWriter& out) const;
  [[nodiscard]] bool load(StateReader& in);

 private:
  struct Known {
    Fingerprint fingerprint = kNullFingerprint;
    ValueId id = kNullValue;
  };
  void renew();
  std::vector<Known> known_;  // by key slot: the value that was last asked for
  std::unordered_map<std::uint64_t, CompiledPredicate> conditions_;
  std::uint64_t edition_ = 0;
};

// What keys of the header hold.
void note_initial(Core& core, const Chunk& head);
// From the first predicate on, values are kept.
void begin_looks(Core& core, const Chunk& chunk);
// The values of a transaction.
void note_values(Core& core, const Chunk& chunk, TxnId txn);
// Values that no key holds any more go, where room is short.
void tidy_values(Core& core);

}  // namespace isolde::mirror
