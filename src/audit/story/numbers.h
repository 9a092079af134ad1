// audit/story/numbers.h: numbers of a story that follow from others: 31 was read, so order 31 is inserted.
//
// The values of a story are those of transactions of the trace (values.h), each by itself. Where two take a number from
// one counter (facts/flows.h), what the second reads is what the first left, so its numbers are one more; if both read
// before either has committed, they are the same.
//
// In, out: the order of events and the story's values -> the same, with the numbers of every member that takes one, all
//          other places of the cycle that must be equal to them, and values that are another plus a constant.
// Always:  the first number that is read of a counter is the one that its reader had in the trace.
#pragma once

#include <span>

#include "audit/cycles/moments.h"
#include "audit/facts/same_rows.h"
#include "audit/story/values.h"

namespace isolde::audit {

// `rows` is used for work. Requires: values.literals are by the members of the cycle.
void number_story(const Classes& classes, TraceLog& log, SameRows& rows, const Cycle& cycle,
                  std::span<const Event> events, WeakLevel level, StoryValues& values);

}  // namespace isolde::audit
