// audit/trace/recording.h: a history that isolde recorded -> the statements that it stands for.
//
// In, out: reads and writes of keys, scans, updates -> SELECT, INSERT, UPDATE, DELETE on tables, in PostgreSQL's words,
//          with BEGIN and COMMIT or ROLLBACK; first one CREATE TABLE a table, in a session of its own.
// Always:  a key `district/1/3` is the row of table district with key1 = 1 and key2 = 3; any other key is a row of the
//          table kv. Sessions are those of the history, interleaved by the clients' clock where it is known. A write to
//          a row that nobody has seen is an INSERT. An update that changed no row is the SELECT of its condition. A
//          transaction whose end is unknown is committed, since that is what the client wanted. `line` is the
//          transaction's place in the history, from 1.
// Cost:    the history and 16 bytes an operation.
#pragma once

#include "audit/trace/read_trace.h"
#include "format/format.h"

namespace isolde::audit {

// The format if this is a recording (native, .isl or a folder of journals), else null.
[[nodiscard]] const FormatInfo* recognised_recording(const Source& source);

[[nodiscard]] Result<void> read_recording(const Source& source, const FormatInfo& format, Progress* progress,
                                          TraceSink& sink);

}  // namespace isolde::audit
