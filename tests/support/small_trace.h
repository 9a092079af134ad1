// tests/support/small_trace.h: traces written by hand as what their statements do, one transaction a line.
//
//   T1: rw(cart.id) r(cart.total) @ cart.id=7; rwo(cart.id) w(cart.total) @ cart.id=7
//
// The words are those of small_classes.h; the keys' values are numbers. Statements that differ only in these have the
// same shape. Transactions come one after the other unless "T1 [2-9]:" says when one began and ended. A name that
// begins with - was rolled back, with ? is still open.
#pragma once

#include <string_view>
#include <vector>

#include "audit/classes/classes.h"

namespace isolde::audit::testing {

struct SmallTrace {
  TraceLog log;
  Schema schema;
  std::vector<Statement> statements;  // by shape
};
[[nodiscard]] SmallTrace small_trace(std::string_view text);

[[nodiscard]] Classes classes_of(const SmallTrace& trace, const ClassOptions& options = {});

}  // namespace isolde::audit::testing
