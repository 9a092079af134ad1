// format/native.h: the native history format, JSON Lines (CONTRACT section 3), read and written.
//
// In, out: text -> History, one transaction a line; History -> the same text in canonical form.
// Always:  unknown fields are ignored; lines that start with '#' are comments; an error names line and column.
// Cost:    one pass; a line in the form that Isolde writes takes a path without any general JSON parsing.
#pragma once

#include "format/format.h"

namespace isolde {

extern const FormatInfo kNativeFormat;

}  // namespace isolde
