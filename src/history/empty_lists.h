// history/empty_lists.h: for a key that holds lists, the empty list and absence are the same state.
//
// In, out: columns -> where `[]` means absence; a History in which these places have kNullValue instead.
// Always:  a key that is appended to holds lists. So does a key without appends, if everything written to it, read from
//          it, or its initial value, is a list or absence: a client that reads a list that does not exist yet gets
//          `[]`. But if `[]` itself is written to the key, it is a version that reads can identify, and if the key has
//          values that are not lists, `[]` is a value like any other.
//          HistoryBuilder::finish() does this for new histories. Files of earlier versions (.isl) still have `[]`.
// Cost:    one pass over the operations; none if `[]` is not among the values.
#pragma once

#include <cstdint>
#include <vector>

#include "history/history.h"

namespace isolde {

// Positions in the columns of these names.
struct EmptyListPlaces {
  std::vector<std::uint32_t> op_value, items, version_entries, key_initial;
};

// `empty` is the id of `[]`. Requires: `default_initial` is not a list, unless every key has its own initial value.
[[nodiscard]] EmptyListPlaces empty_list_places(const HistoryColumns& columns, const ValueTable& values, ValueId empty,
                                                ValueId default_initial);

// The same history, in which `[]` is absence for keys that hold lists. If nothing changes, it is shared, not copied.
[[nodiscard]] History with_empty_lists_absent(const History& history);

}  // namespace isolde
