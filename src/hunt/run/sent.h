// hunt/run/sent.h: how a statement is sent otherwise than as it stands: the SQL around it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hunt/case/case.h"

namespace isolde::hunt {

// What is sent in place of the statement, with what goes before and after it.
struct SentSql {
  std::vector<std::string> before;
  std::string sql;
  std::vector<std::string> after;
  bool by_driver = false;  // `sql` is the statement itself, which the driver prepares
};
// Whether there is a driver that can prepare it; else SQL has to do.
enum class Preparer : std::uint8_t { kDriver, kSql };
[[nodiscard]] SentSql sent_sql(const Statement& statement, std::string_view dialect, Preparer preparer);

}  // namespace isolde::hunt
