// audit/story/wording.h: what goes wrong in a story, and what each step has to do with it, for an application
// developer.
//
// In, out: a named cycle and its order of events -> sentences; remarks for events.
// Always:  transactions are T1, T2 …; columns have their table's name; "above" and "below" are as the steps stand.
#pragma once

#include <string>
#include <vector>

#include "audit/story/story.h"

namespace isolde::audit {

[[nodiscard]] std::string words_of(const Classes& classes, AnomalyName name, const Cycle& cycle);

// By event; empty where the step does not matter. `cycle` may have more edges than its members have.
[[nodiscard]] std::vector<std::string> remarks_of(const Classes& classes, const Cycle& cycle,
                                                  const std::vector<Event>& events);

}  // namespace isolde::audit
