// audit/render_story.h: an anomaly's steps in columns, one a transaction, time running down.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "audit/story/story.h"
#include "report/text.h"

namespace isolde::audit {

inline constexpr std::string_view kEndOfColour = "\033[0m";

// `who`: what the members are called, with a number behind it: "T", "R". Statements that take no part are one line,
// several in a row "… 3 statements"; long ones lose their middle.
[[nodiscard]] std::string steps_text(std::span<const StoryStep> steps, std::size_t members, std::string_view who,
                                     std::size_t width, Colour colour);

// Lines of at most `width` characters, broken at blanks where there are any.
[[nodiscard]] std::vector<std::string> wrapped(std::string_view text, std::size_t width);
// Characters, not bytes.
[[nodiscard]] std::size_t width_of(std::string_view text);
// White space runs become one blank.
[[nodiscard]] std::string one_line(std::string_view sql);

}  // namespace isolde::audit
