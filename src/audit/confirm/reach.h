// audit/confirm/reach.h: which statements of a trace are run on a server: those that reach nothing but scratch tables.
//
// A trace may come from anybody, and confirming runs its statements with the rights of the person who confirms. A
// scratch schema alone is no fence: select set_config('search_path', 'public', false) leaves it, others read files,
// write them or run programs.
// In, out: one line of a play -> "" or why it is not sent, as the end of a sentence.
// Always:  whatever looks like a call is of a function that is listed: one that computes, or reads a clock. A quoted
//          name is never taken for a word of SQL.
#pragma once

#include <string>

#include "audit/confirm/play.h"

namespace isolde::audit {

[[nodiscard]] std::string why_not_sent(const Play& play, const Line& line);

}  // namespace isolde::audit
