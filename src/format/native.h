// format/native.h: the native history format, JSON Lines (CONTRACT section 3), read and written.
//
// In, out: text -> History, one transaction a line; History -> the same text in canonical form.
// Always:  a field that the format does not have is an error with the nearest name, or with ReadOptions::lenient is
//          ignored and counted; fields that begin with `x-` are never looked at. Lines that start with '#' are
//          comments. An error names line and column.
// Cost:    one pass; a line in the form that Isolde writes takes a path without any general JSON parsing.
#pragma once

#include "format/format.h"

namespace isolde {

extern const FormatInfo kNativeFormat;

// Whether the text is native JSON Lines with something wrong on its first line (a misspelt or missing field, an end too
// soon), so that reading it as such says what.
[[nodiscard]] bool resembles_native(std::string_view text);

}  // namespace isolde
