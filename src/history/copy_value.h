// history/copy_value.h: a value of one table, in another.
//
// In, out: a table and an id of it -> the id that the same value has in the interner.
// Cost:    linear in the value's bytes; nested ones are copied too.
#pragma once

#include "history/value.h"

namespace isolde {

ValueId copy_value(const ValueTable& from, ValueId value, ValueInterner& to);

}  // namespace isolde
