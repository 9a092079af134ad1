// base/printable.h: text as a terminal may show it: nothing in it moves the cursor, hides or reorders what is read.
//
// Values, names and messages come from histories, servers and strangers. A terminal obeys control characters in them:
// ESC, and U+009B, which means the same; direction marks make a line read differently from what it says.
// In, out: any bytes -> UTF-8 in which C0 and C1 controls, DEL, marks of direction, line and paragraph separators,
//          invisible characters and byte order marks stand as \u009b. Bytes that are no UTF-8 become U+FFFD.
// Always:  within a JSON string the escape means what it stands for, so JSON stays the same value.
#pragma once

#include <string>
#include <string_view>

namespace isolde {

enum class Colours { kEscape, kKeep };  // the few sequences that our own renderers write

// Newlines and tabs stay.
[[nodiscard]] std::string printable(std::string_view text, Colours colours = Colours::kEscape);
// Newlines and tabs are escaped, too: for a name within a line.
[[nodiscard]] std::string printable_line(std::string_view text);

}  // namespace isolde
