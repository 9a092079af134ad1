// hunt/run/sent.h: how a statement is sent otherwise than as it stands: the SQL around it.
#pragma once

#include <string>
#include <string_view>

#include "hunt/case.h"

namespace isolde::hunt {

// What is sent in place of the statement, with what goes before and after it; those two may be empty.
struct SentSql {
  std::string before, sql, after;
  bool by_driver = false;  // `sql` is the statement itself, which the driver prepares
};
// `driver`: whether there is one that can prepare it; else SQL has to do.
enum class Preparer : std::uint8_t { kDriver, kSql };
[[nodiscard]] SentSql sent_sql(const Statement& statement, std::string_view dialect, Preparer preparer);

}  // namespace isolde::hunt
