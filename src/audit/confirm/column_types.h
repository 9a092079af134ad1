// audit/confirm/column_types.h: the types of a scratch database's columns, where the schema does not tell them.
//
// Always: a column of unknown type gets the one that its literals look like, or that of a column it is compared with;
//         no column but those of keys refuses NULL, so that what an INSERT leaves out does not matter; a whole key of
//         one number that an INSERT leaves out counts as generated.
#pragma once

#include "audit/confirm/play.h"

namespace isolde::audit {

// Fills Play::schema of the tables that are used, and Play::types.
void complete_types(Play& play);

}  // namespace isolde::audit
