// tests/support/draft_of.h: a generated history as a Draft, so that a test can change it and shrink it.
//
// In, out: a History of registers with integers, without predicates and snapshots -> its Draft, in the order of lines.
#pragma once

#include "history/history.h"
#include "tests/support/draft.h"

namespace isolde {

[[nodiscard]] Draft draft_of(const History& history);

}  // namespace isolde
