// tests/support/history_text.h: a history in one line of a test.
//
//   hist("T1: a x1 | T2: a x2 | T3: r x[1 2]")
//
// Transactions are separated by `|`. Before the colon stands the name and what is known of the transaction, in any
// order:
//   T1@s1       its session (left out: one of its own); of one session, they stand in session order
//   T1!  T1?    aborted; unknown
//   3..5        start_ts..commit_ts; either side may be left out: `3..`, `..5`
//   {10..20}    begin..end, likewise
//   #2          its `order`
//   %2          its `sno`
// After the colon its operations; a key is letters, a value follows at once:
//   r x1        read 1;  `x_` read absent;  `x[1 2]` read a list;  `x{7}` the row {"v": 7},
//               `x{7,3}` {"v": 7, "n": 3},  `x{_}` {"v": NULL}
//   w x1        write;  `w x_` delete
//   a x1        append 1
//   i x+1       increment by 1 (`x-1`: by -1)
//   s x{1} y{2} scan with these rows;  u x{1} predicate update with these rows after (until the next operation);
//               both `v >= 0`, or s`v < 3` x{1};  u x_ a predicate delete
//   g`max(v)``v < 3` 2  aggregate: the call, the condition, the result   (g`max(v)` 2: of `v >= 0`)
//   s x{1} <x{1} y{-1}>   … its version set
// Two names are no transactions:
//   init: x0 y[1]          what keys hold at first
//   versions: x[1 2] y<T2 T1>   complete version orders, by value and by transaction
//
// What cannot be read stops the test program with a message.
#pragma once

#include <string>
#include <string_view>

#include "history/history.h"
#include "tests/support/draft.h"

namespace isolde {

[[nodiscard]] Draft draft(std::string_view text);
[[nodiscard]] History hist(std::string_view text);

// The history in the native format, for the messages of failing tests.
[[nodiscard]] std::string native_text(const History& history);

}  // namespace isolde
