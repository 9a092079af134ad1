// hunt/run/setup_sql.h: how the tables of a schema are made, filled and put back, and how sessions are set up: the SQL,
// a dialect at a time.
//
// Always: putting back is one request and one transaction; it names no table that the schema does not have.
#pragma once

#include <chrono>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "hunt/case/case.h"

namespace isolde::hunt {

// Whether hunts know how to treat a server that speaks it.
[[nodiscard]] bool is_huntable(std::string_view dialect);

struct SessionSetup {
  std::vector<std::string> must;  // without which nothing can be judged
  std::vector<std::string> may;   // what the server may refuse, e.g. to an ordinary user
};
// Of a session that runs transactions.
[[nodiscard]] SessionSetup fighter_setup(std::string_view dialect, std::chrono::milliseconds limit);
// Of the session that makes and resets tables and looks on.
[[nodiscard]] SessionSetup keeper_setup(std::string_view dialect);

// How a server may be made to look for rows, by settings of a session.
enum class Plan : std::uint8_t {
  kByIndexes,  // wherever there is one, however small the table
  kByScans,    // by no index, and joined by loops
};
[[nodiscard]] std::string_view name(Plan plan);  // "by-indexes", "by-scans"
inline constexpr Plan kPlans[] = {Plan::kByIndexes, Plan::kByScans};
struct PlanSettings {
  std::vector<std::string> on, off;  // empty: the server has no such settings
};
[[nodiscard]] PlanSettings plan_settings(std::string_view dialect, Plan plan);

// CREATE …, in their order; the tables are empty.
[[nodiscard]] std::vector<std::string> creation(const Schema& schema, std::string_view dialect);
// What makes one table: CREATE TABLE with its partitions, then its trigger.
[[nodiscard]] std::vector<std::string> creation(const Table& table, std::string_view dialect);
// What is left of the schema when its tables and views are dropped: PostgreSQL's functions.
[[nodiscard]] std::vector<std::string> left_by_drops(const Schema& schema, std::string_view dialect);
// One text of several statements: every table has the schema's rows, in their order.
[[nodiscard]] std::string reset_sql(const Schema& schema, std::string_view dialect);
// The same where only tables in `changed` have other rows: they, and those that refer to them, are emptied and filled.
// Empty: there is nothing to do.
[[nodiscard]] std::string reset_sql(const Schema& schema, std::string_view dialect,
                                    const std::set<std::string_view>& changed);

}  // namespace isolde::hunt
