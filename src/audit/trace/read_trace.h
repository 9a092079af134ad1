// audit/trace/read_trace.h: recorded SQL in any of its forms -> statements, one after the other, each with its session.
//
// In, out: MySQL/MariaDB general_log (old and new lines), PostgreSQL stderr log and csvlog, SQLite traces and plain
//          SQL, Isolde's own recordings -> TraceSink.
// Always:  the form is recognised from the content; parameters of prepared statements are put into the text. A session
//          is one connection: a thread id that comes back after Quit is another session. Nothing is left out in
//          silence: what could not be read is told to the sink with its line.
// Cost:    one pass; memory does not grow with the file (it is mapped). A recording is loaded whole.
// Use:     in plain SQL a line `-- session N` says whose statements follow, so that concurrent sessions can be written
//          by hand; N is any word. Before the first such line it is one session.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "audit/schema/ids.h"
#include "base/limits.h"
#include "base/mapped_file.h"
#include "base/result.h"

namespace isolde::audit {

enum class TraceFormat : std::uint8_t { kMysqlLog, kPostgresLog, kPostgresCsv, kSqlText, kRecording };
[[nodiscard]] std::string_view name(TraceFormat format);

struct TraceEvent {
  std::uint32_t session;  // 0, 1, 2 … in the order of appearance
  std::int64_t time_us;   // kNoTime: the trace does not say
  std::uint64_t line;     // where it begins, from 1
  std::string_view sql;   // valid during the call; one statement, without its final semicolon
};

struct TraceFacts {
  TraceFormat format = TraceFormat::kSqlText;
  SqlDialect dialect = SqlDialect::kPostgres;
  bool starts_in_autocommit = true;
  std::uint64_t bytes = 0;
};

class TraceSink {
 public:
  virtual ~TraceSink() = default;
  // Called once, before all others.
  virtual void begin_trace(const TraceFacts& /*facts*/) {}
  virtual void statement(const TraceEvent& event) = 0;
  // The session's last statement failed (the log says so): it had no effect; PostgreSQL's transaction can only be
  // rolled back.
  virtual void failed(std::uint32_t session) = 0;
  // The statements between these two came in one message, which PostgreSQL carries out as one transaction unless they
  // say otherwise.
  virtual void begin_message(std::uint32_t /*session*/) {}
  virtual void end_message(std::uint32_t /*session*/) {}
  // An open transaction is rolled back with it.
  virtual void end_of_session(std::uint32_t session) = 0;
  // A piece of the trace that is no statement and no known line.
  virtual void not_read(std::uint64_t line, std::string_view text, std::string_view why) = 0;
};

struct TraceOptions {
  std::optional<TraceFormat> format;  // none: recognised
  std::optional<SqlDialect> dialect;  // none: from the format; plain SQL: from its words (backticks: MySQL)
  Progress* progress = nullptr;
  InputLimits limits = {};  // of a trace that is a pipe
};

// An error: the file cannot be opened, or is none of these forms.
[[nodiscard]] Result<TraceFacts> read_trace(const std::string& path, const TraceOptions& options, TraceSink& sink);
// The same for a trace in memory; `file` is for messages.
[[nodiscard]] Result<TraceFacts> read_trace_text(std::string_view text, const std::string& file,
                                                 const TraceOptions& options, TraceSink& sink);

}  // namespace isolde::audit
