// audit/confirm/patterns.h: the rows that a story may be about: what the cycle leaves open, once each way.
//
// The cycle says which keys of its members are equal. Others are open: two orders of one customer or of two. Whether
// they are equal can decide whether the story can happen. So each way to make the open keys of a member equal to keys
// of the others, or to none, is a pattern, the story's own the first; and each pattern is tried with rows
// that are as the statements look for them at first, or become so only by what another member writes (Variation).
//
// What was different in a transaction of the trace stays different in its member. Only keys of contested tables
// (play.h) are varied: numbers that name rows, and texts that are looked for or written where one looks, if they are
// data (play_values.h): a text such as 'paid' is part of the program. Keys of rows that a member makes are its own.
//
// In, out: Play, classes -> patterns; play with one of them.
// Cost:    counted: at most `most` are listed, and counting ends at kMostPatterns.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "audit/confirm/play.h"

namespace isolde::audit {

// A key of a member that has another value than in the story.
struct Renaming {
  std::uint32_t member, variable;
  std::string value;
};

struct Patterns {
  static constexpr std::uint64_t kMostPatterns = 1000;
  std::vector<std::vector<Renaming>> listed;  // the first is empty: the story's own
  std::uint64_t count = 0;                    // all of them; kMostPatterns: at least so many
};

[[nodiscard]] Patterns row_patterns(const Play& play, std::size_t most);
void rename_keys(Play& play, const std::vector<Renaming>& renamings);

}  // namespace isolde::audit
