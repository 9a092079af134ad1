// audit/facts/written_values.h: how the numbers that an application writes follow from those that were there.
//
// A trace has no results, but it has every literal that was written. The last literal written to a column of a row is
// what the next reader finds, so for UPDATE … SET s_ytd = 17 the old value is often known. A *form* is a way to get the
// new value from the old one that all UPDATEs of one kind have in common:
//   new = old + constant           (a counter),
//   new = old + slot + constant    (slot: a literal at one certain place of the same round of the transaction: the
//   new = old - slot + constant     quantity of the order line),
// with at most two constants (TPC-C adds 91 to a stock that runs low), and the slot the same for all of them: else
// small numbers explain anything.
//
// With a form two things can be told.
//   - Updates that were lost while the trace was recorded: the value that was written does not follow from the last
//   one,
//     but from one before it, and the transaction that had replaced that one was still running when this one began.
//     This is no possibility: it happened.
//   - That what is written depends on nothing but the row's own value (projections.h).
//
// In, out: TraceLog, forms of the classes -> for each UPDATE of a class and each column, how many writes are explained.
// Always:  versions of a row are in the order of the commits; a value that is not a literal, and an UPDATE of rows that
//          are not told by their primary key, make it unknown.
// Cost:    one pass over the trace, then its numeric literals once for each UPDATE of their class.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "audit/facts/occurrences.h"

namespace isolde::audit {

// One UPDATE of a class and one column that it sets to a number.
struct WrittenColumn {
  ClassId of{kNone32};
  std::uint32_t position = 0;  // of the class
  ColumnId column = kNoColumn;
  std::uint64_t writes = 0;      // whose old value is known
  std::uint64_t by_last = 0;     // of these, that follow from it by the best form
  std::uint64_t by_earlier = 0;  // … not, but from one that a transaction running at the same time had replaced
  std::uint64_t values = 0;      // different ones that were written, as far as the form explains them; at most 4
  // A counter: the best form is new = old + this, and nothing else. None: there is a slot, or there are two constants.
  std::optional<double> step = std::nullopt;
  // A write whose value is a literal but no number, or that the best form does not explain by any version.
  std::uint64_t unexplained = 0;
  // The first of those `by_earlier`: the statement that was lost and the one that overwrote it, in
  // TraceLog::statements.
  std::uint32_t lost = kNone32, overwrote = kNone32;
  double old_value = 0, lost_value = 0, value = 0;
};

[[nodiscard]] std::vector<WrittenColumn> find_written_values(const TraceLog& log, const Forms& forms,
                                                             const Classes& classes);

// The updates that were lost, by column. Only of columns whose forms are plain to see: at least 20 writes of one
// UPDATE, of which at least 80 % follow from the last value, with at least four different results. (A flag that is set
// to 1 and now and then to 0 looks like a counter, or like a value that is written back; that a 0 comes behind a 1 says
// nothing.)
[[nodiscard]] std::vector<LostInTrace> lost_updates(const TraceLog& log, const Classes& classes,
                                                    const std::vector<WrittenColumn>& written);

}  // namespace isolde::audit
