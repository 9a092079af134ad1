// audit/story/stakes.h: what is at stake if a column is wrong, by the words in its name, its table's name and its type.
//
// In, out: column -> from 1 (quantities, amounts, balances, vouchers) over 0.2 (ids) to -1 (time stamps, sessions,
// caches). Limits:  English words; a weak prior, which only orders stories.
#pragma once

#include <string_view>
#include <vector>

#include "audit/schema/schema.h"

namespace isolde::audit {

struct Stakes {
  explicit Stakes(const Schema& schema);
  // Of what goes by that name, such as an entry of a table of names and values (schema/entries.h).
  [[nodiscard]] static double of_name(std::string_view name);
  std::vector<double> of_column;
  std::vector<double> of_table;  // of its rows, if it matters whether they are there
};

}  // namespace isolde::audit
