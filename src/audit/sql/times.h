// audit/sql/times.h: expressions that are the present, and those that are long before it.
//
//   INSERT INTO cart … date_added = NOW()
//   DELETE FROM cart WHERE … date_added < NOW() - INTERVAL 1 HOUR
// A row that was made just now is none of those that the DELETE finds: transactions that run at the same time are not
// an hour apart.
//
// Always:  long ago is at least an hour: units of HOUR and more with a number of at least 1.
#pragma once

#include <span>
#include <string_view>

#include "audit/sql/tree.h"

namespace isolde::audit {

// NOW(), CURRENT_TIMESTAMP and the like.
[[nodiscard]] bool is_now(tree::Json json);
// NOW() - INTERVAL 1 HOUR, DATE_SUB(NOW(), INTERVAL 1 HOUR). `literals`: the values of $1, $2 …
[[nodiscard]] bool is_long_ago(tree::Json json, std::span<const std::string_view> literals);

}  // namespace isolde::audit
