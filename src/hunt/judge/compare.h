// hunt/judge/compare.h: two answers, or two runs of the same statements, compared as the server wrote them.
//
// Always: rows are compared as multisets, cells by value and type; the first statement that differs is named.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "db/connection.h"
#include "hunt/case/case.h"
#include "hunt/finding/finding.h"
#include "hunt/run/execution.h"

namespace isolde::hunt {

[[nodiscard]] bool same_rows(const db::Reply& a, const db::Reply& b);
// One row a line, sorted; a line of its own where there are none.
[[nodiscard]] std::string rows_text(const db::Reply& reply);
// What stands in `of` and not in `other`, table by table.
[[nodiscard]] std::string contents_text(const ContentsByTable& of, const ContentsByTable& other);

struct Difference {
  Wrong wrong = Wrong::kResult;
  Place where;
  std::string expected, actual;
  std::string anomaly;
};

// An error that is due to other transactions, to a limit or to the machine: it says nothing about the statement.
[[nodiscard]] bool is_about_concurrency(const db::Reply& reply);

struct Compared {
  bool decided = true;  // false: a limit or a lock came in between
  std::optional<Difference> difference;
};
// Statements in transactions against the same alone, in the order `order`.
[[nodiscard]] Compared compare(const Case& test, const Execution& execution, std::span<const Place> order,
                               const AloneRun& alone);
// Two runs of one case in transactions. Undecided unless all went the same way and nothing failed or waited.
[[nodiscard]] Compared compare(const Case& test, const Execution& first, const Execution& second);

}  // namespace isolde::hunt
