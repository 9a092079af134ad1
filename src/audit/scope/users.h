// audit/scope/users.h: keys that say whose a row is: a session, a customer, a cart.
//
// In, out: a column -> whether its values belong to one user, by the words in its name (or its table's).
// Limits:  English words. Used to mark and to rank what takes two requests of one user, and to find the requests of one
//          user.
#pragma once

#include "audit/schema/schema.h"

namespace isolde::audit {

[[nodiscard]] bool is_of_one_user(const Schema& schema, ColumnId column);

}  // namespace isolde::audit
