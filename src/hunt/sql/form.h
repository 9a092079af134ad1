// hunt/sql/form.h: columns that keep values of a type in another form: an integer as a floating-point number, a text
// inside of a JSON object, a date as a moment with a time of day.
//
// Expressions know the few types of tree.h. A column of another form is read through a function (`out`) that gives such
// a type, and what is stored passes one that makes the form (`into`); so servers store, index and compare floats, JSON
// and timestamps, and every expression still depends on nothing but rows and fails on none.
//
// Always: integers below 1e9 are exact as doubles, so sums and comparisons do not depend on the order of rows.
//         `into` and `out` need not be inverse: each is a function.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "hunt/sql/tree.h"

namespace isolde::hunt::sql {

enum class Form : std::uint8_t { kPlain, kFloat, kJson, kMoment };

// The form that columns of this type may have besides the plain one; kPlain: none.
[[nodiscard]] Form form_for(Type type);
// What CREATE TABLE says.
[[nodiscard]] std::string_view column_type(Form form, std::string_view dialect);

// The value of a column, which is `column` if the form is plain.
[[nodiscard]] NodePtr read_out(Form form, Type type, const std::string& alias, const std::string& column);
// What is stored for a value of the type.
[[nodiscard]] NodePtr put_into(Form form, NodePtr value);
// The same for a literal, as a literal; `text` is the plain one's, printed for the dialect.
[[nodiscard]] std::string literal_in(Form form, const std::string& text);

// Whether the call makes a form of a value: its operand has to fit into a column.
[[nodiscard]] bool makes_form(std::string_view call);

}  // namespace isolde::hunt::sql
