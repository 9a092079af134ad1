// audit/trace/postgres_events.h: what an entry of PostgreSQL's log means, whichever form it was written in.
//
// In, out: entries (severity, message, detail, statement) -> the sink's statements, failures and ends of sessions.
// Always:  a statement that is logged twice (log_statement and its duration) comes once; parsing and binding are no
//          executions. An ERROR concerns the session's last statement if that was logged before; else the statement is
//          told first, and then that it failed.
// Source:  the messages are those of tcop/postgres.c, PostgreSQL 9.0 to 17.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "audit/trace/read_trace.h"
#include "audit/trace/session_numbers.h"

namespace isolde::audit {

enum class PostgresSeverity : std::uint8_t { kLog, kError, kFatal, kPanic, kOther };

struct PostgresEntry {
  std::string_view session;  // what tells connections apart: process or session id
  std::int64_t time_us;
  std::uint64_t line;
  PostgresSeverity severity;
  std::string_view message, detail, statement;
};

class PostgresEvents {
 public:
  explicit PostgresEvents(TraceSink& sink) : sink_(sink), sessions_(sink) {}
  void entry(const PostgresEntry& entry);
  // After the last one. A log without a single statement is told as such: it was not set up to have them.
  void finish();

 private:
  struct StringHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  // The session's last message, as long as an error may still follow it.
  struct Last {
    std::uint64_t hash = 0;
    bool may_fail = false;
  };

  void log(const PostgresEntry& entry);
  void failure(const PostgresEntry& entry);
  void message_of_client(const PostgresEntry& entry, std::string_view sql);
  void one(const PostgresEntry& entry, std::string_view sql);
  // Of a session that has said something.
  void remember(const PostgresEntry& entry, Last last);
  Last& last_of(std::uint32_t session);

  TraceSink& sink_;
  SessionNumbers<std::string, StringHash, std::equal_to<>> sessions_;
  std::vector<Last> last_;  // by session
  std::uint64_t entries_ = 0, statements_ = 0;
};

}  // namespace isolde::audit
