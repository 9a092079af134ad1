// audit/schema/entries.h: tables that keep one value per row under a name: wp_postmeta (post_id, meta_key, meta_value).
//
// What such a table calls a column is a row: the stock and the usage count of a post are both meta_value. So whoever
// asks what a statement is about must look at the name that it gives: wp_postmeta[_stock].
//
// In, out: Schema -> for each table, the column of the names and the column of the values, if it is such a table.
// Always:  found by the names of the columns: one that ends in value, and one that ends in key, or in name with the
// same
//          beginning (option_name, option_value; name, value).
//          The values are texts, or of a type that is not known.
// Limits:  names are a convention; a table whose columns are called otherwise is taken for a plain one.
#pragma once

#include <vector>

#include "audit/schema/schema.h"

namespace isolde::audit {

struct EntryColumns {
  ColumnId name = kNoColumn, value = kNoColumn;
};

// By table.
[[nodiscard]] std::vector<EntryColumns> entry_columns(const Schema& schema);

}  // namespace isolde::audit
