// audit/facts/vocabularies.h: names that a statement is sent with, where they are not always the same.
//
//   DELETE FROM wp_options WHERE option_name = '_transient_is_multi_author';
//   DELETE FROM wp_options WHERE option_name = '_transient_wc_count_comments';
//
// In a table of names and values (schema/entries.h) the name says which column of the application is meant. A place of
// a statement that takes several of them is no constant (constants.h), but it does not take every name either: the
// program has a few, and a story in which it deletes 'woocommerce_tax_display_cart' is about another program. So a
// place takes the names that the trace shows with its statement, and no others.
//
// That another name never comes cannot be known from a trace. So it is an assumption: what it takes away is set aside.
//
// In, out: TraceLog, classes -> TransactionClass::vocabularies, a fact for each column.
// Always:  the names of all statements of the same shape count, whatever their class. Names with a digit in them are
//          made up on the way (_transient_timeout_wc_related_9): where one was seen, any of them may be. Nobody updates
//          the column.
// Cost:    a pass over the literals of the trace.
#pragma once

#include <span>
#include <vector>

#include "audit/classes/classes.h"
#include "audit/classes/forms.h"

namespace isolde::audit {

// Requires: forms.groups are those of classes.classes, in that order.
void find_vocabularies(const TraceLog& log, const Forms& forms, Classes& classes);

// The fact that says that these rows have no name in common; kNone32: they may.
[[nodiscard]] std::uint32_t fact_that_parts(const Classes& classes, ClassId a, const ClassRows& rows_a, ClassId b,
                                            const ClassRows& rows_b);

// The values of `a` and `b` that both have; empty means any.
struct CommonNames {
  bool none = false;
  std::vector<LiteralId> names;
};
[[nodiscard]] CommonNames names_in_common(std::span<const LiteralId> a, std::span<const LiteralId> b);

// What the variable may be: its constant, its vocabulary; empty: anything.
[[nodiscard]] std::span<const LiteralId> names_of(const TransactionClass& one, std::uint32_t variable);

}  // namespace isolde::audit
