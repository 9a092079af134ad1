// check/timeline/key_state.h: what a key holds as the sweep goes on, and what one transaction makes of it meanwhile.
//
// Always: a register is one value id. A key becomes a list or a counter at its first append or increment; from then on
//         its content lies in `Rich`, because it is no value of the table.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "history/history.h"

namespace isolde::timeline {

// One cache-friendly record a key: the committed state, then the view of the transaction that is being read.
struct KeyState {
  ValueId value;              // of a register
  std::uint32_t writer;       // TxnId of the version, kNone32: initial
  std::uint32_t commit_rank;  // place of that commit among the events, from 1; 0: initial
  std::uint32_t rich;         // index of the list or counter, or kNone32
  std::uint32_t stamp;        // transaction (+1) that touched the key last, while it is replayed
  ValueId local;              // what that transaction last read or wrote …
  std::uint32_t local_rich;   // … or the index of its own appends or increments on top
  std::uint32_t unused;
};
static_assert(sizeof(KeyState) == 32);

// A list or a counter.
struct Rich {
  bool is_counter = false;
  bool is_number = true;  // a counter whose base was no number has no value any more
  std::int64_t number = 0;
  std::vector<ValueId> elements;
};

// What a transaction did to a list or counter since it last read or overwrote it.
struct LocalRich {
  bool from_snapshot = true;  // on top of the snapshot, else on top of `KeyState::local`
  bool is_counter = false;
  std::int64_t delta = 0;
  std::vector<ValueId> appended;
};

// The content of a key as a list or counter, from a value: absence is the empty list and zero.
void make_rich(const ValueTable& values, ValueId value, bool is_counter, Rich& out);

// Whether a read of `value` shows this content (with `on_top` applied, if there is any).
[[nodiscard]] bool shows(const ValueTable& values, ValueId value, const Rich& content, const LocalRich* on_top);
// Whether the list that was read at least ends with what the transaction itself appended.
[[nodiscard]] bool ends_with_own(const ValueTable& values, ValueId value, const LocalRich& own);

[[nodiscard]] std::string text_of(const ValueTable& values, const Rich& content, const LocalRich* on_top);

}  // namespace isolde::timeline
