// audit/hints/hints.h: what the developer knows, as a small TOML file (docs/audit.md).
//
// In, out: TOML -> Hints. One error with its place for a word that is not known, or a class or column that is not
// there. Example:
//   [[ignore]]                       # a class that may see anything
//   class = "stock level*"           # by name; * stands for anything
//   [[once]]                         # never runs beside itself: one replica
//   class = "delivery*"
//   [[unique]]                       # never the same in two concurrent transactions
//   column = "cart.customer_id"
//   [[commutes]]                     # updates of it may come in any order
//   column = "district.d_ytd"
//   [[existing]]                     # single rows that are looked up are there: no rw from such a read to an INSERT
//   table = "*"
//   [[remove]]                       # dependencies that do not exist; each part may be left out
//   from = "order status*"           # a class
//   to = "new order*"
//   column = "orders.o_id"
//   kind = "rw"
//   [[exclusive]]                    # the two never happen between the same two transactions
//   first = { from = "order status*", to = "new order*", column = "orders.o_id", kind = "rw" }
//   second = { from = "new order*", to = "order status*", column = "order_line.*" }
//   [[correlated]]                   # the first implies the second
//   first = { … }
//   second = { … }
//   [[distrust]]                     # a kind of fact that the trace seems to show and that may be chance
//   fact = "queue"                   # equal, choice, same-choice, co-insert, queue, not-chosen
//   [[keep]]                         # not to be fixed: no target column
//   column = "warehouse.w_ytd"
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "audit/classes/fact.h"
#include "audit/schema/ids.h"
#include "audit/schema/schema.h"
#include "base/result.h"

namespace isolde::audit {

struct EdgePattern {
  std::string from = "*", to = "*";  // class names with *
  std::string column = "*";          // "table.column" with *
  std::string kind;                  // ww, wr, rw; empty: any
};

struct PairHint {
  EdgePattern first, second;
  std::string why;
};

// A class, a table or a column that a hint names, and where.
struct HintName {
  enum class What : std::uint8_t { kClass, kTable, kColumn };
  What what;
  std::string pattern;
  std::uint64_t line, column;
};

struct Hints {
  std::string file;
  std::vector<HintName> names;
  std::vector<std::string> ignored_classes;
  std::vector<std::string> single_classes;  // [[once]]
  std::vector<std::string> unique_columns;
  std::vector<std::string> commuting_columns;
  std::vector<std::string> existing_tables;
  std::vector<EdgePattern> removed;
  std::vector<PairHint> exclusive, correlated;
  std::vector<std::string> kept_columns;
  FactSwitches distrusted = {};
};

[[nodiscard]] Result<Hints> read_hints(const std::string& path);
[[nodiscard]] Result<Hints> read_hints_text(std::string_view text, const std::string& file);
// An error for the first name that nothing has; it says where, and what is nearest. `classes`: all names of classes.
[[nodiscard]] Result<void> check_names(const Hints& hints, std::span<const std::string_view> classes,
                                       const Schema& schema);
// `*` stands for any run of characters; case does not count.
[[nodiscard]] bool matches(std::string_view pattern, std::string_view name);

}  // namespace isolde::audit
