// cli/letters.h: text that fits a terminal: as wide as it is, and in letters that its locale has.
//
// Requires: valid UTF-8 (base/printable.h). Escape sequences of colours take no columns.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace isolde::cli {

// For a locale without UTF-8: signs and lines in ASCII, any other letter as its JSON escape.
[[nodiscard]] std::string in_ascii(std::string_view text);

[[nodiscard]] std::size_t columns_of(std::string_view text);
// At most so many columns; what is cut off is shown by "…" (which takes one).
[[nodiscard]] std::string cut_to_columns(std::string_view text, std::size_t columns);
// Lines that are longer are continued on the next ones, at the place where their own text begins.
[[nodiscard]] std::string folded(std::string_view text, std::size_t columns);

}  // namespace isolde::cli
