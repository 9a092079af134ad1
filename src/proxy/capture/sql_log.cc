#include "proxy/capture/sql_log.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "base/ascii.h"
#include "proxy/postgres/numbers.h"
#include "proxy/postgres/rows.h"

namespace isolde::proxy::capture {
namespace {

using postgres::u16_at;
using postgres::u32_at;

constexpr std::uint32_t kNullParameter = 0xffffffffU;

// The next lines of an entry begin with a tab.
void append_indented(std::string& to, std::string_view text) {
  for (const char c : text) {
    to.push_back(c == '\0' ? ' ' : c);
    if (c == '\n') to.push_back('\t');
  }
}

}  // namespace

Result<std::unique_ptr<SqlLog>> SqlLog::create(const std::string& path) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0) return errno_error("cannot create", path);
  return std::unique_ptr<SqlLog>(new SqlLog(fd));
}

SqlLog::~SqlLog() { ::close(fd_); }

void SqlLog::statement(std::int64_t session, std::string_view sql, std::string_view parameters,
                       std::string_view error) {
  if (lower_case(sql).find("password") != std::string::npos) return;
  const auto now = std::chrono::system_clock::now();
  const auto milliseconds =
      std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
  const std::string prefix =
      fmt::format("{:%Y-%m-%d %H:%M:%S}.{:03} UTC [{}] ", fmt::gmtime(std::chrono::system_clock::to_time_t(now)),
                  milliseconds, session + 1);
  std::string entry = prefix + (parameters.empty() ? "LOG:  statement: " : "LOG:  execute <unnamed>: ");
  append_indented(entry, sql);
  entry += "\n";
  if (!parameters.empty()) {
    entry += prefix + "DETAIL:  parameters: ";
    append_indented(entry, parameters);
    entry += "\n";
  }
  if (!error.empty()) {
    entry += prefix + "ERROR:  ";
    append_indented(entry, error);
    entry += "\n";
  }
  // A log that cannot be written any more is no reason to keep a client from its database.
  [[maybe_unused]] const ssize_t written = ::write(fd_, entry.data(), entry.size());
}

std::string SqlLog::parameters_of(std::string_view bind) {
  std::string_view rest = bind;
  if (!postgres::take_text(rest) || !postgres::take_text(rest) || rest.size() < 2) return {};
  const std::size_t formats = u16_at(rest, 0);
  if (rest.size() < 2 + 2 * formats + 2) return {};
  for (std::size_t i = 0; i < formats; ++i) {
    if (u16_at(rest, 2 + 2 * i) != 0) return {};
  }
  rest.remove_prefix(2 + 2 * formats);
  const std::size_t count = u16_at(rest, 0);
  rest.remove_prefix(2);
  std::string out;
  for (std::size_t i = 0; i < count && rest.size() >= 4; ++i) {
    const std::uint32_t length = u32_at(rest, 0);
    rest.remove_prefix(4);
    out += fmt::format("{}${} = ", i == 0 ? "" : ", ", i + 1);
    if (length == kNullParameter) {
      out += "NULL";
      continue;
    }
    if (rest.size() < length) return {};
    out += "'";
    for (const char c : rest.substr(0, length)) out += c == '\'' ? std::string("''") : std::string(1, c);
    out += "'";
    rest.remove_prefix(length);
  }
  return out;
}

}  // namespace isolde::proxy::capture
