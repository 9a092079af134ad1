// audit/classes/column_domains.h: columns whose values mean the same thing: a key and everything that refers to it.
//
// In, out: Schema -> a number for each column; equal for columns of one domain.
// Always:  two columns are of one domain if a foreign key ties them, or by their names: a column that has the very name
//          of another table's one-column key (order_item_id), or that table's name with _id behind it (post_id of
//          wp_posts). A name that could mean several tables means none.
// Limits:  names are a convention. Used where a mistake costs little: to keep equal what was equal in the trace.
#pragma once

#include <cstdint>
#include <vector>

#include "audit/schema/schema.h"

namespace isolde::audit {

class ColumnDomains {
 public:
  explicit ColumnDomains(const Schema& schema);
  [[nodiscard]] std::uint32_t of(ColumnId column) const { return domain_[raw(column)]; }
  // Part of a key, or of one domain with one: it names rows, rather than telling something about them.
  [[nodiscard]] bool names_rows(ColumnId column) const { return names_rows_[raw(column)]; }

 private:
  void unite(ColumnId a, ColumnId b);
  std::vector<std::uint32_t> domain_;
  std::vector<bool> names_rows_;
};

}  // namespace isolde::audit
