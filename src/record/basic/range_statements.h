// record/basic/range_statements.h: statements on all rows of a table that satisfy a condition, recorded as predicates.
//
// In, out: a condition over columns a and b -> requests, and scans, aggregates and predicate updates in the journal.
// Always:  the condition that is recorded is the one that was sent, its parameters written out. Rows after an update
//          come from the database: by RETURNING, or by a SELECT of the rows that carry the update's own number `w`, in
//          the same transaction, which holds their locks. Each call is false once the transaction has ended.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "db/dialect.h"
#include "record/basic/item_table.h"
#include "record/workload/client.h"

namespace isolde::record {

// SQL over the columns a and b with a `?` for each parameter; in the predicate language of docs/predicates.md too.
struct Condition {
  std::string_view sql;
  std::vector<db::Cell> parameters;  // integers

  // With the parameters written out.
  [[nodiscard]] std::string text() const;
};

// "a between ? and ?": what updates are about, since those of the rows that have been changed are found again by it.
[[nodiscard]] Condition range_of_a(std::int64_t low, std::int64_t high);
[[nodiscard]] Condition range_of_a_with_b_below(std::int64_t low, std::int64_t high, std::int64_t b);
[[nodiscard]] Condition either(std::int64_t a, std::int64_t b);

class RangeStatements {
 public:
  // Requires: the table's columns are a, b, w, and it outlives this.
  RangeStatements(const db::Dialect& dialect, const ItemTable& table);

  [[nodiscard]] bool scan(Client& client, const Condition& where, Lock lock) const;
  // `expression`: "count(*)", "max(b)", …
  [[nodiscard]] bool aggregate(Client& client, std::string_view expression, const Condition& where) const;
  // What a predicate update does to a row, besides giving it a new w.
  enum class Change { kSetB, kTurnB, kMoveA };
  // Requires: `where` is a range of a, with or without more. `value`: for kSetB and kMoveA.
  [[nodiscard]] bool update(Client& client, Change change, std::int64_t value, const Condition& where) const;
  [[nodiscard]] bool remove(Client& client, const Condition& where) const;

 private:
  [[nodiscard]] std::vector<RecordedItem> rows_of(const db::Reply& reply) const;

  const ItemTable& table_;
  std::string lock_;
  bool returns_;
};

}  // namespace isolde::record
