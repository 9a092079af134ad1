// history/copy_value.h: copies a value from one table to another.
//
// In, out: a table and one of its ids -> the id of the same value in the interner.
// Cost:    linear in the bytes of the value; nested values are copied too.
#pragma once

#include "history/value.h"

namespace isolde {

ValueId copy_value(const ValueTable& from, ValueId value, ValueInterner& to);

}  // namespace isolde
