// audit/trace/postgres_prefix.h: what stands before "LOG:" on a line of PostgreSQL's log (log_line_prefix).
//
// Always:  nothing has to be told about its form. The session is, in this order: a session id (%c), `pid=` with a
//          number, a number in brackets ([%p]), a number by itself (%p, or the client's port), else all but the time.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace isolde::audit {

struct PostgresPrefix {
  std::string_view session;  // empty: nothing tells sessions apart
  std::int64_t time_us;
};

[[nodiscard]] PostgresPrefix postgres_prefix(std::string_view prefix);

// A line: its prefix, its label (LOG, ERROR, DETAIL …) and what follows. Nothing: it has no label.
struct PostgresLine {
  std::string_view prefix, label, text;
};
[[nodiscard]] std::optional<PostgresLine> postgres_line(std::string_view line);

}  // namespace isolde::audit
