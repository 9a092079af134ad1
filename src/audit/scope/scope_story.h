// audit/scope/scope_story.h: a pair of statements of scope.h as a story: two requests, both check, then both act.
//
// Always:  the SQL is the trace's. The second request is the same request again, on the same key; ids that its rows
// have
//          of their own are other ones (the next number).
#pragma once

#include <span>

#include "audit/scope/held.h"
#include "audit/scope/scope.h"

namespace isolde::audit {

// Fills in `steps` and `words`. `keys`: the values by which both statements name the rows.
void tell_scope_story(TraceLog& log, const Classes& classes, ScopeFinding& finding, std::span<const KeyValue> keys);

}  // namespace isolde::audit
