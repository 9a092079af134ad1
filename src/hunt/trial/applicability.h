// hunt/trial/applicability.h: on which levels a statement is a function of what its transaction sees (TxCheck,
// assumption 3), and why not on the others.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace isolde::hunt {

// A level on which the method's assumption does not hold, and why.
struct NotApplicable {
  std::string reason;
  bool recognisable = false;  // it may be run: findings of this one cause are told once, under its name
  std::string cause;          // e.g. "innodb-repeatable-read"
};
// `server` as Database::describe() says it, `level` as the server calls it.
[[nodiscard]] std::optional<NotApplicable> why_not(std::string_view dialect, std::string_view level,
                                                   std::string_view server);

}  // namespace isolde::hunt
