// audit/schema/csv.h: a schema as lines table,column,type,default,key.
//
// In, out: text -> Schema, or one error with its place.
// Always:  several PRI of a table are one key; UNI is a key of its own; MUL says nothing. A header line is optional; it
//          may put the fields in another order, have more of them, and call them as information_schema does. A field
//          may be in double quotes, or have commas as `\,` (as LOAD DATA writes them); \N is no default. A single
//          integer key without a default counts as one that the database numbers.
#pragma once

#include <string>
#include <string_view>

#include "audit/schema/schema.h"

namespace isolde::audit {

[[nodiscard]] Result<Schema> read_csv_schema(std::string_view text, const std::string& file);

}  // namespace isolde::audit
