// tests/support/statement_text.h: a Statement as one line, for tests.
//
//   rw(orders.id) r(orders.total) @ orders[id=$1]!
//
// Accesses are written as in small_classes.h (r w, then letters, then the column). After @ come the row sets that have
// keys or are single (!), by name: the literal of index 0 is $1. A table with several row sets has them numbered:
// orders#2.id.
#pragma once

#include <string>
#include <string_view>

#include "audit/schema/schema.h"
#include "audit/sql/statement.h"

namespace isolde::audit::testing {

// "orders(id*, customer_id, total) lines(order_id* > orders.id, line*, item_id > items.id, note?)": * primary key,
// > foreign key, ! unique, ? has a default. Types are int.
[[nodiscard]] Schema small_schema(std::string_view text);

[[nodiscard]] std::string text_of(const Statement& statement, const Schema& schema);

// What every statement holds to, whatever it says; empty if it does, else what is wrong.
[[nodiscard]] std::string fault_of(const Statement& statement, const Schema& schema);

// PostgreSQL's text with $1, $2 … as literals; "not understood: …" if it is not. What the schema lacks is learned.
[[nodiscard]] std::string meaning_of(std::string_view sql, const Schema& schema);

struct MeaningCase {
  std::string_view sql, meaning;
};

}  // namespace isolde::audit::testing
