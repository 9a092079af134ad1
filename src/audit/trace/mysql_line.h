// audit/trace/mysql_line.h: one line of a general_log: time, thread, command, and where its argument begins.
//
// Always:  old lines (`161031 11:16:12<TAB>   50 Query<TAB>…`, or two tabs where the second is that of the line
//          before) and those of MySQL 5.7 (`2016-10-31T11:16:12.123456Z<TAB>   50 Query<TAB>…`). The command is one
//          that the servers know; anything else is no such line, but goes on with the one before.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace isolde::audit {

enum class MysqlCommand : std::uint8_t {
  kStatement,   // Query, Execute
  kPrepare,     // has SQL, and does not carry it out
  kNewSession,  // Connect, Change user, Reset Connection
  kQuit,
  kOther,
};

struct MysqlLine {
  std::int64_t time_us;  // kNoTime: the same as before
  std::uint64_t thread;
  MysqlCommand command;
  std::uint32_t argument;  // offset in the line
};

[[nodiscard]] std::optional<MysqlLine> mysql_line(std::string_view line);

// The three lines that a server writes when it starts: "…, Version: … started with:", "Tcp port: …", "Time … Id …".
[[nodiscard]] bool is_mysql_start(std::string_view text_from_line);

}  // namespace isolde::audit
