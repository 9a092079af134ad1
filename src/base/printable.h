// base/printable.h: text that is safe to show on a terminal: nothing in it moves the cursor, or hides or reorders text.
//
// Values, names and messages come from histories, servers and strangers. A terminal obeys control characters in them:
// ESC, and U+009B, which means the same; direction marks make a line read differently from what it says.
// In, out: any bytes -> UTF-8 in which C0 and C1 controls, DEL, direction marks, line and paragraph separators,
//          invisible characters and byte order marks are escaped, as in \u009b. Invalid UTF-8 becomes U+FFFD.
// Always:  inside a JSON string the escape stands for the same character, so the JSON value does not change.
#pragma once

#include <string>
#include <string_view>

namespace isolde {

enum class Colours { kEscape, kKeep };  // the few colour sequences that our own renderers write

// Newlines and tabs stay.
[[nodiscard]] std::string printable(std::string_view text, Colours colours = Colours::kEscape);
// Escapes newlines and tabs as well: for a name within a line.
[[nodiscard]] std::string printable_line(std::string_view text);

}  // namespace isolde
