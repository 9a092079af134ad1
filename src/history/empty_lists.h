// history/empty_lists.h: on a key that holds lists, the empty list and absence are one state.
//
// In, out: columns -> where `[]` stands for absence; a History in which it is absence (kNullValue) there.
// Always:  a key that is appended to holds lists. So does a key that nobody appends to, if everything that is written
//          to it, read from it or held by it at first is a list or absence: a client that asks for a list that nobody
//          has made yet is given `[]`. But where `[]` itself is written, it is a version that a read can be told apart
//          by, and where something else than a list is seen, `[]` is a value like any other.
//          HistoryBuilder::finish() does it for what is built. Files of earlier versions (.isl) still have `[]`.
// Cost:    one pass over the operations; nothing where `[]` is not among the values.
#pragma once

#include <cstdint>
#include <vector>

#include "history/history.h"

namespace isolde {

// Places in the columns of these names.
struct EmptyListPlaces {
  std::vector<std::uint32_t> op_value, items, version_entries, key_initial;
};

// `empty` is the id of `[]`. Requires: `default_initial` is no list, unless every key has an initial value of its own.
[[nodiscard]] EmptyListPlaces empty_list_places(const HistoryColumns& columns, const ValueTable& values, ValueId empty,
                                                ValueId default_initial);

// The same history, in which `[]` is absence on keys that hold lists: unchanged, and shared, if it was so before.
[[nodiscard]] History with_empty_lists_absent(const History& history);

}  // namespace isolde
