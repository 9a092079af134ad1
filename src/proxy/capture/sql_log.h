// proxy/capture/sql_log.h: the statements that clients sent, as a PostgreSQL log with log_statement = all has them:
// what `isolde audit` reads.
//
// Always:  a statement is written when it is answered, as the client wrote it, with its parameters; then ERROR if it
//          failed. Statements about passwords are left out. Safe from any thread.
// Cost:    a write per statement.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace isolde::proxy::capture {

class SqlLog {
 public:
  // Requires: nothing is at `path` yet.
  [[nodiscard]] static Result<std::unique_ptr<SqlLog>> create(const std::string& path);
  ~SqlLog();
  SqlLog(const SqlLog&) = delete;
  SqlLog& operator=(const SqlLog&) = delete;

  // `parameters`: as parameters_of() gives them.
  void statement(std::int64_t session, std::string_view sql, std::string_view parameters, std::string_view error);

  // Of the body of a Bind: "$1 = 'x', $2 = NULL"; empty if there are none, or one is in binary form.
  [[nodiscard]] static std::string parameters_of(std::string_view bind);

 private:
  explicit SqlLog(int fd) : fd_(fd) {}
  int fd_;
};

}  // namespace isolde::proxy::capture
