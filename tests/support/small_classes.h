// tests/support/small_classes.h: transaction classes written by hand, one a line.
//
//   buy: rw(cart.id) r(cart.total) @ cart.id=c; rwo(cart.id) w(cart.total) @ cart.id=c
//
// A line is a name, a colon and statements with semicolons between them. A statement is accesses in their order, then,
// after @, the keys of the rows: table.column=variable (or, with a blank, more of them). Variables are of the class.
// The keys of a table make its rows single; after @~ they do not. What is left out has rows that nothing is known of.
// An access is r or w, letters, and a column in brackets:
//   r  x exclusive lock (FOR UPDATE)  s share lock   w in WHERE    c count(*)   o made by a statement that writes
//      u of the row that the statement writes (means o and x)      f check of a foreign key (means s and o)
//   w  + increments   i inserts   d deletes
// Tables and columns are made as they are named; the columns of the first single rows are the table's primary key.
// "table a(id*, total)" on a line of its own makes a table with its key.
// A class of one statement is in autocommit; "name [7]: …" was seen 7 times.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "audit/classes/classes.h"

namespace isolde::audit::testing {

// Every statement has a shape of its own, whose Statement is in Classes::statements; literal i is the i-th key. There
// is no TraceLog: example statements are none, example values are kNoLiteral. A mistake in the text fails the test.
// `variables`, if given, is set to the names of each class's variables.
[[nodiscard]] Classes small_classes(std::string_view text, std::vector<std::vector<std::string>>* variables = nullptr);

[[nodiscard]] ClassId class_named(const Classes& classes, std::string_view name);
[[nodiscard]] ColumnId column_named(const Classes& classes, std::string_view table_and_column);

// "rw(cart.id) r(cart.total) @ cart.id=0; …": the same words, variables as numbers.
[[nodiscard]] std::string text_of(const Classes& classes, const TransactionClass& one);

}  // namespace isolde::audit::testing
