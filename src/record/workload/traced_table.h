// record/workload/traced_table.h: how rows of a table are keys and values of a history; used by workloads and by
// recovery alike.
//
// Always: keys and values are JSON text as in the native format, so that a row read by a client and the same row found
//         in the database's log are the same text.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "db/connection.h"

namespace isolde::record {

enum class ValueStyle : std::uint8_t {
  kScalar,    // the one value column
  kRow,       // an object of all value columns
  kTextList,  // the one value column is text "1,2,3": a list of integers
  kArray,     // the one value column is an array or JSON list: "{1,2,3}", "[1, 2, 3]"
};

struct TracedTable {
  std::string name;
  std::vector<std::string> key_columns;    // its primary key, in this order
  std::vector<std::string> value_columns;  // those that a history carries
  ValueStyle style = ValueStyle::kScalar;
  bool bare_key = false;  // the key is the one key column itself: 7; else "table/7", "district/1/3"
};

[[nodiscard]] std::string json_text(const db::Cell& cell);
[[nodiscard]] std::string key_text(const TracedTable& table, std::span<const db::Cell> key_cells);
// As above, where the key is integers.
[[nodiscard]] std::string key_text(const TracedTable& table, std::initializer_list<std::int64_t> key);
[[nodiscard]] std::string value_text(const TracedTable& table, std::span<const db::Cell> value_cells);

}  // namespace isolde::record
